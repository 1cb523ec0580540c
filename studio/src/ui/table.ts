/** Tables and cards of the summary. */

import type { Run } from "../data/types.js";
import { digits, el } from "./dom.js";
import { pretty } from "./units.js";

type Content = string | HTMLElement;

export function card(title: string, ...content: HTMLElement[]): HTMLElement {
  return el("section", { class: "card" }, el("h2", {}, title), ...content);
}

export function notice(title: string, text: string): HTMLElement {
  return el("section", { class: "card notice" }, el("h2", {}, title), el("pre", {}, text));
}

/** The first cell of a row is its head; a row without others is a heading. */
export function table(head: readonly Content[], rows: readonly (readonly Content[])[], kind: "numbers" | "texts" = "numbers"): HTMLElement {
  const cell = (content: Content, k: number) => (k === 0 ? el("th", { scope: "row" }, content) : el("td", {}, content));
  return el(
    "div",
    { class: `table ${kind}` },
    el(
      "table",
      {},
      head.some(Boolean) && el("thead", {}, el("tr", {}, ...head.map((content) => el("th", { scope: "col" }, content)))),
      el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map(cell)))),
    ),
  );
}

/** A name that may break behind its dots. */
export function breakable(name: string): HTMLElement {
  return el("span", {}, ...name.split(/(?<=[._-])/).flatMap((piece) => [piece, el("wbr", {})]));
}

/** Name of a run in its colour. */
export function runHead(run: Pick<Run, "name">, index: number): HTMLElement {
  return el("span", { class: "run-name", style: `--colour: var(--run-${index})` }, run.name);
}

/** Heads of a table with a column for every run; none where there is one run only. */
export function runHeads(runs: readonly Pick<Run, "name">[], ...last: string[]): Content[] {
  return runs.length > 1 ? ["", ...runs.map(runHead), ...last] : [];
}

/** A value of a parameter or a result. */
export function quantityText(value: number | string | null, unit: string): string {
  if (value === null) return "–";
  if (typeof value === "string") return value.replace(/^(-?)inf$/, "$1∞");
  return `${digits(value)}${unit === "1" || unit === "" ? "" : ` ${pretty(unit)}`}`;
}
