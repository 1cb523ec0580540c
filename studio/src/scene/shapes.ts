/** Geometry of bodies: their shapes, or rods between what is fixed on them. */

import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Body, Quaternion as Q, Scene, Shape, Vector } from "../data/types.js";
import { fromBase64 } from "../data/unpack.js";
import type { Motion } from "./motion.js";

export const vector = ([x, y, z]: Vector) => new Vector3(x, y, z);
export const quaternion = ([w, x, y, z]: Q) => new Quaternion(x, y, z, w);
const ONE = new Vector3(1, 1, 1);

/** Share of the heaviest body's mass below which one is light. */
const LIGHT = 0.01;

/** A place on a body as a matrix. */
export function placed(place: { readonly position: Vector; readonly quaternion: Q }): Matrix4 {
  return new Matrix4().compose(vector(place.position), quaternion(place.quaternion), ONE);
}

/** Geometry of a shape in its own axes; round ones stand along z. */
export function geometry(shape: Shape, scene: Scene): BufferGeometry | null {
  switch (shape.kind) {
    case "box":
      return new BoxGeometry(...shape.size);
    case "sphere":
      return new SphereGeometry(shape.radius, 40, 24);
    case "cylinder":
      return new CylinderGeometry(shape.radius, shape.radius, shape.length, 40).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(shape.radius, shape.length, 12, 32).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new SphereGeometry(1, 40, 24).scale(...shape.radii);
    case "mesh": {
      const surface = scene.meshes[shape.mesh];
      if (!surface) return null;
      const triangles = new Uint32Array(fromBase64(surface.triangles).buffer);
      const vertices = new Float32Array(fromBase64(surface.vertices).buffer);
      let mesh = new BufferGeometry();
      mesh.setAttribute("position", new BufferAttribute(vertices, 3));
      mesh.setIndex(new BufferAttribute(triangles, 1));
      // Faces of their own keep edges sharp.
      mesh = mesh.toNonIndexed();
      mesh.computeVertexNormals();
      return mesh;
    }
  }
}

/** Corners of the box around a shape, in the axes of its body. */
export function corners(shape: Shape, scene: Scene): Vector3[] {
  const matrix = placed(shape);
  const box = boxOf(shape, scene);
  if (box.isEmpty()) return [];
  const pick = (k: number) => new Vector3(...([0, 1, 2] as const).map((axis) => (k & (1 << axis) ? box.max : box.min).getComponent(axis)));
  return Array.from({ length: 8 }, (_, k) => pick(k).applyMatrix4(matrix));
}

/** The box around a shape in its own axes. */
function boxOf(shape: Shape, scene: Scene): Box3 {
  const about = (x: number, y: number, z: number) => new Box3(new Vector3(-x, -y, -z), new Vector3(x, y, z));
  switch (shape.kind) {
    case "box":
      return about(0.5 * shape.size[0], 0.5 * shape.size[1], 0.5 * shape.size[2]);
    case "sphere":
      return about(shape.radius, shape.radius, shape.radius);
    case "cylinder":
      return about(shape.radius, shape.radius, 0.5 * shape.length);
    case "capsule":
      return about(shape.radius, shape.radius, shape.radius + 0.5 * shape.length);
    case "ellipsoid":
      return about(...shape.radii);
    case "mesh": {
      const surface = scene.meshes[shape.mesh];
      return surface ? new Box3().setFromArray(new Float32Array(fromBase64(surface.vertices).buffer)) : new Box3();
    }
  }
}

/** Points that matter on a body: joints and frames fixed on it, and its centre. */
export interface Points {
  readonly ties: readonly Vector3[];
  /** Joints on it that carry something small, such as a kneecap. */
  readonly small: readonly Vector3[];
  readonly centre: Vector3;
  /** Whether a joint on it carries another body. */
  readonly carries: boolean;
}

export function pointsOf(body: Body, motion: Motion): Points {
  const { scene } = motion;
  const ties: Vector3[] = [];
  const small: Vector3[] = [];
  const add = (point: Vector3, list = ties) => {
    if (point.length() > 1e-9 && list.every((tie) => tie.distanceTo(point) > 1e-9)) list.push(point);
  };
  const on = scene.joints.filter((joint) => joint.parent === body.name);
  for (const joint of on) {
    // A general joint may shift its child; rods lead to where that is at the start.
    const shifted = joint.type === "general" ? motion.origin(joint.child, body.name) : null;
    add(shifted ?? vector(joint.position), isSmall(joint.child, scene) ? small : ties);
  }
  const used = new Set<number>();
  for (const loop of scene.loops) loop.between.forEach((frame) => used.add(frame));
  for (const element of scene.elements) {
    element.between?.forEach((frame) => used.add(frame));
    if (element.frame !== undefined) used.add(element.frame);
  }
  scene.frames.forEach((frame, k) => {
    if (used.has(k) && frame.body === body.name) add(vector(frame.position));
  });
  return { ties, small, centre: vector(body.centre), carries: on.length > 0 };
}

