/** One motion as objects in the scene: bodies, joints, springs, frames, loads, traces. */

import {
  AxesHelper,
  Box3,
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  Group,
  Line,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  Quaternion,
  SphereGeometry,
  SRGBColorSpace,
  TubeGeometry,
  CatmullRomCurve3,
  Vector3,
} from "three";
import type { Shape } from "../data/types.js";
import { Arrow } from "./arrow.js";
import type { Motion } from "./motion.js";
import { Patches } from "./patches.js";
import { geometry, links, placed, pointsOf, quaternion, skeleton, vector } from "./shapes.js";

/** Red, green, blue and opacity, 0 to 1. */
type Colour = NonNullable<Shape["colour"]>;

/** Colours of bodies; each differs from its neighbours in brightness, too. */
const BODIES = ["#4c8fd6", "#e8a33d", "#5bb89a", "#c77dba", "#d9705a", "#8fb8e8", "#b9c257", "#7d86c9"];
const JOINT = "#5c6672";
/** Surfaces in the light look darker than curves of the same colour; this much is added to their lightness. */
const LIGHTER = 0.12;

/** What of a figure can be shown or hidden. */
export type Layer = "joints" | "frames" | "loads" | "traces" | "elements";

export class Figure {
  readonly root = new Group();
  readonly layers: Readonly<Record<Layer, Group>> = {
    joints: new Group(),
    frames: new Group(),
    loads: new Group(),
    traces: new Group(),
    elements: new Group(),
  };
  /** Box around the surfaces that stand on the ground. */
  readonly standing = new Box3();
  /** Contact elements, where they were recorded. */
  readonly patches: Patches | null;
  readonly bodies = new Map<string, Group>();
  private readonly ghost: boolean;
  /** What has the colour of the run, and how much brighter or darker it is. */
  private readonly tinted: { readonly material: MeshStandardMaterial | LineBasicMaterial; readonly shade: number }[] = [];
  private readonly springs: { readonly object: Object3D; readonly between: readonly [number, number] }[] = [];
  private readonly arrows: Arrow[] = [];
  private readonly joints: Object3D[] = [];
  private readonly markers: Mesh[] = [];
  /** Objects of the frames layer with the body that carries them. */
  private readonly carried: { readonly body: string; readonly object: Group }[] = [];
  private readonly frameMatrices: readonly Matrix4[];

  /**
   * `size` is that of the mechanism (m); figures after the first one are ghosts over it. Of several figures each has the
   * `colour` of its run; a single one has a colour for every body.
   */
  constructor(
    readonly motion: Motion,
    private readonly size: number,
    number: number,
    public colour: string | null,
  ) {
    this.ghost = number > 0;
    this.frameMatrices = motion.scene.frames.map(placed);
    Object.values(this.layers).forEach((layer) => this.root.add(layer));
    this.layers.frames.visible = false;
    const radius = rodRadius(motion, size);
    motion.scene.bodies.forEach((_, k) => this.addBody(k, radius));
    this.addGround();
    this.addJoints(radius);
    this.addSprings(radius);
    this.addFrames();
    this.addMarkers(radius);
    this.addLoads();
    this.addTraces();
    this.patches = motion.elements && !this.ghost ? new Patches(motion.elements, motion.scene) : null;
    if (this.patches) this.layers.elements.add(this.patches.root);
  }

  /** Moves everything to a time (s). */
  at(t: number): void {
    const { motion } = this;
    motion.at(t);
    for (const [name, group] of this.bodies) {
      group.visible = motion.pose(name, group.position, group.quaternion);
    }
    for (const { object, between } of this.springs) {
      const ends = between.map((frame) => this.point(frame));
      const [from, to] = ends as [Vector3 | null, Vector3 | null];
      object.visible = from !== null && to !== null;
      if (from && to) stretch(object, from, to);
    }
    this.markers.forEach((marker, k) => {
      const [x, y, z] = motion.markers[k]!.map((name) => motion.value(name));
      // A marker that was not seen has no place.
      marker.visible = Number.isFinite(x! + y! + z!);
      marker.position.set(x!, y!, z!);
    });
    for (const arrow of this.arrows) arrow.update(motion, (frame, offset) => this.point(frame, offset));
    if (this.layers.elements.visible) this.patches?.update(motion, t);
    if (!this.layers.frames.visible) return;
    for (const { body, object } of this.carried) {
      object.visible = motion.pose(body, object.position, object.quaternion);
    }
  }

