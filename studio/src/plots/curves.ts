/** Fetches what a plot shows. */

import { lessThan, rate, spectrum } from "../data/derive.js";
import type { Source, Wish } from "../data/source.js";
import { pick, thinRows } from "../data/thin.js";
import { columnsOf, isDerived, type Quantity, unitOf } from "./quantity.js";

/** What stands on the horizontal axis: time, frequency, or a column. */
export type Axis = { readonly kind: "time" } | { readonly kind: "frequency" } | { readonly kind: "column"; readonly column: string };

export const TIME: Axis = { kind: "time" };

/** A quantity of a run, ready to be drawn. */
export interface Series {
  readonly run: number;
  readonly quantity: Quantity;
  readonly unit: string;
  /** Times of the samples (s); those of a spectrum have none. */
  readonly times: Float64Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Every how many samples were left out on the way, where that matters: rates and spectra need all of them. */
  readonly stride: number;
}

/** Most samples from which rates, differences and spectra are computed. */
const MOST_SAMPLES = 200_000;

export class Curves {
  private readonly numbers: readonly ReadonlyMap<string, number>[];

  constructor(readonly source: Source) {
    this.numbers = source.index.runs.map((run) => new Map(run.columns.map(([name], k) => [name, k])));
  }

  /** Number of a column in a run. */
  numberOf(run: number, column: string): number | undefined {
    return this.numbers[run]?.get(column);
  }

  /** A quantity of a run in a range of time, thinned for about so many pixels; null where the run does not have it. */
  async fetch(quantity: Quantity, run: number, axis: Axis, range: readonly [number, number] | null, pixels: number): Promise<Series | null> {
    const unit = this.unit(quantity, run);
    const names = columnsOf(quantity).concat(axis.kind === "column" ? [axis.column] : []);
    const columns = names.map((name) => this.numberOf(run, name));
    if (unit === null || columns.includes(undefined)) return null;
    const bounds = range ? { from: range[0], to: range[1] } : {};
    const whole = isDerived(quantity) || axis.kind === "frequency";
    const wish: Wish = { ...bounds, ...(whole ? { every: MOST_SAMPLES } : { runs: pixels }) };
    const data = await this.source.rows(run, [0, ...(columns as number[])], wish);
    const times = data[0]!;
    const seen = { run, quantity, unit, stride: whole ? this.stride(run, range, times.length) : 1 };
    if (!whole) {
      const x = axis.kind === "column" ? data[data.length - 1]! : times;
      return { ...seen, times, x, y: data[1]! };
    }
    const y = await this.values(quantity, data, bounds);
    if (axis.kind === "frequency") {
      const inside = range ? within(times, y, range) : { times, y };
      const { frequency, amplitude } = spectrum(inside.times, inside.y);
      const rows = thinRows([frequency, amplitude], 0, frequency.length, pixels);
      return { ...seen, times: new Float64Array(0), x: pick(frequency, rows), y: pick(amplitude, rows) };
    }
    const x = axis.kind === "column" ? data[data.length - 1]! : times;
    const rows = thinRows([times, x, y], 0, times.length, pixels);
    return { ...seen, times: pick(times, rows), x: pick(x, rows), y: pick(y, rows) };
  }

  /** All samples of some quantities of a run in a range of time, beside their times. */
  async table(quantities: readonly Quantity[], run: number, range: readonly [number, number] | null, most: number): Promise<Float64Array[]> {
    const bounds = range ? { from: range[0], to: range[1] } : {};
    const names = [...new Set(quantities.flatMap(columnsOf))];
    const data = await this.source.rows(run, [0, ...names.map((name) => this.numberOf(run, name)!)], { ...bounds, every: most });
    const own = (name: string) => data[1 + names.indexOf(name)]!;
    const computed = quantities.map((quantity) => this.values(quantity, [data[0]!, ...columnsOf(quantity).map(own)], bounds));
    return [data[0]!, ...(await Promise.all(computed))];
  }

  /** Values of a quantity out of times and the columns that it needs. */
  private async values(quantity: Quantity, [times, first, second]: readonly Float64Array[], bounds: Wish): Promise<Float64Array> {
    const { minus, reference } = quantity;
    let values = first!;
    if (minus !== undefined) values = values.map((value, i) => value - second![i]!);
    if (quantity.rate) values = rate(times!, values);
    if (reference === undefined) return values;
    const columns = columnsOf(quantity).map((name) => this.numberOf(reference, name)!);
    const data = await this.source.rows(reference, [0, ...columns], { ...bounds, every: MOST_SAMPLES });
    const { reference: _, ...own } = quantity;
    return lessThan(times!, values, { times: data[0]!, values: await this.values(own, data, bounds) });
  }

  /** Unit of a quantity in a run; null where the run does not have it, or has nothing of that unit to be compared with. */
  unit(quantity: Quantity, run: number): string | null {
    const { runs } = this.source.index;
    const { reference } = quantity;
    const unit = unitOf(quantity, runs[run]!);
    if (reference === undefined) return unit;
    return reference === run || unitOf(quantity, runs[reference]!) !== unit ? null : unit;
  }

  /** How many recorded samples there are for each that was taken. */
  private stride(run: number, range: readonly [number, number] | null, taken: number): number {
    const { span, recorded, rows } = this.source.index.runs[run]!;
    if (!span || taken < 2) return 1;
    const share = range ? Math.min(1, (Math.min(range[1], span[1]) - Math.max(range[0], span[0])) / (span[1] - span[0] || 1)) : 1;
    if (recorded <= rows && recorded * share <= MOST_SAMPLES) return 1;
    return Math.max(1, Math.round((recorded * share) / taken));
  }
}

/** Samples inside of a range of time: those beside it are there for lines that lead out of it. */
function within(times: Float64Array, y: Float64Array, [from, to]: readonly [number, number]): { times: Float64Array; y: Float64Array } {
  const first = times.findIndex((t) => t >= from);
  let end = times.length;
  while (end > 0 && times[end - 1]! > to) end--;
  return first < 0 ? { times: times.slice(0, 0), y: y.slice(0, 0) } : { times: times.slice(first, end), y: y.slice(first, end) };
}
