/** What the colours of contact elements mean. */

import type { Quantity } from "../data/elements.js";
import { GRADIENT, pressureUnit } from "../scene/colour_map.js";
import type { Stage } from "../scene/stage.js";
import { digits, el } from "./dom.js";

export interface Legend {
  readonly element: HTMLElement;
  show(visible: boolean): void;
  update(): void;
}

/** The scale of colours of a stage whose recordings have contact elements. */
export function legend(stage: Stage, changed: () => void): Legend | null {
  const patches = stage.patches();
  const first = patches[0];
  if (!first) return null;
  const choice = el(
    "select",
    {
      "aria-label": "What colours show",
      onchange: () => {
        for (const patch of patches) patch.quantity = choice.value as Quantity;
        changed();
        update();
      },
    },
    el("option", { value: "pressure" }, "Pressure"),
    // Without friction there is nothing to choose.
    first.elements.info.largest[1] > 0 && el("option", { value: "traction" }, "Traction"),
  );
  const scope = el(
    "select",
    {
      "aria-label": "Where the scale ends",
      title: "The scale ends at the largest value of the run, or of this instant",
      onchange: () => {
        for (const patch of patches) patch.instant = scope.value === "instant";
        changed();
        update();
      },
    },
    el("option", { value: "run" }, "of the run"),
    el("option", { value: "instant" }, "of this instant"),
  );
  const numbers = el("div", { class: "numbers" });
  const count = el("span", { class: "count" });
  const element = el("div", { class: "colour-scale" }, el("div", { class: "head" }, choice, scope, count), el("div", { class: "ramp", style: `background: ${GRADIENT}` }), numbers);
  const update = () => {
    const top = first.top();
    const [unit, size] = pressureUnit(top);
    const label = (share: number) => el("span", {}, `${digits((share * top) / size, 3)}${share === 1 ? ` ${unit}` : ""}`);
    numbers.replaceChildren(...[0, 0.5, 1].map(label));
    count.textContent = `${first.count} elements`;
  };
  update();
  return { element, show: (visible) => (element.hidden = !visible), update };
}
