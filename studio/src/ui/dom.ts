/** Small helpers for elements. */

type Child = Node | string | null | undefined | false;

/** An element with attributes, listeners (`onclick`) and children. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | boolean | number | ((event: Event) => void) | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

/** An icon of a few strokes, drawn in a box of 24 units. */
export function icon(path: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const stroke = document.createElementNS(space, "path");
  stroke.setAttribute("d", path);
  svg.append(stroke);
  return svg;
}

/** A button with an icon or a text. */
export function button(
  label: string,
  content: string | SVGSVGElement,
  press: (event: Event) => void,
  options: { readonly className?: string; readonly key?: string } = {},
): HTMLButtonElement {
  const title = options.key ? `${label} (${options.key})` : label;
  return el("button", { type: "button", title, "aria-label": label, class: options.className, onclick: press }, content);
}

/** A number with about six digits that fits into a table. */
export function digits(value: number, count = 6): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e7) {
    const text = value.toPrecision(count);
    return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : String(Number(text));
  }
  return value.toExponential(Math.max(0, count - 2)).replace(/\.?0+e/, "e").replace("e+", "e");
}

/** Hands a file to the reader of the page. */
export function download(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M8 5v14M16 5v14",
  back: "M18 6l-8 6 8 6zM7 6v12",
  forward: "M6 6l8 6-8 6zM17 6v12",
  loop: "M17 3l3 3-3 3M20 6H8a4 4 0 0 0-4 4v1M7 21l-3-3 3-3M4 18h12a4 4 0 0 0 4-4v-1",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  close: "M6 6l12 12M18 6L6 18",
  plus: "M12 5v14M5 12h14",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  arrow: "M5 19L19 5M10 5h9v9",
  grid: "M4 4h16v16H4zM4 12h16M12 4v16",
  axes: "M12 13V3M12 13l8 5M12 13l-8 5",
  trace: "M3 17c4-10 8 6 12-4 2-5 4-6 6-6",
  target: "M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM12 2v5M12 17v5M2 12h5M17 12h5",
  elements: "M3 18L9 7l6 11zM9 7h12l-6 11M15 18l6-11",
  home: "M4 11l8-7 8 7M6 10v10h12V10",
} as const;
