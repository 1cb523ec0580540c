/** Contact elements by instant. */

import { upperBound } from "./thin.js";
import type { Source } from "./source.js";
import type { ElementsInfo } from "./types.js";

/** What colours show. */
export type Quantity = "pressure" | "traction";

export interface Element {
  readonly pair: number;
  /** 0 the first surface of the pair, 1 the second. */
  readonly surface: number;
  readonly triangle: number;
  /** N/m^2. */
  readonly pressure: number;
  readonly traction: number;
}

export class Elements {
  constructor(
    readonly info: ElementsInfo,
    private readonly lists: readonly Float64Array[],
  ) {}

  /** Those of a recording; null where it has none. */
  static async load(source: Source, run: number): Promise<Elements | null> {
    const info = source.index.runs[run]?.elements;
    return info ? new Elements(info, await source.elements(run)) : null;
  }

  /** Elements at the last instant that is not after `t` (s). */
  at(t: number): Element[] {
    const [times, starts, pair, surface, triangle, pressure, traction] = this.lists as Float64Array[];
    if (!times || !starts || !pair || !surface || !triangle || !pressure || !traction) return [];
    const after = upperBound(times, t);
    if (after === 0) return [];
    const found: Element[] = [];
    for (let row = starts[after - 1]!; row < starts[after]!; row++) {
      found.push({
        pair: pair[row]!,
        surface: surface[row]!,
        triangle: triangle[row]!,
        pressure: pressure[row]!,
        traction: traction[row]!,
      });
    }
    return found;
  }
}