  /** Where a body is drawn to be: its centre of mass. */
  centre(name: string): Vector3 | null {
    const group = this.bodies.get(name);
    const body = this.motion.scene.bodies.find((known) => known.name === name);
    if (!group || !body) return null;
    return vector(body.centre).applyQuaternion(group.quaternion).add(group.position);
  }

  /** Box around all bodies at this time. */
  bounds(): Box3 {
    const box = new Box3();
    for (const group of this.bodies.values()) {
      group.updateMatrixWorld(true);
      if (group.visible) box.expandByObject(group);
    }
    for (const { object } of this.springs) {
      object.updateMatrixWorld(true);
      if (object.visible) box.expandByObject(object);
    }
    return box;
  }

  /** A point in a frame, by default its origin, in the ground frame. */
  private point(frame: number, offset = new Vector3()): Vector3 | null {
    const info = this.motion.scene.frames[frame];
    const local = this.frameMatrices[frame];
    const matrix = new Matrix4();
    if (!info || !local || !this.motion.place(info.body, local, matrix)) return null;
    return offset.clone().applyMatrix4(matrix);
  }

  /** Gives the figure the colour of its run. */
  paint(colour: string): void {
    if (this.colour === null) return;
    this.colour = colour;
    for (const { material, shade } of this.tinted) material.color.set(colour).offsetHSL(0, 0, LIGHTER + shade);
  }

