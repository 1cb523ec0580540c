/** Axes, selection and curves of one plot. uPlot draws the axes; the curves have their own horizontal values each. */

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { pretty, superscript } from "../ui/units.js";

export interface Curve {
  readonly label: string;
  readonly unit: string;
  readonly colour: string;
  readonly dash: readonly number[];
  readonly x: Float64Array;
  readonly y: Float64Array;
}

export interface ChartState {
  readonly curves: readonly Curve[];
  /** Label and unit of the horizontal axis. */
  readonly x: readonly [label: string, unit: string];
  /** Range of the horizontal axis; that of the curves where it is missing. */
  readonly range: readonly [number, number] | null;
}

interface Colours {
  readonly text: string;
  readonly grid: string;
}

/** Smallest and largest finite number of some arrays, with some air around them. */
export function rangeOf(arrays: Iterable<Float64Array>, air: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const values of arrays) {
    for (const value of values) {
      if (value < low && value > -Infinity) low = value;
      if (value > high && value < Infinity) high = value;
    }
  }
  if (low > high) return [0, 1];
  const width = high - low;
  const level = Math.max(Math.abs(low), Math.abs(high));
  // A line that is straight up to rounding should look so.
  if (width <= 1e-12 * level || width === 0) {
    const room = level > 0 ? 0.1 * level : 1;
    return [low - room, high + room];
  }
  return [low - air * width, high + air * width];
}

/** Power of ten, a multiple of three, that the labels of a range leave to its unit. */
export function powerOf([low, high]: readonly [number, number]): number {
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const exponent = largest > 0 ? Math.floor(Math.log10(largest)) : 0;
  return exponent >= -2 && exponent < 5 ? 0 : 3 * Math.floor(exponent / 3);
}

/** Unit of an axis in brackets, with the power of ten that its labels leave out; empty for pure numbers. */
export function axisUnit(unit: string, power: number): string {
  const raised = power === 0 ? "" : `10${superscript(power)}`;
  const text = [raised, unit === "1" ? "" : pretty(unit)].filter(Boolean).join(" ");
  return text && `[${text}]`;
}

/** Tick labels that are short and exact, in units of a power of ten. */
const ticks = (power: number) => (_: uPlot, splits: number[]): string[] => {
  const scaled = splits.map((value) => value / 10 ** power);
  const step = scaled.length > 1 ? Math.abs(scaled[1]! - scaled[0]!) : 1;
  // As many decimals as the step needs: 2.5 has one.
  let decimals = 0;
  while (decimals < 8 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 * step * 10 ** decimals) decimals++;
  return scaled.map((value) => {
    const text = value.toFixed(decimals);
    return /^-0\.?0*$/.test(text) ? text.slice(1) : text;
  });
};

export class Chart {
  readonly plot: uPlot;
  /** Units, one for each vertical axis. */
  readonly units: readonly string[];
  readonly xRange: readonly [number, number];
  /** Labels of the horizontal and of the vertical axes. */
  readonly labels: readonly [x: string, ...y: string[]];

