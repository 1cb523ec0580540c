/** What differs between runs. */

import type { Parameter, Run } from "./types.js";

/** A parameter with its value in every run; null where a run does not have it. */
export interface Row {
  readonly path: string;
  readonly unit: string;
  readonly values: readonly (number | string | null)[];
  readonly derived: boolean;
}

type Described = Pick<Run, "parameters" | "meta">;

/** The parameters of all runs, each once, in the order in which the runs have them. */
export function parameterRows(runs: readonly Described[]): Row[] {
  const known = runs.map((run) => new Map(run.parameters.map((parameter) => [parameter[0], parameter])));
  const paths: string[] = [];
  const seen = new Set<string>();
  for (const run of runs) {
    let place = paths.length;
    for (const [path] of run.parameters) {
      if (seen.has(path)) place = paths.indexOf(path) + 1;
      else {
        // Behind what it stands behind in its own run: a law keeps its parameters together.
        seen.add(path);
        paths.splice(place++, 0, path);
      }
    }
  }
  return paths.map((path) => {
    const own = known.map((parameters) => parameters.get(path));
    const any = own.find((parameter): parameter is Parameter => parameter !== undefined)!;
    const derived = own.every((parameter) => parameter === undefined || parameter[3] === true);
    return { path, unit: any[2], values: own.map((parameter) => parameter?.[1] ?? null), derived };
  });
}

/** Whether the runs that `known` says something about differ; a table of another program has nothing to differ in. */
export function differs({ values }: Pick<Row, "values">, known: readonly boolean[]): boolean {
  const present = values.filter((_, run) => known[run]);
  return present.some((value) => value !== present[0]);
}

/** Which runs have parameters. */
export const parametrised = (runs: readonly Described[]): boolean[] => runs.map((run) => run.parameters.length > 0);

/** Settings of the runs that differ: parameters that were given, not those that follow from them, and the solver. */
export function differences(runs: readonly Described[]): Row[] {
  const known = parametrised(runs);
  const rows = parameterRows(runs).filter((row) => !row.derived && differs(row, known));
  // Runs of older programs have no parameters, but a solver.
  const solved = runs.map((run, k) => known[k]! || run.meta["method"] !== undefined);
  for (const [key, label] of [["method", "solver"], ["title", "title"]] as const) {
    const row: Row = { path: label, unit: "", values: runs.map((run) => run.meta[key] ?? null), derived: false };
    if (differs(row, solved)) rows.push(row);
  }
  return rows;
}
