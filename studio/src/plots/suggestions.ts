/** Plots that a page begins with: what moves first, and nothing hidden in silence. */

import type { Column, Run } from "../data/types.js";

/** Columns that a plot leaves out at first. */
export interface Hidden {
  /** They move, but there is no room for them. */
  readonly moving: readonly string[];
  /** They hardly move, or not at all. */
  readonly still: readonly string[];
}

export interface Suggestion {
  /** What it shows, for the button that adds it. */
  readonly title: string;
  readonly columns: readonly string[];
  readonly hidden: Hidden;
  /** Column of the horizontal axis; time where there is none. */
  readonly x: string | null;
}

/** Most curves of a suggested plot. */
const MOST = 6;

/** A column hardly moves where its range is this small a share of the widest one beside it. */
const HARDLY = 0.04;

/** A range that is this small a share of the values themselves is rounding. */
const ROUNDING = 1e-12;

type Described = Pick<Run, "columns" | "ranges">;

/** Groups of columns in the order in which they tell something about a motion. */
const GROUPS: readonly (readonly [title: string, fits: (column: Column) => boolean])[] = [
  ["position", ([, , meaning]) => /^(coordinate|position)\b/.test(meaning)],
  ["friction", ([name, , meaning]) => /^(resistance|friction)\b/.test(meaning) && !/\.[xyz]$/.test(name)],
  ["contact force", ([name, , meaning]) => name.startsWith("contacts.") && meaning === "magnitude of the force"],
  ["pressure", ([name]) => /\.(mean|max)_pressure$/.test(name)],
  ["output", ([, , meaning]) => meaning === "output"],
  ["velocity", ([, , meaning]) => /^(rate of a coordinate|velocity)\b/.test(meaning)],
  ["energy", ([name]) => name.startsWith("energy.") || name.endsWith(".energy")],
];

/** Poses of bodies are drawn in the scene, and the time is the axis. */
const SEEN = /^(?:.*\.)?bodies\.[^.]+\.(?:x|y|z|qw|qx|qy|qz)$/;

/** The output that a measured column of a fit, such as `measured.phi` or `measured.phi (2)`, is compared with. */
const comparedWith = (name: string): string | null => /^measured\.(.+?)(?: \(\d+\))?$/.exec(name)?.[1] ?? null;

/** How far columns move in any of the runs; null where that is not known. */
function widths(runs: readonly Described[]): Map<string, number | null> {
  const found = new Map<string, number | null>();
  for (const run of runs) {
    run.columns.forEach(([name], k) => {
      const range = run.ranges[k];
      const known = found.get(name);
      if (!range) return void found.set(name, known ?? null);
      const width = range[1] - range[0];
      const moves = width > ROUNDING * Math.max(Math.abs(range[0]), Math.abs(range[1]));
      found.set(name, Math.max(known ?? 0, moves ? width : 0));
    });
  }
  return found;
}

/** Columns of all runs, each once, the first run's first. */
function together(runs: readonly Described[]): Column[] {
  const found = new Map<string, Column>();
  for (const run of runs) for (const column of run.columns.slice(1)) if (!found.has(column[0])) found.set(column[0], column);
  return [...found.values()].filter(([name]) => !SEEN.test(name));
}

/** The columns of one unit, sorted into those that are shown and those that are not. */
function sorted(columns: readonly Column[], width: ReadonlyMap<string, number | null>, most: number): Omit<Suggestion, "title" | "x"> {
  const names = columns.map(([name]) => name);
  const wide = (name: string) => width.get(name) ?? -1;
  const widest = Math.max(0, ...names.map(wide));
  // What is not known may move; it comes last.
  const moves = names.filter((name) => wide(name) < 0 || wide(name) > HARDLY * widest);
  const ranked = [...moves].sort((a, b) => wide(b) - wide(a) || moves.indexOf(a) - moves.indexOf(b));
  const chosen = new Set(ranked.slice(0, most));
  return {
    columns: names.filter((name) => chosen.has(name)),
    hidden: { moving: ranked.slice(most), still: names.filter((name) => !moves.includes(name)) },
  };
}