  constructor(
    host: HTMLElement,
    readonly state: ChartState,
    size: { readonly width: number; readonly height: number },
    colours: Colours,
    events: {
      readonly select: (x: readonly [number, number]) => void;
      readonly click: (x: number) => void;
      readonly hover: (x: number | null) => void;
    },
  ) {
    const { curves } = state;
    this.units = [...new Set(curves.map((curve) => curve.unit))];
    if (this.units.length === 0) this.units = ["1"];
    this.xRange = state.range ?? rangeOf(curves.map((curve) => curve.x), 0.03);
    const ranges = this.units.map((unit) =>
      rangeOf(curves.filter((curve) => curve.unit === unit).map((curve) => curve.y), 0.07),
    );
    const scale = (k: number) => `y${k}`;
    const fixed = (range: readonly [number, number]): uPlot.Scale => ({
      time: false,
      auto: false,
      range: () => [range[0], range[1]],
    });
    const font = "11px system-ui, sans-serif";
    const axis: uPlot.Axis = {
      stroke: colours.text,
      font,
      labelFont: font,
      ticks: { stroke: colours.grid, width: 1, size: 4 },
      grid: { stroke: colours.grid, width: 1 },
    };
    const xPower = powerOf(this.xRange);
    this.labels = [
      `${state.x[0]} ${axisUnit(state.x[1] || "1", xPower)}`.trim(),
      ...this.units.map((text, k) => axisUnit(text, powerOf(ranges[k]!))),
    ];
    this.plot = new uPlot(
      {
        ...size,
        padding: [8, this.units.length > 1 ? 0 : 22, 0, 0],
        scales: {
          x: fixed(this.xRange),
          ...Object.fromEntries(ranges.map((range, k) => [scale(k), fixed(range)])),
        },
        axes: [
          { ...axis, values: ticks(xPower), label: this.labels[0], labelSize: 18, size: 26, space: 60 },
          ...this.units.map((_, k) => ({
            ...axis,
            values: ticks(powerOf(ranges[k]!)),
            scale: scale(k),
            side: k === 0 ? 3 : 1,
            label: this.labels[k + 1]!,
            labelSize: this.labels[k + 1] ? 16 : 0,
            size: 50,
            space: 26,
            grid: k === 0 ? axis.grid! : { show: false },
          })),
        ],
        series: [{}, ...this.units.map((_, k) => ({ scale: scale(k), paths: () => null, points: { show: false } }))],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
        hooks: {
          draw: [(plot) => this.draw(plot)],
          setSelect: [
            (plot) => {
              const { left, width } = plot.select;
              if (width > 3) events.select([plot.posToVal(left, "x"), plot.posToVal(left + width, "x")]);
              plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
          setCursor: [
            (plot) => {
              const left = plot.cursor.left ?? -1;
              events.hover(left >= 0 ? plot.posToVal(left, "x") : null);
            },
          ],
        },
      },
      [[...this.xRange], ...ranges.map((range) => [...range])] as uPlot.AlignedData,
      host,
    );
    let down = 0;
    const { over } = this.plot;
    over.addEventListener("pointerdown", (event) => (down = event.clientX));
    over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) > 3) return;
      events.click(this.plot.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
  }

  /** Place of a value within the drawing area (px). */
  position(x: number, curve: Curve | null, y: number): [number, number] {
    const left = this.plot.valToPos(x, "x");
    return [left, curve ? this.plot.valToPos(y, `y${this.units.indexOf(curve.unit)}`) : 0];
  }

  destroy(): void {
    this.plot.destroy();
  }

  private draw(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineJoin = "round";
    for (const curve of this.state.curves) {
      ctx.strokeStyle = curve.colour;
      ctx.lineWidth = 1.5 * uPlot.pxRatio;
      ctx.setLineDash(curve.dash.map((length) => length * uPlot.pxRatio));
      const map = this.mapping(curve, true);
      ctx.beginPath();
      let pen = false;
      const { x, y } = curve;
      for (let i = 0; i < x.length; i++) {
        const [px, py] = [map.x(x[i]!), map.y(y[i]!)];
        if (!Number.isFinite(px + py)) pen = false;
        else if (pen) ctx.lineTo(px, py);
        else {
          ctx.moveTo(px, py);
          pen = true;
        }
      }
      ctx.stroke();
      if (x.length === 1) dot(ctx, map.x(x[0]!), map.y(y[0]!), curve.colour);
    }
    ctx.restore();
  }

  /** From values to places on the canvas, or in the drawing area. */
  mapping(curve: Curve, canvas: boolean): { x: (value: number) => number; y: (value: number) => number } {
    const line = (key: string): ((value: number) => number) => {
      const { min, max } = this.plot.scales[key]!;
      const [low, high] = [min ?? 0, max ?? 1];
      const start = this.plot.valToPos(low, key, canvas);
      const slope = (this.plot.valToPos(high, key, canvas) - start) / (high - low);
      return (value) => start + slope * (value - low);
    };
    return { x: line("x"), y: line(`y${this.units.indexOf(curve.unit)}`) };
  }
}

function dot(ctx: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, 3 * uPlot.pxRatio, 0, 2 * Math.PI);
  ctx.fill();
}