  /** A material of a colour of its own, or of that of the run, brighter or darker by `shade`. */
  private material(colour: string, shade: number | null = this.ghost ? 0 : null): MeshStandardMaterial {
    // Where two figures are at one place, the first one is seen.
    const behind = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 };
    const pale = this.ghost ? { transparent: true, opacity: 0.55, depthWrite: false, ...behind } : {};
    const material = new MeshStandardMaterial({ roughness: 0.55, metalness: 0.08, color: colour, ...pale });
    return this.tint(material, shade);
  }

  private tint<M extends MeshStandardMaterial | LineBasicMaterial>(material: M, shade: number | null): M {
    if (this.colour === null || shade === null) return material;
    material.color.set(this.colour).offsetHSL(0, 0, LIGHTER + shade);
    this.tinted.push({ material, shade });
    return material;
  }

  private addBody(index: number, radius: number): void {
    const { scene } = this.motion;
    const body = scene.bodies[index]!;
    const group = new Group();
    group.name = body.name;
    // Neighbours are told apart by brightness where all bodies have one colour.
    const material = this.material(BODIES[index % BODIES.length]!, 0.07 * ((index % 3) - 1));
    const add = (part: BufferGeometry, matrix?: Matrix4) => {
      const mesh = new Mesh(part, material);
      mesh.castShadow = mesh.receiveShadow = !this.ghost;
      mesh.userData["body"] = body.name;
      if (matrix) mesh.applyMatrix4(matrix);
      group.add(mesh);
      return mesh;
    };
    for (const shape of body.shapes) {
      if (shape.colour && shape.colour[3] <= 0) continue;
      const part = geometry(shape, scene);
      if (!part) continue;
      const mesh = add(part, placed(shape));
      if (shape.colour) mesh.material = this.painted(shape.colour, 0.07 * ((index % 3) - 1));
      if (shape.kind === "box" && !body.visual && !this.ghost) {
        const edges = new LineBasicMaterial({ color: "#000", transparent: true, opacity: 0.25 });
        mesh.add(new LineSegments(new EdgesGeometry(part), edges));
      }
    }
    // Surfaces of contacts show what touches, where no shape does.
    const surfaces = (scene.surfaces ?? []).filter(({ frame }) => scene.frames[frame]?.body === body.name);
    if (body.shapes.length === 0) {
      for (const { frame, mesh } of surfaces) this.addSurface(frame, mesh, add);
    }
    const touching = surfaces.map(({ frame, mesh }) => ({ ...scene.frames[frame]!, kind: "mesh" as const, mesh }));
    const bare = body.shapes.length === 0 && surfaces.length === 0;
    // A robot that is seen as it is needs no rods.
    const rods = this.isDressed(body.name)
      ? []
      : bare
      ? skeleton(body, pointsOf(body, this.motion), radius, scene)
      : links(body, body.shapes.length > 0 ? body.shapes : touching, this.motion, radius);
    rods.forEach((part) => add(part));
    this.bodies.set(body.name, group);
    this.root.add(group);
  }

  /** A material with a colour of its own; where each figure has one colour, that counts. */
  private painted([red, green, blue, opacity]: Colour, shade: number): MeshStandardMaterial {
    const colour = new Color().setRGB(red, green, blue, SRGBColorSpace);
    const material = this.material(`#${colour.getHexString()}`, shade);
    // Meshes of robots are often open.
    material.side = DoubleSide;
    if (opacity < 1 && !this.ghost) {
      material.transparent = true;
      material.opacity = opacity;
      material.depthWrite = false;
    }
    return material;
  }

  /** Whether a body is drawn by what it looks like in reality, or is inside of what is. */
  private isDressed(name: string): boolean {
    const { bodies, joints, ground } = this.motion.scene;
    const visual = (other: string) =>
      other === "ground" ? (ground?.shapes.length ?? 0) > 0 : bodies.some((body) => body.name === other && body.visual === true);
    if (visual(name)) return true;
    const bare = bodies.some((body) => body.name === name && body.shapes.length === 0);
    return bare && joints.some((joint) => (joint.child === name && visual(joint.parent)) || (joint.parent === name && visual(joint.child)));
  }

  private addSurface(frame: number, mesh: number, add: (part: BufferGeometry, matrix: Matrix4) => Mesh): void {
    const place = this.motion.scene.frames[frame]!;
    const part = geometry({ kind: "mesh", mesh, position: [0, 0, 0], quaternion: [1, 0, 0, 0] }, this.motion.scene);
    if (!part) return;
    const made = add(part, placed(place));
    // Surfaces may be open, and are then seen from behind, too.
    (made.material as MeshStandardMaterial).side = DoubleSide;
    const edges = new LineBasicMaterial({ color: "#000", transparent: true, opacity: 0.18 });
    made.add(new LineSegments(new EdgesGeometry(part, 12), edges));
  }

  /** Surfaces that stand on the ground. */
  private addGround(): void {
    const { scene } = this.motion;
    const material = this.material("#a9b3bd");
    for (const shape of this.ghost ? [] : (scene.ground?.shapes ?? [])) {
      const part = geometry(shape, scene);
      if (!part) continue;
      const made = new Mesh(part, shape.colour ? this.painted(shape.colour, 0) : material);
      made.castShadow = made.receiveShadow = true;
      made.applyMatrix4(placed(shape));
      this.root.add(made);
    }
    for (const { frame, mesh } of this.ghost ? [] : (scene.surfaces ?? [])) {
      if (scene.frames[frame]?.body !== "ground") continue;
      this.addSurface(frame, mesh, (part, matrix) => {
        const made = new Mesh(part, material);
        made.receiveShadow = true;
        made.applyMatrix4(matrix);
        this.root.add(made);
        made.updateMatrixWorld(true);
        this.standing.expandByObject(made);
        return made;
      });
    }
  }

  private addJoints(radius: number): void {
    if (this.ghost) return;
    const { scene } = this.motion;
    const material = this.material(JOINT);
    const fit = (object: Mesh) => {
      object.castShadow = true;
      return object;
    };
    for (const joint of scene.joints) {
      if (this.isDressed(joint.child) || (joint.parent !== "ground" && this.isDressed(joint.parent))) continue;
      const child = this.bodies.get(joint.child);
      const axis = joint.axis ? vector(joint.axis).normalize() : null;
      const turn = axis ? new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), axis) : null;
      const layer = new Group();
      if (joint.type === "revolute" && turn) {
        layer.add(fit(new Mesh(new CylinderGeometry(1.7 * radius, 1.7 * radius, 3.4 * radius, 32), material)));
        layer.quaternion.copy(turn);
      } else if (joint.type === "general" && joint.parent === "ground" && this.isSolid(joint.child)) {
        // What moves freely over the ground has no joint to see.
        continue;
      } else if (joint.type === "ball" || joint.type === "general") {
        layer.add(fit(new Mesh(new SphereGeometry(1.6 * radius, 32, 20), material)));
      } else if (joint.type === "prismatic" && axis && joint.parent === "ground") {
        this.addRail(joint.child, placed(joint), axis, radius);
        continue;
      } else continue;
      // The axis of a joint is the same in the frame that it carries.
      const holder = new Group();
      holder.add(layer);
      child?.add(holder);
      this.joints.push(holder);
      if (joint.parent === "ground") this.addBase(vector(joint.position), radius);
    }
    for (const loop of scene.loops) {
      const frame = scene.frames[loop.between[1]];
      const body = frame && (this.bodies.get(frame.body) ?? this.root);
      if (!frame || !body || this.isDressed(frame.body)) continue;
      const knob = fit(new Mesh(new SphereGeometry(1.5 * radius, 32, 20), material));
      knob.position.copy(vector(frame.position));
      body.add(knob);
      this.joints.push(knob);
    }
  }

  /** Whether a body has shapes or surfaces of contacts. */
  private isSolid(name: string): boolean {
    const { bodies, surfaces, frames } = this.motion.scene;
    const shaped = bodies.some((body) => body.name === name && body.shapes.length > 0);
    return shaped || (surfaces ?? []).some(({ frame }) => frames[frame]?.body === name);
  }

  /** Shows or hides a layer. */
  show(layer: Layer, visible: boolean): void {
    this.layers[layer].visible = visible;
    if (layer === "joints") this.joints.forEach((joint) => (joint.visible = visible));
  }

  /** A foot where a joint stands on the ground. */
  private addBase(position: Vector3, radius: number): void {
    const up = vector(this.motion.scene.up);
    const foot = new Mesh(new CylinderGeometry(1.9 * radius, 3 * radius, 2 * radius, 40), this.material("#87919c"));
    foot.castShadow = true;
    foot.position.copy(position).addScaledVector(up, -2.2 * radius);
    foot.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), up);
    this.layers.joints.add(foot);
  }

  /** The line along which a body slides on the ground, as long as its way. */
  private addRail(child: string, place: Matrix4, axis: Vector3, radius: number): void {
    const path = this.motion.path(child, new Vector3(), 400);
    const origin = new Vector3().setFromMatrixPosition(place);
    const way = axis.clone().transformDirection(place);
    let [low, high] = [0, 0];
    for (let i = 0; i + 2 < path.length; i += 3) {
      const s = new Vector3(path[i], path[i + 1], path[i + 2]).sub(origin).dot(way);
      [low, high] = [Math.min(low, s), Math.max(high, s)];
    }
    const margin = 0.1 * this.size;
    const length = high - low + 2 * margin;
    const rail = new Mesh(new CylinderGeometry(0.45 * radius, 0.45 * radius, length, 16), this.material(JOINT));
    rail.position.copy(origin).addScaledVector(way, (low + high) / 2);
    rail.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way);
    this.layers.joints.add(rail);
  }

  private addSprings(radius: number): void {
    const { scene } = this.motion;
    const pairs = [
      ...scene.elements.filter((element) => element.between && !["torque", "contact"].includes(element.type)),
      ...scene.loops.filter((loop) => loop.type === "distance"),
    ];
    for (const pair of pairs) {
      const stiff = "radii" in pair || pair.type === "distance" || pair.type === "line";
      const part = stiff ? new CylinderGeometry(0.5 * radius, 0.5 * radius, 1, 16) : coil(radius);
      const object = new Mesh(part, this.material(stiff ? JOINT : "#9aa4af"));
      object.castShadow = !this.ghost;
      this.springs.push({ object, between: pair.between! });
      this.root.add(object);
    }
  }

  private addFrames(): void {
    for (const frame of this.motion.scene.frames) {
      const axes = new AxesHelper(0.07 * this.size);
      axes.position.copy(vector(frame.position));
      axes.quaternion.copy(quaternion(frame.quaternion));
      const carrier = new Group();
      carrier.add(axes);
      this.follow(frame.body, carrier);
    }
    for (const body of this.motion.scene.bodies) {
      const carrier = new Group();
      carrier.add(new AxesHelper(0.1 * this.size));
      this.follow(body.name, carrier);
    }
  }

  /** Keeps an object of the frames layer on a body. */
  private follow(body: string, object: Group): void {
    this.layers.frames.add(object);
    this.carried.push({ body, object });
  }

  private addMarkers(radius: number): void {
    const ball = new SphereGeometry(1.1 * radius, 20, 12);
    const material = this.material("#f2c14e");
    for (const names of this.motion.markers) {
      const marker = new Mesh(ball, material);
      marker.name = names[0]!.slice(0, -2);
      this.markers.push(marker);
      this.root.add(marker);
    }
  }

  private addLoads(): void {
    if (this.ghost) return;
    const { motion } = this;
    const largest = { force: 0, torque: 0, contact: 0 };
    for (const load of motion.loads) {
      largest[load.kind] = Math.max(largest[load.kind], motion.largest(load.columns));
    }
    for (const load of motion.loads) {
      if (largest[load.kind] === 0) continue;
      const scale = (0.32 * this.size) / largest[load.kind];
      // A force that slides a body is best seen at its centre.
      const body = load.axis && load.kind === "force" ? motion.scene.bodies.find(({ name }) => name === load.body) : null;
      const centre = vector(body?.centre ?? [0, 0, 0]);
      const arrow = new Arrow(load, scale, 0.007 * this.size, centre);
      this.arrows.push(arrow);
      this.layers.loads.add(arrow.object);
    }
  }

  private addTraces(): void {
    const { scene } = this.motion;
    scene.bodies.forEach((body, k) => {
      const { ties, centre } = pointsOf(body, this.motion);
      const point = ties[ties.length - 1] ?? centre;
      const path = this.motion.path(body.name, point, 3000);
      if (path.length < 6) return;
      const line = new BufferGeometry();
      line.setAttribute("position", new BufferAttribute(path, 3));
      const material = this.tint(new LineBasicMaterial({ color: BODIES[k % BODIES.length]!, transparent: true, opacity: 0.75 }), 0);
      const object = new Line(line, material);
      object.name = body.name;
      this.layers.traces.add(object);
    });
  }
}

