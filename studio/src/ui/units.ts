/** Units as people write them. */

const RAISED: Readonly<Record<string, string>> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

/** An exponent in small raised digits. */
export function superscript(exponent: number): string {
  return [...String(exponent)].map((digit) => RAISED[digit] ?? digit).join("");
}

/** `N/m^2` with its exponent raised. */
export function pretty(unit: string): string {
  return unit.replace(/\^(-?\d+)/g, (_, exponent: string) => superscript(Number(exponent)));
}
