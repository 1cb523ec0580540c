/** Parameters and results of the runs, and what differs between them. */

import { type Row, differences, differs, parameterRows, parametrised } from "../data/compare.js";
import type { Run } from "../data/types.js";
import { el } from "./dom.js";
import { pretty } from "./units.js";
import { breakable, card, quantityText, runHeads, table } from "./table.js";

/** Most parameters that are seen without asking for them. */
const FEW = 14;

/** Most differences that are listed above the plots; the summary has all of them. */
const MOST_SHOWN = 3;

/** Most runs whose values are listed side by side there. */
const MOST_COLUMNS = 4;

function cells({ path, unit, values, derived }: Row): (string | HTMLElement)[] {
  const head = withUnit(breakable(path), unit);
  if (derived) head.append(el("i", { class: "derived", title: "follows from other parameters" }, " derived"));
  return [head, ...values.map((value) => quantityText(value, ""))];
}

/** A name with the unit of its values. */
function withUnit(name: HTMLElement, unit: string): HTMLElement {
  if (unit !== "1" && unit !== "") name.append(el("span", { class: "unit" }, ` ${pretty(unit)}`));
  return name;
}

/** What differs between several runs, as a table; null for a single one. */
export function differenceCard(runs: readonly Run[]): HTMLElement | null {
  if (runs.length < 2) return null;
  const rows = differences(runs);
  if (rows.length > 0) return card("What differs", table(runHeads(runs), rows.map(cells)));
  const known = parametrised(runs).filter(Boolean).length;
  const text = known > 1 ? "All parameters and settings are the same." : `${known === 1 ? "Only one" : "None"} of these recordings has parameters.`;
  return card("What differs", el("p", { class: "hint" }, text));
}

/** The same in a line or a few, for the top of the plots; null where nothing differs. */
export function differenceStrip(runs: readonly Run[], more: () => void): HTMLElement | null {
  const rows = runs.length > 1 ? differences(runs) : [];
  if (rows.length === 0) return null;
  const strip = el("div", { class: "strip", "aria-label": "What differs between the runs" });
  const shown = runs.length <= MOST_COLUMNS ? MOST_SHOWN : 0;
  for (const row of rows.slice(0, shown)) {
    const values = row.values.map((value, k) => el("b", { style: `--colour: var(--run-${k})`, title: runs[k]!.name }, quantityText(value, row.unit)));
    strip.append(el("div", {}, breakable(row.path), ...values));
  }
  if (rows.length > shown) {
    const left = rows.length - shown;
    const text = `${left}${shown > 0 ? " more" : ""} ${left === 1 ? "difference" : "differences"}${shown > 0 ? "" : " between the runs"}`;
    strip.append(el("button", { type: "button", class: "small offer", onclick: more }, text));
  }
  return strip;
}

/** Numbers that rigs come down to. */
export function resultCard(runs: readonly Run[]): HTMLElement | null {
  const names: [string, string][] = [];
  for (const [name, , unit] of runs.flatMap((run) => run.metrics)) if (!names.some(([known]) => known === name)) names.push([name, unit]);
  if (names.length === 0) return null;
  const value = (run: Run, name: string) => run.metrics.find(([known]) => known === name)?.[1] ?? null;
  const rows = names.map(([name, unit]) => [withUnit(el("span", {}, plain(name)), unit), ...runs.map((run) => quantityText(value(run, name), ""))]);
  return card("Results", table(runHeads(runs), rows));
}

/** `slip2.start` as `slip 2, start`. */
export function plain(name: string): string {
  return name.replaceAll("_", " ").replaceAll(/([a-z])(\d)/g, "$1 $2").replaceAll(".", ", ");
}

/** All parameters, with a field that searches them; null where none are recorded. */
export function parameterCard(runs: readonly Run[]): HTMLElement | null {
  const rows = parameterRows(runs);
  if (rows.length === 0) return null;
  const place = el("div", {});
  const known = parametrised(runs);
  const write = (search: string) => {
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    const found = rows.filter(({ path }) => words.every((word) => path.toLowerCase().includes(word)));
    const made = found.map((row) => cells(row));
    const body = table(runHeads(runs), made);
    body.querySelectorAll("tbody tr").forEach((line, k) => line.classList.toggle("differs", differs(found[k]!, known)));
    place.replaceChildren(found.length > 0 ? body : el("p", { class: "hint" }, "No parameter matches."));
  };
  if (rows.length <= FEW) {
    write("");
    return card("Parameters", place);
  }
  const search = el("input", { type: "search", placeholder: "Search parameters", "aria-label": "Search parameters", oninput: () => write(search.value) });
  const all: HTMLDetailsElement = el("details", { ontoggle: () => all.open && place.childElementCount === 0 && write("") }, el("summary", {}, `All ${rows.length} parameters`), search, place);
  return card("Parameters", all);
}
