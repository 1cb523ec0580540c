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

/** Something that happened, marked at the upper edge. */
export interface Mark {
  readonly x: number;
  readonly colour: string;
}

export interface ChartState {
  readonly curves: readonly Curve[];
  readonly marks: readonly Mark[];
  /** Label and unit of the horizontal axis. */
  readonly x: readonly [label: string, unit: string];
  /** Range of the horizontal axis; that of the curves where it is missing. */
  readonly range: readonly [number, number] | null;
  /** Both axes in powers of ten; what is not positive is left out. */
  readonly log: boolean;
}

/** Powers of ten below the largest value that a logarithmic axis shows. */
const DECADES = 6;

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

/** The part of some logarithms that is worth seeing. */
function decades(arrays: Iterable<Float64Array>, most: number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const values of arrays) {
    for (const value of values) {
      if (!(value > 0 && value < Infinity)) continue;
      low = Math.min(low, Math.log10(value));
      high = Math.max(high, Math.log10(value));
    }
  }
  if (low > high) return [0, 1];
  const start = Math.max(low, high - most);
  return high - start > 1e-9 ? [start - 0.02 * (high - start), high + 0.04 * (high - start)] : [high - 0.5, high + 0.5];
}

/** Places of ticks on an axis in powers of ten, as logarithms; within few decades also at 2 and 5. */
function logSplits(low: number, high: number): number[] {
  const steps = high - low < 2.5 ? [1, 2, 5] : [1];
  const stride = Math.max(1, Math.ceil((high - low) / 8));
  const out: number[] = [];
  for (let power = Math.floor(low); power <= high; power++) {
    if (power % stride !== 0) continue;
    for (const step of steps) {
      const place = power + Math.log10(step);
      if (place >= low && place <= high) out.push(place);
    }
  }
  return out;
}

/** Labels of such ticks. */
const logTicks = (_: uPlot, splits: number[]): string[] =>
  splits.map((place) => {
    const power = Math.floor(place + 1e-9);
    const step = Math.round(10 ** (place - power));
    if (power >= -3 && power <= 4) return String(Number((step * 10 ** power).toPrecision(3)));
    return `${step === 1 ? "" : `${step}·`}10${superscript(power)}`;
  });

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
    const { curves, log } = state;
    this.units = [...new Set(curves.map((curve) => curve.unit))];
    if (this.units.length === 0) this.units = ["1"];
    const xs = curves.map((curve) => curve.x);
    if (log) this.xRange = state.range && state.range[0] > 0 ? (state.range.map(Math.log10) as [number, number]) : decades(xs, Infinity);
    else this.xRange = state.range ?? rangeOf(xs, 0.03);
    const ranges = this.units.map((unit) => {
      const ys = curves.filter((curve) => curve.unit === unit).map((curve) => this.inside(curve));
      return log ? decades(ys, DECADES) : rangeOf(ys, 0.07);
    });
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
    const power = (range: readonly [number, number]) => (log ? 0 : powerOf(range));
    const tickLabels = (range: readonly [number, number]) => (log ? logTicks : ticks(powerOf(range)));
    const splits = log ? { splits: (_: uPlot, __: number, low: number, high: number) => logSplits(low, high) } : {};
    const xPower = power(this.xRange);
    this.labels = [
      `${state.x[0]} ${axisUnit(state.x[1] || "1", xPower)}`.trim(),
      ...this.units.map((text, k) => axisUnit(text, power(ranges[k]!))),
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
          { ...axis, ...splits, values: tickLabels(this.xRange), label: this.labels[0], labelSize: 18, size: 26, space: 60 },
          ...this.units.map((_, k) => ({
            ...axis,
            ...splits,
            values: tickLabels(ranges[k]!),
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
              if (width > 3) events.select([this.valueOf(left), this.valueOf(left + width)]);
              plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            },
          ],
          setCursor: [
            (plot) => {
              const left = plot.cursor.left ?? -1;
              events.hover(left >= 0 ? this.valueOf(left) : null);
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
      events.click(this.valueOf(event.clientX - over.getBoundingClientRect().left));
    });
  }

  /** Place of a value within the drawing area (px). */
  position(x: number, curve: Curve | null, y: number): [number, number] {
    const left = this.plot.valToPos(this.scaled(x), "x");
    return [left, curve ? this.plot.valToPos(this.scaled(y), `y${this.units.indexOf(curve.unit)}`) : 0];
  }

  /** Value of the horizontal axis at a place (px). */
  private valueOf(left: number): number {
    const value = this.plot.posToVal(left, "x");
    return this.state.log ? 10 ** value : value;
  }

  /** A value as the axes have it. */
  private scaled(value: number): number {
    if (!this.state.log) return value;
    return value > 0 ? Math.log10(value) : NaN;
  }

  /** Vertical values of a curve whose horizontal ones are seen, with a neighbour on each side. */
  private inside({ x, y }: Curve): Float64Array {
    const { range, log } = this.state;
    // Over time only what is seen was fetched.
    if (!range || log || this.state.x[0] === "time") return y;
    const seen = x.map((value) => (value >= range[0] && value <= range[1] ? 1 : 0));
    return y.filter((_, i) => seen[i] || seen[i - 1] || seen[i + 1]);
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
      for (const i of alone(curve)) dot(ctx, map.x(x[i]!), map.y(y[i]!), curve.colour);
    }
    for (const { x, colour } of this.state.marks) {
      const at = plot.valToPos(x, "x", true);
      const size = 2.8 * uPlot.pxRatio;
      ctx.fillStyle = colour;
      ctx.beginPath();
      ctx.moveTo(at - size, bbox.top);
      ctx.lineTo(at + size, bbox.top);
      ctx.lineTo(at, bbox.top + 1.6 * size);
      ctx.fill();
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
      return (value) => start + slope * (this.scaled(value) - low);
    };
    return { x: line("x"), y: line(`y${this.units.indexOf(curve.unit)}`) };
  }
}

/** Samples between gaps, through which no line is drawn. */
export function alone({ x, y }: Pick<Curve, "x" | "y">): number[] {
  const known = (i: number) => Number.isFinite(x[i]! + y[i]!);
  const found: number[] = [];
  for (let i = 0; i < x.length; i++) if (known(i) && !known(i - 1) && !known(i + 1)) found.push(i);
  return found;
}

function dot(ctx: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  ctx.fillStyle = colour;
  ctx.beginPath();
  ctx.arc(x, y, 2.2 * uPlot.pxRatio, 0, 2 * Math.PI);
  ctx.fill();
}
