/** Contact elements on the surfaces that give them, coloured by pressure or traction. */

import { BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Mesh, MeshBasicMaterial, SRGBColorSpace } from "three";
import type { Elements, Quantity } from "../data/elements.js";
import type { Scene } from "../data/types.js";
import { fromBase64 } from "../data/unpack.js";
import { mapped, roundUp } from "./colour_map.js";
import { placed } from "./shapes.js";
import type { Motion } from "./motion.js";

/** Most elements that are drawn at once. */
const MOST = 20_000;

interface Patch {
  readonly body: string;
  readonly object: Group;
  readonly mesh: Mesh<BufferGeometry>;
  readonly edges: LineSegments<BufferGeometry>;
  readonly vertices: Float32Array;
  readonly triangles: Uint32Array;
}

export class Patches {
  readonly root = new Group();
  quantity: Quantity = "pressure";
  /** Whether the scale ends at the largest value of this instant, not of the whole run. */
  instant = false;
  /** Elements that are shown now. */
  count = 0;
  /** Largest value of this instant (N/m^2). */
  private now = 0;
  private readonly patches = new Map<number, Patch>();

  constructor(
    readonly elements: Elements,
    private readonly scene: Scene,
  ) {
    const used = new Set(elements.info.pairs.flatMap(({ surfaces }) => surfaces));
    for (const surface of used) if (surface !== null) this.add(surface);
  }

  /** The value at the end of the scale (N/m^2). */
  top(): number {
    return roundUp(this.instant ? this.now : this.elements.info.largest[this.quantity === "pressure" ? 0 : 1]);
  }

  update(motion: Motion, t: number): void {
    const shown = new Map<number, { readonly triangle: number; readonly value: number }[]>();
    this.count = this.now = 0;
    for (const element of this.elements.at(t)) {
      const surface = this.elements.info.pairs[element.pair]?.surfaces[element.surface];
      if (surface === null || surface === undefined || !this.patches.has(surface) || this.count >= MOST) continue;
      const list = shown.get(surface) ?? [];
      const value = element[this.quantity];
      list.push({ triangle: element.triangle, value });
      this.now = Math.max(this.now, value);
      shown.set(surface, list);
      this.count += 1;
    }
    const top = this.top();
    for (const [surface, patch] of this.patches) {
      const list = shown.get(surface) ?? [];
      patch.object.visible = list.length > 0 && motion.pose(patch.body, patch.object.position, patch.object.quaternion);
      if (patch.object.visible) fill(patch, list, top);
      // Of many small triangles the lines would hide the colours.
      (patch.edges.material as LineBasicMaterial).opacity = this.count > 40 ? 0.14 : 0.55;
    }
  }

  private add(surface: number): void {
    const info = this.scene.surfaces?.[surface];
    const frame = info && this.scene.frames[info.frame];
    const mesh = info && this.scene.meshes[info.mesh];
    if (!frame || !mesh) return;
    // Seen through the bodies: a contact is between them.
    const material = new MeshBasicMaterial({ vertexColors: true, side: DoubleSide, depthTest: false, transparent: true, opacity: 0.94 });
    const line = new LineBasicMaterial({ color: "#fff", transparent: true, opacity: 0.55, depthTest: false });
    const object = new Group();
    const local = new Group();
    local.applyMatrix4(placed(frame));
    const made = new Mesh(new BufferGeometry(), material);
    const edges = new LineSegments(new BufferGeometry(), line);
    made.frustumCulled = edges.frustumCulled = false;
    [made.renderOrder, edges.renderOrder] = [1, 1.5];
    local.add(made, edges);
    object.add(local);
    this.root.add(object);
    const vertices = new Float32Array(fromBase64(mesh.vertices).buffer);
    const triangles = new Uint32Array(fromBase64(mesh.triangles).buffer);
    this.patches.set(surface, { body: frame.body, object, mesh: made, edges, vertices, triangles });
  }
}

/** Makes the triangles of a patch. */
function fill(patch: Patch, list: readonly { readonly triangle: number; readonly value: number }[], top: number): void {
  const points = new Float32Array(9 * list.length);
  const colours = new Float32Array(9 * list.length);
  const lines = new Float32Array(18 * list.length);
  const colour = new Color();
  list.forEach(({ triangle, value }, k) => {
    colour.setRGB(...mapped(value / top), SRGBColorSpace);
    for (let corner = 0; corner < 3; corner++) {
      const from = 3 * (patch.triangles[3 * triangle + corner] ?? 0);
      const to = 3 * (patch.triangles[3 * triangle + ((corner + 1) % 3)] ?? 0);
      points.set(patch.vertices.subarray(from, from + 3), 9 * k + 3 * corner);
      colours.set([colour.r, colour.g, colour.b], 9 * k + 3 * corner);
      lines.set(patch.vertices.subarray(from, from + 3), 18 * k + 6 * corner);
      lines.set(patch.vertices.subarray(to, to + 3), 18 * k + 6 * corner + 3);
    }
  });
  const { geometry } = patch.mesh;
  geometry.dispose();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  patch.edges.geometry.dispose();
  patch.edges.geometry.setAttribute("position", new BufferAttribute(lines, 3));
}
