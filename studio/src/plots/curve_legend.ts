/** Names and values of the curves of a plot, and what the plot leaves out. */

import { button, el } from "../ui/dom.js";
import { pretty } from "../ui/units.js";
import type { Hidden } from "./suggestions.js";

export interface Entry {
  readonly name: string;
  readonly unit: string;
  readonly colour: string;
  readonly dashed: boolean;
  /** Whether its curve is drawn. */
  readonly shown: boolean;
  /** What pressing it does. */
  readonly title: string;
  readonly press: () => void;
}

/** Most entries that are seen at first: more would leave no room for the plot. */
const MOST = 6;

/** Most columns that are added at once. */
export const BATCH = 6;

export class CurveLegend {
  readonly element = el("div", { class: "legend" });
  private values: HTMLOutputElement[] = [];
  private open = false;

  /** Writes the entries; the smallest width of each keeps values in place while they change. */
  write(entries: readonly Entry[]): void {
    // Room for a sign, a point and zeros behind it; where there are many, names give way to them.
    const room = this.digits(entries.length) + (entries.length > 4 ? 3 : 6);
    // Letters are narrower than digits; beside them are a line and a value.
    const letters = Math.max(0, ...entries.map(({ name, unit }) => 0.8 * name.length + (unit === "1" ? 0 : 0.75 * unit.length)));
    this.element.style.setProperty("--wide", `${Math.max(15, letters + 4.4 + room)}ch`);
    const folded = !this.open && entries.length > MOST + 1;
    this.values = [];
    const chips = entries.map((entry) => {
      const value = el("output", { class: "value" });
      this.values.push(value);
      const chip = el(
        "button",
        { type: "button", class: "chip", title: entry.title, onclick: entry.press },
        el("span", { class: entry.dashed ? "swatch dashed" : "swatch", style: `--colour: ${entry.colour}` }),
        el("span", { class: "name" }, entry.name),
        value,
        el("span", { class: "unit" }, entry.unit === "1" ? "" : pretty(entry.unit)),
      );
      chip.classList.toggle("off", !entry.shown);
      return chip;
    });
    this.element.replaceChildren(...chips.slice(0, folded ? MOST : chips.length));
    if (entries.length > MOST + 1) {
      const more = `${entries.length - MOST} more`;
      const toggle = button(folded ? `Show ${more} names` : "Show fewer names", folded ? `… ${more}` : "Show fewer", () => {
        this.open = !this.open;
        this.write(entries);
      });
      toggle.classList.add("chip", "more");
      toggle.setAttribute("aria-expanded", String(!folded));
      this.element.append(toggle);
    }
    if (entries.length === 0) this.element.append(el("span", { class: "hint" }, "Choose columns on the left."));
  }

  /** Digits of values beside so many others. */
  digits(entries = this.values.length): number {
    return entries > 4 ? 4 : 5;
  }

  /** Brings a value up to date. */
  set(index: number, text: string): void {
    const value = this.values[index];
    if (value) value.textContent = text;
  }
}

/** What a plot leaves out, with buttons that add it; null where that is nothing. */
export function hiddenNote(hidden: Hidden, add: (columns: readonly string[]) => void): HTMLElement | null {
  const { moving, still } = hidden;
  if (moving.length + still.length === 0) return null;
  const note = el("div", { class: "hidden-note" });
  const names = (columns: readonly string[]) => (columns.length <= 12 ? columns.join(", ") : `${columns.slice(0, 12).join(", ")}, …`);
  const offer = (columns: readonly string[], text: string) => {
    const made = button(`${text}: ${names(columns)}`, text, () => add(columns), { className: "small offer" });
    made.title = names(columns);
    note.append(made);
  };
  if (moving.length > 0) {
    note.append(el("span", {}, moving.length === 1 ? "1 more curve moves:" : `${moving.length} more curves move:`));
    if (moving.length > BATCH) offer(moving.slice(0, BATCH), `Add ${BATCH}`);
    offer(moving, moving.length === 1 ? `Add ${moving[0]!}` : moving.length > BATCH ? `Add all ${moving.length}` : `Add ${moving.length}`);
  }
  if (still.length > 0) {
    note.append(el("span", {}, still.length <= 3 ? `Hardly moving: ${still.join(", ")}` : `${still.length} hardly move:`));
    offer(still, still.length === 1 ? "Add" : `Add ${still.length}`);
  }
  return note;
}
