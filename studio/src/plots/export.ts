/** Plots as files. */

import { pretty } from "../ui/units.js";
import { alone, type Chart, type Curve } from "./chart.js";

/** A cell of a table; texts with separators stand in quotes. */
function cell(text: string): string {
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Columns side by side, shorter ones with empty cells at their end. */
export function csv(columns: readonly { readonly name: string; readonly values: ArrayLike<number> }[]): string {
  const rows = Math.max(0, ...columns.map((column) => column.values.length));
  const lines = [columns.map((column) => cell(column.name)).join(",")];
  for (let i = 0; i < rows; i++) {
    lines.push(columns.map(({ values }) => (i < values.length ? String(values[i]) : "")).join(","));
  }
  return `${lines.join("\n")}\n`;
}

const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const legendText = ({ label, unit }: Curve) => label + (unit === "1" ? "" : ` [${pretty(unit)}]`);

/** Where the entries of a legend stand above a plot of this width, side by side as far as they fit, and its height (px). */
function legendPlaces(curves: readonly Curve[], width: number): { places: [x: number, y: number][]; head: number } {
  const longest = Math.max(0, ...curves.map((curve) => legendText(curve).length));
  const across = Math.max(1, Math.floor((width - 12) / (34 + 6.6 * longest)));
  const rows = Math.ceil(curves.length / across);
  const step = (width - 12) / across;
  const places = curves.map((_, k): [number, number] => [12 + step * (k % across), 16 + 18 * Math.floor(k / across)]);
  return { places, head: 18 * rows + 8 };
}

/** The plot as it is seen, as SVG. */
export function svg(chart: Chart, colours: { readonly text: string; readonly grid: string; readonly paper: string }): string {
  const { plot, state } = chart;
  const ratio = plot.width / plot.ctx.canvas.width;
  const area = {
    left: plot.bbox.left * ratio,
    top: plot.bbox.top * ratio,
    width: plot.bbox.width * ratio,
    height: plot.bbox.height * ratio,
  };
  const { places, head } = legendPlaces(state.curves, plot.width);
  const out: string[] = [];
  const number = (value: number) => value.toFixed(2).replace(/\.?0+$/, "");
  out.push(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${plot.width}" height="${plot.height + head}" font-family="system-ui, sans-serif" font-size="11">`,
    `<rect width="100%" height="100%" fill="${colours.paper}"/>`,
    `<g transform="translate(0 ${head})">`,
    `<clipPath id="area"><rect x="${number(area.left)}" y="${number(area.top)}" width="${number(area.width)}" height="${number(area.height)}"/></clipPath>`,
  );
  plot.axes.forEach((axis, k) => {
    const inner = axis as unknown as { _splits?: number[]; _values?: (string | null)[] };
    (inner._splits ?? []).forEach((value, i) => {
      const text = escape(inner._values?.[i] ?? "");
      if (k === 0) {
        const x = number(area.left + plot.valToPos(value, "x"));
        out.push(`<path d="M${x} ${number(area.top)}v${number(area.height + 4)}" stroke="${colours.grid}"/>`);
        out.push(`<text x="${x}" y="${number(area.top + area.height + 16)}" text-anchor="middle" fill="${colours.text}">${text}</text>`);
        return;
      }
      const y = number(area.top + plot.valToPos(value, `y${k - 1}`));
      const left = k === 1;
      if (left) out.push(`<path d="M${number(area.left - 4)} ${y}h${number(area.width + 4)}" stroke="${colours.grid}"/>`);
      const x = number(left ? area.left - 7 : area.left + area.width + 7 + 50 * (k - 2));
      out.push(`<text x="${x}" y="${y}" dy="4" text-anchor="${left ? "end" : "start"}" fill="${colours.text}">${text}</text>`);
    });
  });
  const [xLabel, ...yLabels] = chart.labels;
  out.push(
    `<text x="${number(area.left + area.width / 2)}" y="${number(area.top + area.height + 34)}" text-anchor="middle" fill="${colours.text}">${escape(xLabel)}</text>`,
  );
  yLabels.forEach((label, k) => {
    const x = number(k === 0 ? 12 : area.left + area.width + 50 * k + 8);
    const turn = `translate(${x} ${number(area.top + area.height / 2)}) rotate(-90)`;
    out.push(`<text transform="${turn}" text-anchor="middle" fill="${colours.text}">${escape(label)}</text>`);
  });
  for (const curve of state.curves) {
    const map = chart.mapping(curve, false);
    let path = "";
    let pen = false;
    for (let i = 0; i < curve.x.length; i++) {
      const [x, y] = [area.left + map.x(curve.x[i]!), area.top + map.y(curve.y[i]!)];
      if (!Number.isFinite(x + y)) pen = false;
      else {
        path += `${pen ? "L" : "M"}${number(x)} ${number(y)}`;
        pen = true;
      }
    }
    const dash = curve.dash.length > 0 ? ` stroke-dasharray="${curve.dash.join(" ")}"` : "";
    out.push(`<path d="${path}" fill="none" stroke="${curve.colour}" stroke-width="1.5" stroke-linejoin="round" clip-path="url(#area)"${dash}/>`);
    for (const i of alone(curve)) {
      const [x, y] = [area.left + map.x(curve.x[i]!), area.top + map.y(curve.y[i]!)];
      out.push(`<circle cx="${number(x)}" cy="${number(y)}" r="2.2" fill="${curve.colour}" clip-path="url(#area)"/>`);
    }
  }
  for (const { x, colour } of state.marks) {
    const at = area.left + plot.valToPos(x, "x");
    out.push(`<path d="M${number(at - 3.5)} ${number(area.top)}h7l-3.5 5.6z" fill="${colour}"/>`);
  }
  out.push("</g>");
  state.curves.forEach((curve, k) => {
    const [x, y] = places[k]!;
    const text = escape(legendText(curve));
    out.push(`<path d="M${number(x)} ${y - 4}h22" stroke="${curve.colour}" stroke-width="2" stroke-dasharray="${curve.dash.join(" ")}"/>`);
    out.push(`<text x="${number(x + 28)}" y="${y}" fill="${colours.text}">${text}</text>`);
  });
  out.push("</svg>\n");
  return out.join("\n");
}

/** The plot as it is seen with its legend, as PNG. */
export async function png(chart: Chart, colours: { readonly text: string; readonly paper: string }): Promise<Blob | null> {
  const source = chart.plot.ctx.canvas;
  const ratio = source.width / chart.plot.width;
  const legend = legendPlaces(chart.state.curves, chart.plot.width);
  const head = Math.round(legend.head * ratio);
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [source.width, source.height + head];
  const ctx = canvas.getContext("2d");
  if (!ctx) return null;
  ctx.fillStyle = colours.paper;
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.drawImage(source, 0, head);
  ctx.font = `${11 * ratio}px system-ui, sans-serif`;
  chart.state.curves.forEach((curve, k) => {
    const [x, y] = legend.places[k]!.map((place) => place * ratio) as [number, number];
    ctx.strokeStyle = curve.colour;
    ctx.lineWidth = 2 * ratio;
    ctx.setLineDash(curve.dash.map((length) => length * ratio));
    ctx.beginPath();
    ctx.moveTo(x, y - 4 * ratio);
    ctx.lineTo(x + 22 * ratio, y - 4 * ratio);
    ctx.stroke();
    ctx.fillStyle = colours.text;
    ctx.fillText(legendText(curve), x + 28 * ratio, y);
  });
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}
