/** Forces and torques that a recording has columns for. */

import type { Scene, Vector } from "../data/types.js";

export interface Load {
  readonly name: string;
  readonly kind: "force" | "torque" | "contact";
  /** Three components, or one: a tension along the line between two frames, or an effort along an axis. */
  readonly columns: readonly string[];
  /** Body in whose axes the components are; the ground's where there is none. */
  readonly axes?: string;
  /** Where it acts: the origin of a body, a frame by its number, two frames, or columns with a point, in the frame where
   * there is one. */
  readonly body?: string;
  readonly frame?: number;
  readonly between?: readonly [number, number];
  readonly at?: readonly string[];
  /** Axis of an effort in the frame of the body that its joint carries, with the sign of the effort. */
  readonly axis?: Vector;
}

const FORCE = ["fx", "fy", "fz"];
const TORQUE = ["mx", "my", "mz"];

/** The loads of a scene whose columns are there. Names of columns begin with `prefix`. */
export function loadsOf(scene: Scene, prefix: string, known: (name: string) => boolean): Load[] {
  const loads: Load[] = [];
  const add = (load: Load) => {
    if (load.columns.concat(load.at ?? []).every(known)) loads.push(load);
  };
  const both = (name: string, place: Partial<Load>) => {
    add({ name, kind: "force", columns: FORCE.map((part) => `${prefix}${name}.${part}`), ...place });
    add({ name, kind: "torque", columns: TORQUE.map((part) => `${prefix}${name}.${part}`), ...place });
  };
  for (const element of scene.elements) {
    const joint = element.joint && scene.joints.find((known) => known.name === element.joint);
    if (element.type === "contact" && element.between) {
      // The middle of the contact is told from the origin of the first surface, in its frame.
      const at = ["x", "y", "z"].map((part) => `${prefix}${element.name}.position.${part}`);
      const columns = FORCE.map((part) => `${prefix}${element.name}.${part}`);
      add({ name: element.name, kind: "contact", columns, at, frame: element.between[0] });
    } else if (joint && joint.axis && element.column) {
      const axis = direction(joint.axis, element.sign ?? 1);
      const kind = joint.type === "prismatic" ? "force" : "torque";
      add({ name: element.name, kind, columns: [prefix + element.column], body: joint.child, axes: joint.child, axis });
    } else if (element.frame !== undefined) both(element.name, { frame: element.frame });
    else if (element.between && (element.type === "spring" || element.type === "line")) {
      add({ name: element.name, kind: "force", columns: [prefix + element.name], between: element.between });
    }
  }
  for (const loop of scene.loops) both(`loops.${loop.name}`, { frame: loop.between[1] });
  for (const joint of scene.joints) {
    for (const name of [`reactions.${joint.name}`, `joints.${joint.name}.wrench`]) {
      both(name, { body: joint.child, axes: joint.child });
    }
  }
  return loads;
}

function direction([x, y, z]: Vector, length: number): Vector {
  const scale = length / (Math.hypot(x, y, z) || 1);
  return [scale * x, scale * y, scale * z];
}

/** Contact points: every group of columns with a point `.px .py .pz` and a force `.fx .fy .fz`, in ground axes. */
export function contactsOf(columns: readonly string[], known: (name: string) => boolean): Load[] {
  const groups = columns.filter((name) => name.endsWith(".px")).map((name) => name.slice(0, -3));
  const contacts: Load[] = [];
  for (const group of groups) {
    const at = ["px", "py", "pz"].map((part) => `${group}.${part}`);
    const force = FORCE.map((part) => `${group}.${part}`);
    if (at.concat(force).every(known)) contacts.push({ name: group, kind: "contact", columns: force, at });
  }
  return contacts;
}
