/** Fewer rows, extremes kept: what `gelenk view` does on its side, for numbers that are already here. */

/** Index of the first entry of rising `times` that is not before `t`. */
export function lowerBound(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Index behind the last entry of rising `times` that is not after `t`. */
export function upperBound(times: ArrayLike<number>, t: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Rows of `start..end` that a drawing of these columns needs, in rising order.
 *
 * Of every run of neighbours the ends stay, the smallest and largest value of each column, and where it stops or begins
 * to be finite. Few rows stay all.
 */
export function thinRows(
  columns: readonly Float64Array[],
  start: number,
  end: number,
  runs: number,
): Uint32Array<ArrayBuffer> {
  const rows = Math.max(0, end - start);
  if (rows <= 4 * Math.max(1, runs)) {
    return Uint32Array.from({ length: rows }, (_, i) => start + i);
  }
  const size = Math.ceil(rows / Math.max(1, runs));
  const kept: number[] = [];
  const own: number[] = [];
  for (let from = start; from < end; from += size) {
    const to = Math.min(from + size, end);
    own.length = 0;
    own.push(from, to - 1);
    for (const values of columns) mark(values, from, to, own);
    own.sort((a, b) => a - b);
    for (let i = 0; i < own.length; i++) if (i === 0 || own[i] !== own[i - 1]) kept.push(own[i]!);
  }
  return Uint32Array.from(kept);
}

function mark(values: Float64Array, from: number, to: number, kept: number[]): void {
  let low = -1;
  let high = -1;
  let smallest = Infinity;
  let largest = -Infinity;
  let before = true;
  for (let i = from; i < to; i++) {
    const value = values[i]!;
    const finite = value - value === 0;
    if (finite !== before) {
      kept.push(i);
      before = finite;
    }
    if (!finite) continue;
    if (value < smallest) {
      smallest = value;
      low = i;
    }
    if (value > largest) {
      largest = value;
      high = i;
    }
  }
  if (low >= 0) kept.push(low, high);
}

/** The chosen rows of a column. */
export function pick(values: Float64Array, rows: Uint32Array): Float64Array<ArrayBuffer> {
  const out = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) out[i] = values[rows[i]!]!;
  return out;
}

/** Value at time `t` on the line through samples; after a jump the later value; `NaN` outside. */
export function valueAt(times: ArrayLike<number>, values: ArrayLike<number>, t: number): number {
  const n = times.length;
  if (n === 0 || t < times[0]! || t > times[n - 1]!) return NaN;
  const after = upperBound(times, t);
  const i = after - 1;
  if (after >= n || times[i] === t) return values[i]!;
  const part = (t - times[i]!) / (times[after]! - times[i]!);
  return values[i]! * (1 - part) + values[after]! * part;
}
