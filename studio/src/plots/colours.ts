/** Colours of curves: those of Okabe and Ito, which colour-blind people tell apart, darker or lighter for the page. */

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b0558f", "#a97c00", "#2b93c9", "#7a4fb5", "#5b6770", "#c2334d", "#6b8e23", "#8c564b", "#17807e"];
const DARK = ["#56b4e9", "#ff9a52", "#2fcf9f", "#e59bc6", "#e6c229", "#8fd0ff", "#b79bf0", "#b8c0c8", "#ff7f93", "#b5d46a", "#d2a08f", "#6fd6d2"];

export function curveColour(index: number, dark: boolean): string {
  const colours = dark ? DARK : LIGHT;
  return colours[index % colours.length]!;
}

/** Strokes and gaps of curves (px): of further columns beside several runs, and where colours are used up. */
const DASHES: readonly (readonly number[])[] = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

export interface Style {
  readonly colour: string;
  readonly dash: readonly number[];
}

/**
 * Colour and dash of a curve: the quantity's place in its plot and the number of its run. A single run has a colour for each
 * quantity; of several runs each has its own colour everywhere, and further quantities of a plot are dashed.
 */
export function styleOf(quantity: number, run: number, runs: number, dark: boolean): Style {
  const [hue, other] = runs > 1 ? [run, quantity] : [quantity, 0];
  const dash = DASHES[(other + Math.floor(hue / LIGHT.length)) % DASHES.length]!;
  return { colour: curveColour(hue, dark), dash };
}
