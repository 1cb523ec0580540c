/** Arrows of forces and torques. */

import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import type { Load } from "./loads.js";
import type { Motion } from "./motion.js";

const COLOURS = { force: "#e8590c", torque: "#9c36b5", contact: "#d6336c" };

export class Arrow {
  readonly object = new Group();
  private readonly shaft: Mesh;
  private readonly heads: Mesh[];

  /** `scale` is length for each unit of the load (m/N); `radius` that of the shaft (m). */
  constructor(
    private readonly load: Load,
    private readonly scale: number,
    private readonly radius: number,
    /** Where on its body it is drawn, if it acts on one. */
    private readonly centre = new Vector3(),
  ) {
    // Seen through bodies: most loads begin within one.
    const material = new MeshBasicMaterial({ color: COLOURS[load.kind], depthTest: false, transparent: true, opacity: 0.92 });
    this.shaft = new Mesh(new CylinderGeometry(0.6 * radius, 0.6 * radius, 1, 16).translate(0, 0.5, 0), material);
    const cone = new ConeGeometry(2 * radius, 6 * radius, 24).translate(0, -3 * radius, 0);
    // A torque has two heads, as in drawings.
    this.heads = Array.from({ length: load.kind === "torque" ? 2 : 1 }, () => new Mesh(cone, material));
    this.object.add(this.shaft, ...this.heads);
    if (load.kind === "contact") this.object.add(new Mesh(new SphereGeometry(1.6 * radius, 20, 12), material));
    this.object.traverse((part) => (part.renderOrder = 2));
    this.object.name = load.name;
  }

  update(motion: Motion, point: (frame: number, offset?: Vector3) => Vector3 | null): void {
    const { load } = this;
    const along = new Vector3();
    let at: Vector3 | null = null;
    if (load.between) {
      const [from, to] = load.between.map((frame) => point(frame));
      at = to ?? null;
      // Tension pulls the second end towards the first.
      if (from && to) along.copy(from).sub(to).normalize().multiplyScalar(motion.value(load.columns[0]!));
    } else {
      const [x, y, z] = load.columns.map((name) => motion.value(name));
      if (load.axis) along.set(...load.axis).multiplyScalar(x!);
      else along.set(x!, y!, z!);
      const [position, rotation] = [new Vector3(), new Quaternion()];
      if (load.axes && motion.pose(load.axes, position, rotation)) along.applyQuaternion(rotation);
      if (load.frame !== undefined) {
        const [dx, dy, dz] = load.at?.map((name) => motion.value(name)) ?? [0, 0, 0];
        at = point(load.frame, new Vector3(dx, dy, dz));
      }
      else if (load.body && motion.pose(load.body, position, rotation)) {
        at = position.add(this.centre.clone().applyQuaternion(rotation));
      }
      else if (load.at) at = new Vector3(...(load.at.map((name) => motion.value(name)) as [number, number, number]));
    }
    const length = along.length() * this.scale;
    this.object.visible = at !== null && Number.isFinite(at.x + length) && length > 3 * this.radius;
    if (!this.object.visible || !at) return;
    this.object.position.copy(at);
    this.object.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along.normalize());
    this.shaft.scale.set(1, Math.max(1e-9, length - 5 * this.radius), 1);
    this.heads.forEach((head, k) => head.position.set(0, length - 6 * this.radius * k, 0));
  }
}
