/** Colours of curves: those of Okabe and Ito, which colour-blind people tell apart, darker or lighter for the page. */

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b0558f", "#a97c00", "#2f9fd8", "#7a4fb5", "#5b6770"];
const DARK = ["#56b4e9", "#ff9a52", "#2fcf9f", "#e59bc6", "#e6c229", "#8fd0ff", "#b79bf0", "#b8c0c8"];

export function curveColour(index: number, dark: boolean): string {
  const colours = dark ? DARK : LIGHT;
  return colours[index % colours.length]!;
}

/** Strokes and gaps of a run's curves (px). */
export const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