/** The groups of columns that move, each of one unit, in the order in which they are shown. */
function groups(runs: readonly Described[], most: number): Suggestion[] {
  const width = widths(runs);
  const columns = together(runs);
  const plots: Suggestion[] = [];
  const taken = new Set<string>();
  const add = (title: string, own: readonly Column[]) => {
    const units = new Map<string, Column[]>();
    for (const column of own) {
      taken.add(column[0]);
      units.set(column[1], [...(units.get(column[1]) ?? []), column]);
    }
    for (const alike of units.values()) {
      const plot = sorted(alike, width, most);
      if (plot.columns.length > 0) plots.push({ title, ...plot, x: null });
    }
  };
  const byName = new Map(columns.map((column) => [column[0], column]));
  // What was measured is with what it is compared with.
  const same = (column: Column) => byName.get(comparedWith(column[0]) ?? "") ?? column;
  for (const [title, fits] of GROUPS) add(title, columns.filter((column) => fits(same(column)) || fits(column)));
  // A table of another program, whose columns have no meanings, is shown next to a run, too.
  const strange = runs.filter((run) => plots.length > 0 && !run.columns.some((column) => GROUPS.some(([, fits]) => fits(column))));
  const meant = plots.length;
  add("columns", together(strange).filter(([name]) => !taken.has(name)));
  plots.splice(1, 0, ...plots.splice(meant));
  // Of contacts with a pressure each, the force says enough.
  const touches = plots.find(({ title }) => title === "contact force");
  const rest = touches && touches.columns.length > 1 ? plots.filter(({ title }) => title !== "pressure") : plots;
  if (rest.length === 0) add("columns", columns.filter(([name]) => !taken.has(name)));
  return rest.length > 0 ? rest : plots;
}

/** Friction over what moves it, where there is one of each: over the position where the motion goes back and forth, and over
 * the velocity where it has one direction, whichever is looked at first. */
function phases(runs: readonly Described[], plots: readonly Suggestion[]): Suggestion[] {
  const friction = plots.find(({ title }) => title === "friction");
  const [column] = friction?.columns ?? [];
  if (!friction || !column || friction.columns.length + friction.hidden.moving.length !== 1) return [];
  const all = together(runs);
  const only = (pattern: RegExp) => {
    const found = all.filter(([, , meaning]) => pattern.test(meaning));
    return found.length === 1 ? found[0]![0] : null;
  };
  const [position, velocity] = [only(/^(coordinate|position)$/), only(/^(rate of a coordinate|velocity)\b/)];
  const reverses = runs.some((run) => {
    const range = run.ranges[run.columns.findIndex(([name]) => name === velocity)];
    return range ? Math.min(-range[0], range[1]) > 0.05 * Math.max(-range[0], range[1]) : false;
  });
  const over = reverses ? [position, velocity] : [velocity, position];
  return over.flatMap((x) => (x ? [{ title: `friction over ${x}`, columns: [column], hidden: { moving: [], still: [] }, x }] : []));
}

/** Chooses plots for one run: columns of one unit together. */
function forOne(run: Described): Suggestion[] {
  const plots = groups([run], MOST);
  const [first, ...others] = phases([run], plots);
  const friction = plots.findIndex(({ title }) => title === "friction");
  if (first) plots.splice(friction, 0, first);
  return [...plots, ...others];
}

/** Chooses plots for several runs: a plot for every column, so that colours tell the runs apart; the most telling columns first. */
function forSeveral(runs: readonly Described[]): Suggestion[] {
  const found = groups(runs, Infinity);
  const [first, ...others] = phases(runs, found);
  const plots: Suggestion[] = [];
  for (let k = 0; k < Math.max(0, ...found.map(({ columns }) => columns.length)); k++) {
    for (const { columns: all, title } of found) {
      const columns = all.filter((name) => !all.includes(comparedWith(name) ?? ""));
      const column = columns[k];
      if (column === undefined) continue;
      // Where the log itself is shown, it need not be shown twice.
      const has = (run: Described, wanted: string) => run.columns.some(([name]) => name === wanted);
      const partners = all.filter((name) => comparedWith(name) === column);
      const measured = partners.filter((name) => runs.every((run) => !has(run, column) || has(run, name)));
      plots.push({ title: column, columns: [column, ...measured], hidden: { moving: [], still: [] }, x: null });
      if (k === 0 && title === "friction" && first) plots.push(first);
    }
  }
  return [...plots, ...others];
}

/** Plots for runs, the most telling first. */
export function suggestions(runs: readonly Described[]): Suggestion[] {
  return runs.length > 1 ? forSeveral(runs) : runs[0] ? forOne(runs[0]) : [];
}
