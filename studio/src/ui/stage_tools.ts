/** Buttons over the 3-D view. */

import type { Layer } from "../scene/figure.js";
import type { Stage, View } from "../scene/stage.js";
import { type Legend, legend } from "./legend.js";
import { button, digits, download, el, icon, ICONS } from "./dom.js";

export interface StageTools {
  readonly element: HTMLElement;
  /** Scale of colours, where there are contact elements. */
  readonly scale: Legend | null;
  toggle(what: Layer | "grid"): void;
  look(view: View): void;
  followNext(): void;
}

export function stageTools(stage: Stage, name: string, now: () => number): StageTools {
  const bodies = stage.figures[0]!.motion.scene.bodies.map((body) => body.name);
  const shown: Record<Layer | "grid", boolean> = { grid: true, joints: true, frames: false, loads: true, traces: true, elements: true };
  if (bodies.length > 12) shown.traces = false;
  const scale = legend(stage, () => stage.at(now()));
  const buttons = new Map<Layer | "grid", HTMLButtonElement>();
  const apply = (what: Layer | "grid") => {
    buttons.get(what)?.setAttribute("aria-pressed", String(shown[what]));
    if (what === "grid") stage.showGrid(shown.grid);
    else stage.show(what, shown[what]);
    if (what === "elements") scale?.show(shown.elements);
  };
  const toggle = (what: Layer | "grid") => {
    shown[what] = !shown[what];
    apply(what);
    // What is hidden does not move along.
    if (what === "frames" || what === "elements") stage.at(now());
  };
  const layer = (what: Layer | "grid", label: string, drawing: string, key: string) => {
    const made = button(label, icon(drawing), () => toggle(what), { key });
    buttons.set(what, made);
    return made;
  };
  const view = (which: View, label: string, key: string) =>
    button(`${label} view`, label, () => stage.look(which), { className: "text", key });
  const follow = el("select", {
    "aria-label": "Follow a body",
    title: "Follow a body (F)",
    onchange: () => stage.follow(follow.value || null),
  });
  follow.append(el("option", { value: "" }, "Follow …"), ...bodies.map((body) => el("option", { value: body }, body)));
  follow.value = stage.followed ?? "";
  const picture = async () => {
    const content = await stage.picture();
    if (content) download(`${name}.png`, content);
  };
  const element = el(
    "div",
    { class: "stage-tools" },
    el(
      "div",
      { class: "group" },
      button("Whole view", icon(ICONS.home), () => stage.look("home"), { key: "1" }),
      view("front", "Front", "2"),
      view("side", "Side", "3"),
      view("top", "Top", "4"),
    ),
    el(
      "div",
      { class: "group" },
      layer("grid", "Ground", ICONS.grid, "G"),
      layer("loads", "Forces and torques", ICONS.arrow, "A"),
      layer("traces", "Traces", ICONS.trace, "R"),
      layer("frames", "Frames", ICONS.axes, "X"),
      layer("joints", "Joints", ICONS.target, "J"),
      scale && layer("elements", "Contact elements", ICONS.elements, "E"),
      button("Save a picture", icon(ICONS.save), () => void picture()),
    ),
    el("div", { class: "group" }, follow),
    el("span", { class: "scale" }, `grid ${digits(stage.gridSpacing(), 3)} m`),
  );
  (["grid", "joints", "frames", "loads", "traces", "elements"] as const).forEach(apply);
  return {
    element,
    scale,
    toggle,
    look: (which) => stage.look(which),
    followNext: () => {
      const next = bodies.indexOf(stage.followed ?? "") + 1;
      follow.value = bodies[next] ?? "";
      stage.follow(bodies[next] ?? null);
    },
  };
}
