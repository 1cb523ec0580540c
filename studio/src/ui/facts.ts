/** Summary, solver statistics, energy balance, warnings and events of the recordings. */

import type { Energy, Index, Run } from "../data/types.js";
import type { Player } from "../player.js";
import { digits, el } from "./dom.js";

/** Numbers of a run with their names and units. */
const MEASURES: readonly (readonly [key: string, label: string, unit: string])[] = [
  ["time", "simulated time", "s"],
  ["steps", "steps", ""],
  ["rejected", "rejected steps", ""],
  ["substeps", "steps by cutting", ""],
  ["evaluations", "evaluations", ""],
  ["iterations", "Newton iterations", ""],
  ["events", "events", ""],
  ["samples", "sampling instants", ""],
  ["drift", "drift off the constraints", ""],
  ["energy.residue", "energy residue", "J"],
  ["energy.relative_residue", "of what was exchanged", ""],
];

/** Most events that are listed. */
const MOST_EVENTS = 500;

export function facts(index: Index, player: Player): HTMLElement {
  const { runs } = index;
  const page = el("div", { class: "facts" });
  for (const run of runs) {
    const ended = run.meta["ended"];
    if (ended) page.append(notice(`${prefix(runs, run)}The run ended early`, ended));
    const warnings = run.meta["warnings"];
    if (warnings) page.append(notice(`${prefix(runs, run)}Warnings of the model`, warnings));
    if (run.rows < run.recorded) {
      const text = `${run.rows} of ${run.recorded} samples are in this file, extremes kept; gelenk view shows all.`;
      page.append(notice(`${prefix(runs, run)}Thinned`, text));
    }
    const { elements } = run;
    if (elements && elements.shown < elements.recorded) {
      const text = `${elements.shown} of ${elements.recorded} contact elements are shown: those of some instants, each with all of its own.`;
      page.append(notice(`${prefix(runs, run)}Contact elements`, text));
    }
  }
  // Kinematics and the like solve nothing.
  if (runs.some((run) => run.meta["method"] || run.meta["summary.steps"])) page.append(card("Solver", solver(runs)));
  for (const run of runs) {
    if (run.energy) page.append(card(`${prefix(runs, run)}Energy balance`, energy(run.energy)));
  }
  for (const run of runs) {
    if (run.events.length > 0) page.append(card(`${prefix(runs, run)}Events`, eventList(run, player)));
  }
  page.append(card("Recording", about(runs)));
  return page;
}

const prefix = (runs: readonly Run[], run: Run) => (runs.length > 1 ? `${run.name}: ` : "");

function card(title: string, ...content: HTMLElement[]): HTMLElement {
  return el("section", { class: "card" }, el("h2", {}, title), ...content);
}

function notice(title: string, text: string): HTMLElement {
  return el("section", { class: "card notice" }, el("h2", {}, title), el("pre", {}, text));
}

function table(head: readonly string[], rows: readonly (readonly (string | HTMLElement)[])[]): HTMLElement {
  const cell = (tag: "td" | "th", content: string | HTMLElement, k: number) => el(tag, k === 0 ? { scope: "row" } : {}, content);
  return el(
    "table",
    {},
    head.some(Boolean) && el("thead", {}, el("tr", {}, ...head.map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, ...rows.map((row) => el("tr", {}, ...row.map((content, k) => cell(k === 0 ? "th" : "td", content, k))))),
  );
}

/** A name that may break behind its dots. */
function breakable(name: string): HTMLElement {
  return el("span", {}, ...name.split(/(?<=[._-])/).flatMap((piece) => [piece, el("wbr", {})]));
}

function solver(runs: readonly Run[]): HTMLElement {
  const rows: string[][] = [["method", ...runs.map((run) => run.meta["method"] ?? "–")]];
  if (runs.some((run) => run.meta["method.reason"])) {
    rows.push(["picked because", ...runs.map((run) => run.meta["method.reason"] ?? "–")]);
  }
  for (const [key, label, unit] of MEASURES) {
    const values = runs.map((run) => run.meta[`summary.${key}`]);
    if (values.every((value) => value === undefined || (value === "0" && key !== "drift"))) continue;
    const text = (value: string | undefined) => (value === undefined ? "–" : `${digits(Number(value), 4)} ${unit}`.trim());
    rows.push([label, ...values.map(text)]);
  }
  return table(runs.length > 1 ? ["", ...runs.map((run) => run.name)] : [], rows);
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

function eventList(run: Run, player: Player): HTMLElement {
  const list = el("ol", { class: "events" });
  for (const [t, element, what] of run.events.slice(0, MOST_EVENTS)) {
    const go = () => player.seek(t);
    list.append(
      el("li", {}, el("button", { type: "button", onclick: go }, el("b", {}, `${digits(t, 7)} s`), ` ${element} `, el("em", {}, what))),
    );
  }
  if (run.eventCount > MOST_EVENTS) list.append(el("li", { class: "hint" }, `and ${run.eventCount - MOST_EVENTS} more`));
  return list;
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
  return table(runs.length > 1 ? ["", ...runs.map((run) => run.name)] : [], rows);
}
