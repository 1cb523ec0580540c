/** Curves that are computed from others: rates, differences, spectra. */

import { valueAt } from "./thin.js";

/**
 * Rate of change of samples at rising times: the slope of the parabola through neighbours, of second order for any spacing.
 * At the ends and beside a jump (two samples of one time) it is that of the line to the one neighbour; a sample between two
 * jumps has none.
 */
export function rate(times: ArrayLike<number>, values: ArrayLike<number>): Float64Array<ArrayBuffer> {
  const out = new Float64Array(times.length).fill(NaN);
  const slope = (i: number) => (values[i + 1]! - values[i]!) / (times[i + 1]! - times[i]!);
  for (let i = 0; i < times.length; i++) {
    const before = i > 0 ? times[i]! - times[i - 1]! : 0;
    const after = i + 1 < times.length ? times[i + 1]! - times[i]! : 0;
    if (before > 0 && after > 0) out[i] = (slope(i - 1) * after + slope(i) * before) / (before + after);
    else if (before > 0) out[i] = slope(i - 1);
    else if (after > 0) out[i] = slope(i);
  }
  return out;
}

/** Unit of the rate of a quantity. */
export function rateUnit(unit: string): string {
  if (unit === "s") return "1";
  const power = /^(.*)\/s(?:\^(\d+))?$/.exec(unit);
  if (power) return `${power[1]}/s^${Number(power[2] ?? 1) + 1}`;
  const [above, below] = unit.split("/");
  if (below === undefined) return `${unit}/s`;
  return `${above}/(${below.replace(/^\(|\)$/g, "")} s)`;
}

/** `values` less those of another run, on the line through its samples; nothing where that has none. */
export function lessThan(
  times: ArrayLike<number>,
  values: ArrayLike<number>,
  others: { readonly times: ArrayLike<number>; readonly values: ArrayLike<number> },
): Float64Array<ArrayBuffer> {
  return Float64Array.from({ length: times.length }, (_, i) => values[i]! - valueAt(others.times, others.values, times[i]!));
}

/** Amplitudes of a signal by frequency. */
export interface Spectrum {
  /** Hz, from 0, at equal distances. */
  readonly frequency: Float64Array<ArrayBuffer>;
  /** In the unit of the signal: a sine of amplitude `a` has a peak of `a` at its frequency. */
  readonly amplitude: Float64Array<ArrayBuffer>;
}

/** Most samples of a spectrum. */
const MOST = 1 << 17;

/**
 * Amplitude spectrum of samples at rising times: brought to equal distances on the line through them, without their mean,
 * under a Hann window. Samples that are not finite are left out. Fewer than four samples have none.
 */
export function spectrum(times: ArrayLike<number>, values: ArrayLike<number>): Spectrum {
  const [t, y]: [number[], number[]] = [[], []];
  for (let i = 0; i < times.length; i++) {
    if (!Number.isFinite(values[i]!)) continue;
    t.push(times[i]!);
    y.push(values[i]!);
  }
  const span = t.length > 0 ? t[t.length - 1]! - t[0]! : 0;
  if (t.length < 4 || !(span > 0)) return { frequency: new Float64Array(0), amplitude: new Float64Array(0) };
  // As many as there are, or a few more: a power of two.
  const n = Math.min(MOST, 2 ** Math.ceil(Math.log2(t.length)));
  // One period ends where the next would begin: the last sample would stand in for its first one.
  const step = span / n;
  const real = Float64Array.from({ length: n }, (_, k) => valueAt(t, y, t[0]! + k * step));
  const mean = real.reduce((sum, value) => sum + value, 0) / n;
  for (let k = 0; k < n; k++) real[k] = (real[k]! - mean) * 0.5 * (1 - Math.cos((2 * Math.PI * k) / n));
  const imaginary = new Float64Array(n);
  transform(real, imaginary);
  const half = n / 2 + 1;
  const frequency = Float64Array.from({ length: half }, (_, k) => k / span);
  // The mean of the window is a half; both signs of a frequency count together.
  const amplitude = Float64Array.from({ length: half }, (_, k) => {
    const both = k === 0 || k === n / 2 ? 1 : 2;
    return (both * Math.hypot(real[k]!, imaginary[k]!)) / (0.5 * n);
  });
  return { frequency, amplitude };
}

/** Discrete Fourier transform in place, of a length that is a power of two (Cooley and Tukey). */
export function transform(real: Float64Array, imaginary: Float64Array): void {
  const n = real.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i >= j) continue;
    [real[i], real[j]] = [real[j]!, real[i]!];
    [imaginary[i], imaginary[j]] = [imaginary[j]!, imaginary[i]!];
  }
  for (let size = 2; size <= n; size *= 2) {
    const half = size / 2;
    for (let k = 0; k < half; k++) {
      const angle = (-2 * Math.PI * k) / size;
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      for (let start = k; start < n; start += size) {
        const end = start + half;
        const x = real[end]! * c - imaginary[end]! * s;
        const y = real[end]! * s + imaginary[end]! * c;
        real[end] = real[start]! - x;
        imaginary[end] = imaginary[start]! - y;
        real[start] = real[start]! + x;
        imaginary[start] = imaginary[start]! + y;
      }
    }
  }
}
