/** Colours for numbers: viridis, whose steps look equally large and rise in brightness for every kind of colour vision. */

const STOPS = ["#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30", "#fde725"];

const parse = (colour: string) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255) as [number, number, number];
const PARSED = STOPS.map(parse);

/** Red, green and blue, 0 to 1 as screens show them, of a share of the largest value. */
export function mapped(share: number): [number, number, number] {
  const place = Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)) * (PARSED.length - 1);
  const low = Math.min(PARSED.length - 2, Math.floor(place));
  const part = place - low;
  const [a, b] = [PARSED[low]!, PARSED[low + 1]!];
  return [0, 1, 2].map((k) => a[k]! + part * (b[k]! - a[k]!)) as [number, number, number];
}

/** The map as a gradient of the style sheet, smallest value first. */
export const GRADIENT = `linear-gradient(to right, ${STOPS.join(", ")})`;

/** A round number that is not smaller, so that a scale ends well. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value * (1 - 1e-9)) ?? value;
}

/** A unit of pressure that suits a value, and its size (N/m^2). */
export function pressureUnit(value: number): readonly [name: string, size: number] {
  if (value >= 1e9) return ["GPa", 1e9];
  if (value >= 1e6) return ["MPa", 1e6];
  if (value >= 1e3) return ["kPa", 1e3];
  return ["Pa", 1];
}