/** Whether a body is light beside the others and carries nothing. */
function isSmall(name: string, scene: Scene): boolean {
  const heaviest = Math.max(0, ...scene.bodies.map(({ mass }) => mass));
  const mass = scene.bodies.find((body) => body.name === name)?.mass ?? 0;
  return mass > 0 && mass < LIGHT * heaviest && scene.joints.every((joint) => joint.parent !== name);
}

/** Where a body is connected to others: its own joint, joints on it, ends of loops and springs. */
function joined(body: Body, motion: Motion): Vector3[] {
  const { joints, loops, elements, frames } = motion.scene;
  const points: Vector3[] = [];
  for (const joint of joints) {
    // What moves freely over the ground is not connected to it.
    const free = joint.type === "free" || (joint.type === "general" && joint.parent === "ground");
    if (joint.child === body.name && !free && joint.type !== "prismatic") points.push(new Vector3());
    if (joint.parent !== body.name || joint.type === "free") continue;
    const shifted = joint.type === "general" ? motion.origin(joint.child, body.name) : null;
    points.push(shifted ?? vector(joint.position));
  }
  const springs = elements.flatMap(({ type, between }) => ((type === "spring" || type === "line") && between ? [between] : []));
  for (const frame of [...loops.map(({ between }) => between), ...springs].flat()) {
    if (frames[frame]?.body === body.name) points.push(vector(frames[frame].position));
  }
  return points;
}

/** Rods from the shapes of a body to the joints, loops and springs that lie outside of them: what is connected is seen to be. */
export function links(body: Body, shapes: readonly Shape[], motion: Motion, radius: number): BufferGeometry[] {
  const boxes = shapes.flatMap((shape) => {
    const box = boxOf(shape, motion.scene);
    return box.isEmpty() ? [] : [{ box, matrix: placed(shape), inverse: placed(shape).invert() }];
  });
  return joined(body, motion).flatMap((point) => {
    const near = boxes.map(({ box, matrix, inverse }) => {
      const distance = box.distanceToPoint(point.clone().applyMatrix4(inverse));
      return { distance, middle: box.getCenter(new Vector3()).applyMatrix4(matrix) };
    });
    const nearest = near.sort((a, b) => a.distance - b.distance)[0];
    return nearest && nearest.distance > 1.5 * radius ? [rod(point, nearest.middle, 0.8 * radius)] : [];
  });
}

/** A rod between two points. */
export function rod(from: Vector3, to: Vector3, radius: number): BufferGeometry {
  const line = to.clone().sub(from);
  const length = line.length();
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), line.divideScalar(length || 1));
  const middle = from.clone().add(to).multiplyScalar(0.5);
  return new CapsuleGeometry(radius, length, 8, 20).applyMatrix4(new Matrix4().compose(middle, turn, ONE));
}

/** Rods and balls for a body that has no shape. */
export function skeleton(body: Body, { ties, small, centre, carries }: Points, radius: number, scene: Scene): BufferGeometry[] {
  const origin = new Vector3();
  const parts: BufferGeometry[] = [];
  if (ties.length === 2) parts.push(rod(ties[0]!, ties[1]!, radius));
  for (const tie of ties) parts.push(rod(origin, tie, radius));
  // What is light beside the others is no larger than a joint, and is held from where it is nearest.
  const nearest = (point: Vector3) => [origin, ...ties].sort((a, b) => a.distanceTo(point) - b.distanceTo(point))[0]!;
  for (const point of small) parts.push(rod(nearest(point), point, 0.5 * radius));
  const ball = isSmall(body.name, scene) ? 0.5 : 1;
  const farthest = Math.max(0, ...ties.map((tie) => tie.length()));
  if (!carries && centre.length() > Math.max(4 * radius, 1.3 * farthest)) {
    // A link that ends in nothing, or whose mass is far from all of its ties: the mass sits at the end of a rod.
    parts.push(rod(origin, centre, radius));
    parts.push(new SphereGeometry(ball * 2.6 * radius, 32, 20).translate(centre.x, centre.y, centre.z));
  } else if (ties.length === 0 && body.mass > 0) {
    parts.push(new SphereGeometry(ball * 3 * radius, 32, 20).translate(centre.x, centre.y, centre.z));
  }
  return parts;
}
