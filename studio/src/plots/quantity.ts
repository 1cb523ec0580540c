/** What a curve shows: a column, its rate, or a difference. */

import { rateUnit } from "../data/derive.js";
import type { Run } from "../data/types.js";

export interface Quantity {
  readonly column: string;
  /** Column that is taken away from it. */
  readonly minus?: string;
  /** Number of the run whose values are taken away from it. */
  readonly reference?: number;
  /** Its rate of change over time instead of itself. */
  readonly rate?: boolean;
}

/** The same for the same quantity, and only for it. */
export function keyOf({ column, minus, reference, rate }: Quantity): string {
  return JSON.stringify([column, minus ?? "", reference ?? -1, rate ?? false]);
}

/** Whether it is computed from what was recorded. */
export function isDerived({ minus, reference, rate }: Quantity): boolean {
  return minus !== undefined || reference !== undefined || rate === true;
}

/** The columns that it needs. */
export function columnsOf({ column, minus }: Quantity): string[] {
  return minus === undefined ? [column] : [column, minus];
}

/** Its name without that of a run, and the group that all names of a plot share left out. */
export function nameOf({ column, minus, rate }: Quantity, group = ""): string {
  const short = (name: string) => (name.startsWith(group) ? name.slice(group.length) : name);
  const difference = minus === undefined ? short(column) : `${short(column)} − ${short(minus)}`;
  if (!rate) return difference;
  return minus === undefined ? `d/dt ${difference}` : `d/dt (${difference})`;
}

/** Name of the run, or of two of them where one is taken away from the other. */
export function runName({ reference }: Quantity, run: number, runs: readonly Pick<Run, "name">[]): string {
  const name = runs[run]?.name ?? "";
  return reference === undefined ? name : `${name} − ${runs[reference]?.name ?? ""}`;
}

/** Unit of a quantity in a run; null where the run does not have its columns. */
export function unitOf(quantity: Quantity, run: Pick<Run, "columns">): string | null {
  const units = columnsOf(quantity).map((name) => run.columns.find(([known]) => known === name)?.[1]);
  const [unit] = units;
  if (unit === undefined || units.includes(undefined)) return null;
  return quantity.rate ? rateUnit(unit) : unit;
}

/** Why a quantity cannot be shown; null where it can. */
export function refusal(quantity: Quantity, runs: readonly Pick<Run, "columns" | "name">[]): string | null {
  for (const name of columnsOf(quantity)) {
    if (!runs.some((run) => run.columns.some(([known]) => known === name))) return `There is no column “${name}”.`;
  }
  const { column, minus, reference } = quantity;
  if (minus !== undefined) {
    const both = runs.find((run) => unitOf({ column }, run) !== null && unitOf({ column: minus }, run) !== null);
    if (!both) return `No run has both “${column}” and “${minus}”.`;
    const units = [column, minus].map((name) => unitOf({ column: name }, both)!);
    if (units[0] !== units[1]) return `“${column}” is in ${units[0]} and “${minus}” in ${units[1]}: a difference needs one unit.`;
  }
  if (reference === undefined) return null;
  const other = runs[reference];
  const unit = unitOf(quantity, other ?? { columns: [] });
  if (unit === null) return `${other?.name ?? "The other run"} has no column “${column}”.`;
  const own = runs.filter((_, run) => run !== reference).map((run) => [run, unitOf(quantity, run)] as const);
  if (own.some(([, known]) => known === unit)) return null;
  const [differs] = own.filter(([, known]) => known !== null);
  if (!differs) return `No other run has the column “${column}”.`;
  return `“${column}” is in ${unit} in ${other!.name} and in ${differs[1]} in ${differs[0].name}: a difference needs one unit.`;
}
