/** Summary, results, parameters, solver statistics, energy balance, warnings and events of the recordings. */

import type { Happening } from "../data/events.js";
import type { Energy, Index, Run } from "../data/types.js";
import type { Player } from "../player.js";
import { digits, el } from "./dom.js";
import { eventCard } from "./event_list.js";
import { differenceCard, parameterCard, resultCard } from "./parameters.js";
import { breakable, card, notice, runHeads, table } from "./table.js";

/** Numbers of a run with their names and units. */
const MEASURES: readonly (readonly [key: string, label: string, unit: string])[] = [
  ["time", "simulated time", "s"],
  ["steps", "steps", ""],
  ["rejected", "rejected steps", ""],
  ["substeps", "divided steps", ""],
  ["evaluations", "evaluations", ""],
  ["iterations", "Newton iterations", ""],
  ["events", "events", ""],
  ["samples", "sampling instants", ""],
  ["drift", "constraint drift", ""],
  ["energy.residue", "energy residue", "J"],
  ["energy.relative_residue", "relative energy residue", ""],
];

export function facts(index: Index, happenings: readonly (readonly Happening[])[], player: Player): HTMLElement {
  const { runs } = index;
  const page = el("div", { class: "facts" });
  const add = (...cards: (HTMLElement | null)[]) => page.append(...cards.filter((made) => made !== null));
  const shown = new Set<string>();
  for (const run of runs) {
    for (const [title, text] of notices(run)) {
      // A notice of a recording with several runs is shown once.
      if (shown.has(title + text)) continue;
      shown.add(title + text);
      add(notice(`${prefix(runs, run)}${title}`, text));
    }
  }
  add(differenceCard(runs), resultCard(runs));
  // Kinematics and the like solve nothing.
  if (runs.some((run) => run.meta["method"] || run.meta["summary.steps"])) add(card("Solver", solver(runs)));
  for (const run of runs) if (run.energy) add(card(`${prefix(runs, run)}Energy balance`, energy(run.energy)));
  runs.forEach((run, k) => {
    if (run.events.length > 0) add(eventCard(run, happenings[k] ?? [], `${prefix(runs, run)}Events`, player));
  });
  add(parameterCard(runs), card("Recording", about(runs)));
  return page;
}

const prefix = (runs: readonly Run[], run: Run) => (runs.length > 1 ? `${run.name}: ` : "");

function notices({ meta, rows, recorded, elements }: Run): [title: string, text: string][] {
  const found: [string, string][] = [];
  if (meta["ended"]) found.push(["The run ended early", meta["ended"]]);
  if (meta["warnings"]) found.push(["Warnings about the model", meta["warnings"]]);
  if (rows < recorded) found.push(["Thinned", `This file has ${rows} of ${recorded} samples, with all extremes; gelenk view shows all of them.`]);
  if (elements && elements.shown < elements.recorded) {
    const text = `${elements.shown} of ${elements.recorded} contact elements are shown: those of some instants, each of them complete.`;
    found.push(["Contact elements", text]);
  }
  return found;
}

function solver(runs: readonly Run[]): HTMLElement {
  const rows: string[][] = [["method", ...runs.map((run) => run.meta["method"] ?? "–")]];
  if (runs.some((run) => run.meta["method.reason"])) {
    rows.push(["reason for the method", ...runs.map((run) => run.meta["method.reason"] ?? "–")]);
  }
  for (const [key, label, unit] of MEASURES) {
    const values = runs.map((run) => run.meta[`summary.${key}`]);
    if (values.every((value) => value === undefined || (value === "0" && key !== "drift"))) continue;
    const text = (value: string | undefined) => (value === undefined ? "–" : `${digits(Number(value), 4)} ${unit}`.trim());
    rows.push([label, ...values.map(text)]);
  }
  return table(runHeads(runs), rows, "texts");
}

function energy({ kinetic, accounts }: Energy): HTMLElement {
  const largest = Math.max(Math.abs(kinetic), ...accounts.map((account) => Math.abs(account.work)), 1e-300);
  const bar = (value: number) => {
    const share = (50 * Math.abs(value)) / largest;
    const start = value < 0 ? 50 - share : 50;
    const side = value < 0 ? "minus" : "plus";
    return el("span", { class: `bar ${side}`, style: `--start: ${start}%; --share: ${share}%`, title: `${value} J` });
  };
  const text = (value: number) => (Math.abs(value) < 1e-9 * largest ? "0" : digits(value, 5));
  const rows: (string | HTMLElement)[][] = accounts.map((account) => [
    breakable(account.name),
    bar(account.work),
    text(account.work),
    text(account.stored),
    account.conservative ? "" : text(account.lost),
  ]);
  rows.push(["kinetic", bar(kinetic), "", text(kinetic), ""]);
  return table(["", "", "work [J]", "stored [J]", "lost [J]"], rows);
}

function about(runs: readonly Run[]): HTMLElement {
  const hidden = /^(summary\.|method|title$|warnings$|ended$)/;
  const keys = [...new Set(runs.flatMap((run) => Object.keys(run.meta)))].filter((key) => !hidden.test(key));
  const rows = [
    ["samples", ...runs.map((run) => String(run.recorded))],
    ["columns", ...runs.map((run) => String(run.columns.length))],
    ...(runs.some((run) => run.elements) ? [["contact elements", ...runs.map((run) => String(run.elements?.recorded ?? 0))]] : []),
    ...keys.map((key) => [key, ...runs.map((run) => run.meta[key] ?? "–")]),
  ];
  return table(runHeads(runs), rows, "texts");
}