/** Thickness of rods: a share of the typical one's length. */
function rodRadius(motion: Motion, size: number): number {
  const lengths: number[] = [];
  for (const body of motion.scene.bodies) {
    const { ties, centre } = pointsOf(body, motion);
    for (const point of ties.length > 0 ? ties : [centre]) if (point.length() > 1e-9) lengths.push(point.length());
  }
  lengths.sort((a, b) => a - b);
  const typical = lengths[lengths.length >> 1] ?? size;
  return Math.min(0.018 * size, Math.max(0.004 * size, 0.06 * typical));
}

/** A coil of unit length along y, centred. */
function coil(radius: number): BufferGeometry {
  const turns = 9;
  const points: Vector3[] = [new Vector3(0, -0.5, 0), new Vector3(0, -0.44, 0)];
  for (let k = 0; k <= turns * 12; k++) {
    const angle = (k / 12) * 2 * Math.PI;
    const y = -0.4 + (0.8 * k) / (turns * 12);
    points.push(new Vector3(1.5 * radius * Math.cos(angle), y, 1.5 * radius * Math.sin(angle)));
  }
  points.push(new Vector3(0, 0.44, 0), new Vector3(0, 0.5, 0));
  return new TubeGeometry(new CatmullRomCurve3(points), turns * 24, 0.3 * radius, 6);
}

/** Puts an object of unit length along y between two points. */
function stretch(object: Object3D, from: Vector3, to: Vector3): void {
  const line = to.clone().sub(from);
  const length = line.length();
  object.position.copy(from).addScaledVector(line, 0.5);
  object.scale.set(1, Math.max(length, 1e-12), 1);
  if (length > 0) object.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), line.divideScalar(length));
}
