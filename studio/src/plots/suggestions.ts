/** Plots that a recording begins with. */

import type { Run } from "../data/types.js";

export interface Suggestion {
  readonly columns: string[];
  readonly x: string | null;
}

/** Most curves of a suggested plot. */
const MOST = 6;

/** The same where a plot is a list of values, because there is one instant only. */
const MOST_STILL = 60;

/** Chooses plots; `strongest` picks a number of columns out of many. */
export async function suggestions(
  run: Run,
  still: boolean,
  strongest: (columns: readonly string[], most: number) => Promise<string[]>,
): Promise<Suggestion[]> {
  const most = still ? MOST_STILL : MOST;
  const means = (...words: string[]) => run.columns.filter(([, , meaning]) => words.includes(meaning));
  const plots: Suggestion[] = [];
  // Of the same unit together: that makes one axis. A list of values is sorted by groups, too.
  const byUnit = (columns: readonly (readonly [string, string, string])[]) => {
    const groups = new Map<string, string[]>();
    for (const [name, unit] of columns) {
      const key = still && name.includes(".") ? `${unit} ${name.split(".")[0]!}` : unit;
      groups.set(key, [...(groups.get(key) ?? []), name]);
    }
    return [...groups.values()].map((names) => names.slice(0, most));
  };
  const coordinates = means("coordinate", "position");
  byUnit(coordinates).forEach((columns) => plots.push({ columns, x: null }));
  const frictions = means("resistance, positive against the motion");
  const rates = means("rate of a coordinate");
  if (frictions.length === 1 && rates.length === 1) {
    plots.push({ columns: [frictions[0]![0]], x: rates[0]![0] });
  } else if (frictions.length > 0) byUnit(frictions).forEach((columns) => plots.push({ columns, x: null }));
  const touches = run.columns.filter(([name, , meaning]) => name.startsWith("contacts.") && meaning === "magnitude of the force");
  if (touches.length > 0) plots.push({ columns: await strongest(touches.map(([name]) => name), most), x: null });
  const pressures = touches.length === 1 ? run.columns.filter(([name]) => /\.(mean|max)_pressure$/.test(name)) : [];
  if (pressures.length > 0) plots.push({ columns: pressures.map(([name]) => name), x: null });
  byUnit(means("output")).forEach((columns) => plots.push({ columns, x: null }));
  if (plots.length < 3 && rates.length > 0) plots.splice(1, 0, { columns: byUnit(rates)[0]!, x: null });
  const energies = run.columns.filter(([name]) => name.startsWith("energy.")).map(([name]) => name);
  if (energies.length > 0 && plots.length < 4) plots.push({ columns: energies, x: null });
  if (plots.length === 0) {
    const first = run.columns.slice(1, 1 + most).filter(([, unit]) => unit === run.columns[1]?.[1]);
    if (first.length > 0) plots.push({ columns: first.map(([name]) => name), x: null });
  }
  return plots.slice(0, 4);
}
