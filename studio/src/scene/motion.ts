/** Poses and loads over time, out of the columns of a recording. */

import { Matrix4, Quaternion, Vector3 } from "three";
import { Elements } from "../data/elements.js";
import type { Source } from "../data/source.js";
import { upperBound } from "../data/thin.js";
import type { Run, Scene } from "../data/types.js";
import { type Load, contactsOf, loadsOf } from "./loads.js";

const POSE = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/** Most numbers that are fetched for a motion. */
const MOST_NUMBERS = 3e6;

/** Rows of so many columns that are fetched. */
const density = (columns: number) => Math.max(300, Math.min(20000, Math.floor(MOST_NUMBERS / (columns + 1))));

/** How the bodies of a recording move. */
export class Motion {
  private row = 0;
  private part = 0;

  private constructor(
    readonly run: number,
    /** What stands before the names of its columns; several methods in one recording each have their own. */
    readonly prefix: string,
    readonly scene: Scene,
    readonly loads: readonly Load[],
    /** Columns x, y and z of points that stand for themselves, such as measured markers. */
    readonly markers: readonly (readonly string[])[],
    public times: Float64Array,
    private columns: ReadonlyMap<string, Float64Array>,
    /** Contact elements, where they were recorded. */
    readonly elements: Elements | null,
  ) {}

  /** Whether a recording has a scene that can be drawn. */
  static has(run: Run): boolean {
    return run.scene?.version === 1 && run.rows > 0;
  }

  /** The motions in a recording; none where it has no scene or no poses. */
  static async load(source: Source, index: number): Promise<Motion[]> {
    const run = source.index.runs[index]!;
    const scene = run.scene;
    if (!scene || !Motion.has(run)) return [];
    const elements = await Elements.load(source, index);
    const motions = prefixes(run, scene).map(async (prefix) => {
      const numbers = new Map(run.columns.map(([name], k) => [name, k]));
      const known = (name: string) => numbers.has(name);
      const contacts = contactsOf(run.columns.map(([name]) => name), known);
      const loads = [...loadsOf(scene, prefix, known), ...contacts];
      const wanted = new Set<string>();
      for (const body of scene.bodies) {
        const names = POSE.map((part) => `${prefix}bodies.${body.name}.${part}`);
        if (names.every((name) => numbers.has(name))) names.forEach((name) => wanted.add(name));
      }
      const markers = markersOf(run).filter((names) => names.every(known));
      markers.flat().forEach((name) => wanted.add(name));
      for (const load of loads) load.columns.concat(load.at ?? []).forEach((name) => wanted.add(name));
      const names = [...wanted];
      const every = density(names.length);
      const data = await source.rows(index, [0, ...names.map((name) => numbers.get(name)!)], { every });
      const columns = new Map(names.map((name, k) => [name, data[k + 1]!]));
      return new Motion(index, prefix, scene, loads, markers, data[0]!, columns, elements);
    });
    return Promise.all(motions);
  }

  /** Fetches the columns again, of a recording that has grown. */
  async reload(source: Source): Promise<void> {
    const run = source.index.runs[this.run]!;
    const numbers = new Map(run.columns.map(([name], k) => [name, k]));
    const names = [...this.columns.keys()];
    const data = await source.rows(this.run, [0, ...names.map((name) => numbers.get(name) ?? 0)], { every: density(names.length) });
    this.times = data[0]!;
    this.columns = new Map(names.map((name, k) => [name, data[k + 1]!]));
  }

  /** Goes to a time (s); beyond the ends the first and last pose stay. */
  at(t: number): void {
    const last = this.times.length - 1;
    const before = Math.min(last, Math.max(0, upperBound(this.times, t) - 1));
    const next = Math.min(last, before + 1);
    const width = this.times[next]! - this.times[before]!;
    this.row = before;
    this.part = width > 0 ? Math.min(1, Math.max(0, (t - this.times[before]!) / width)) : 0;
  }

  /** A column at this time. */
  value(name: string): number {
    const values = this.columns.get(name);
    if (!values) return NaN;
    const a = values[this.row]!;
    if (this.part === 0) return a;
    return a + this.part * (values[Math.min(values.length - 1, this.row + 1)]! - a);
  }

  /** Largest magnitude of the vector in three columns. */
  largest(names: readonly string[]): number {
    const columns = names.map((name) => this.columns.get(name));
    let largest = 0;
    for (let i = 0; i < this.times.length; i++) {
      let square = 0;
      for (const column of columns) square += (column?.[i] ?? 0) ** 2;
      if (square > largest) largest = square;
    }
    return Math.sqrt(largest);
  }

  has(body: string): boolean {
    return body === "ground" || this.columns.has(`${this.prefix}bodies.${body}.qz`);
  }

  /** Pose of a body at this time; false where it is not recorded. */
  pose(body: string, position: Vector3, rotation: Quaternion): boolean {
    if (body === "ground") {
      position.set(0, 0, 0);
      rotation.identity();
      return true;
    }
    const column = (part: string) => this.columns.get(`${this.prefix}bodies.${body}.${part}`);
    const [x, y, z, qw, qx, qy, qz] = POSE.map(column);
    if (!x || !y || !z || !qw || !qx || !qy || !qz) return false;
    const i = this.row;
    const j = Math.min(x.length - 1, i + 1);
    const b = this.part;
    const a = 1 - b;
    position.set(a * x[i]! + b * x[j]!, a * y[i]! + b * y[j]!, a * z[i]! + b * z[j]!);
    // A quaternion and its opposite are the same rotation: take the way round that is shorter.
    const side = qw[i]! * qw[j]! + qx[i]! * qx[j]! + qy[i]! * qy[j]! + qz[i]! * qz[j]! < 0 ? -b : b;
    rotation.set(
      a * qx[i]! + side * qx[j]!,
      a * qy[i]! + side * qy[j]!,
      a * qz[i]! + side * qz[j]!,
      a * qw[i]! + side * qw[j]!,
    );
    rotation.normalize();
    return Number.isFinite(position.x + position.y + position.z + rotation.w);
  }

  /** A place on a body as a matrix in the ground frame. */
  place(body: string, local: Matrix4, out: Matrix4): boolean {
    if (!this.pose(body, POSITION, ROTATION)) return false;
    out.compose(POSITION, ROTATION, ONE).multiply(local);
    return true;
  }

  /** Origin of a body in another one's frame at the start. */
  origin(body: string, seen: string): Vector3 | null {
    const [row, part] = [this.row, this.part];
    [this.row, this.part] = [0, 0];
    const point = new Vector3();
    const found = this.pose(body, point, ROTATION) && this.pose(seen, POSITION, ROTATION);
    [this.row, this.part] = [row, part];
    return found ? point.sub(POSITION).applyQuaternion(ROTATION.invert()) : null;
  }

  /** The path of a point on a body: x, y, z of about `count` instants. */
  path(body: string, point: Vector3, count: number): Float32Array<ArrayBuffer> {
    const stride = Math.max(1, Math.ceil(this.times.length / count));
    const out: number[] = [];
    const [row, part] = [this.row, this.part];
    this.part = 0;
    for (let i = 0; i < this.times.length; i += stride) {
      this.row = i;
      if (!this.pose(body, POSITION, ROTATION)) continue;
      const p = point.clone().applyQuaternion(ROTATION).add(POSITION);
      out.push(p.x, p.y, p.z);
    }
    [this.row, this.part] = [row, part];
    return Float32Array.from(out);
  }
}

const POSITION = new Vector3();
const ROTATION = new Quaternion();
const ONE = new Vector3(1, 1, 1);

/** Columns of points: `markers.NAME.x`, `.y` and `.z`, in ground axes. */
function markersOf(run: Run): string[][] {
  const groups = run.columns.map(([name]) => /^((?:.*\.)?markers\.[^.]+)\.x$/.exec(name)?.[1]).filter((name) => name !== undefined);
  return groups.map((group) => ["x", "y", "z"].map((part) => `${group}.${part}`));
}

/** What stands before `bodies.` in the names of the columns. */
function prefixes(run: Run, scene: Scene): string[] {
  const found = new Set<string>();
  for (const body of scene.bodies) {
    const end = `bodies.${body.name}.qz`;
    for (const [name] of run.columns) {
      if (name.endsWith(end)) found.add(name.slice(0, -end.length));
    }
    if (found.size > 0) break;
  }
  return [...found];
}
