/** One plot with its legend and its buttons. */

import { groupOf } from "../data/names.js";
import { valueAt } from "../data/thin.js";
import { button, digits, download, el, icon, ICONS } from "../ui/dom.js";
import { pretty } from "../ui/units.js";
import type { Board } from "./board.js";
import { Chart, type Curve, type Mark } from "./chart.js";
import { styleOf } from "./colours.js";
import { CurveLegend, type Entry, hiddenNote } from "./curve_legend.js";
import { type Axis, type Series, TIME } from "./curves.js";
import { csv, png, svg } from "./export.js";
import { columnsOf, keyOf, nameOf, type Quantity, runName } from "./quantity.js";
import type { Hidden } from "./suggestions.js";

/** A series as it is drawn. */
interface Drawn {
  readonly series: Series;
  readonly curve: Curve;
}

/** Most rows of a table that is written. */
const MOST_ROWS = 1_000_000;

/** What the field of the horizontal axis calls a spectrum. */
export const FREQUENCY = "frequency (FFT)";

/** A peak below this share of the largest is not looked at when a spectrum is first drawn. */
const PEAK = 0.01;

export class Panel {
  readonly element: HTMLElement;
  quantities: readonly Quantity[];
  axis: Axis = TIME;
  private hidden: Hidden;
  private readonly area = el("div", { class: "plot-area" });
  private readonly legend = new CurveLegend();
  private readonly note = el("div", { class: "notes" });
  /** What all curves mean, where they mean the same. */
  private readonly caption = el("span", { class: "caption" });
  private readonly over: HTMLInputElement;
  private readonly logButton: HTMLButtonElement;
  private readonly marks = el("div", { class: "marks" });
  private chart: Chart | null = null;
  private drawn: Drawn[] = [];
  private hovered: number | null = null;
  private wanted = 0;
  private log = false;
  /** Range of a horizontal axis that is not the time. */
  private own: readonly [number, number] | null = null;

  constructor(
    readonly board: Board,
    quantities: readonly Quantity[],
    x: string | null = null,
    hidden: Hidden = { moving: [], still: [] },
  ) {
    this.quantities = quantities;
    this.hidden = hidden;
    this.over = el("input", {
      list: "gelenk-axes",
      placeholder: "time",
      "aria-label": "Horizontal axis",
      title: "Horizontal axis: time, frequency for a spectrum (FFT), or any column for a phase plot",
      onchange: () => this.setX(this.over.value.trim() || null),
    });
    const save: HTMLSelectElement = el(
      "select",
      {
        class: "small save",
        "aria-label": "Save this plot",
        title: "Save this plot as a picture, a drawing or a table",
        onchange: () => {
          const kind = save.value as "png" | "svg" | "csv";
          save.value = "";
          void this.save(kind);
        },
      },
      el("option", { value: "" }, "Save"),
      el("option", { value: "png" }, "Picture (PNG)"),
      el("option", { value: "svg" }, "Drawing (SVG)"),
      el("option", { value: "csv" }, "Table (CSV)"),
    );
    this.logButton = button("Logarithmic axes", "log", () => this.setLog(!this.log), { className: "small" });
    this.element = el(
      "section",
      { class: "panel", onpointerdown: () => this.board.activate(this), onfocusin: () => this.board.activate(this) },
      el(
        "header",
        {},
        el(
          "div",
          { class: "tools" },
          this.caption,
          el("label", { class: "axis" }, "over", this.over),
          this.logButton,
          button("Add a rate, a difference or a spectrum", "ƒ", () => this.board.derive(this), { className: "small derive", key: "D" }),
          save,
          button("Remove this plot", icon(ICONS.close), () => this.board.remove(this), { className: "small" }),
        ),
        this.legend.element,
        this.note,
      ),
      this.area,
    );
    this.place(x === null ? TIME : { kind: "column", column: x });
    new ResizeObserver(() => this.build()).observe(this.area);
    this.area.addEventListener("dblclick", () => this.unzoom());
  }

  has(column: string): boolean {
    return this.quantities.some((quantity) => keyOf(quantity) === keyOf({ column }));
  }

  /** Adds a quantity, or takes it away. */
  toggle(quantity: Quantity): void {
    const known = this.quantities.filter((other) => keyOf(other) !== keyOf(quantity));
    this.quantities = known.length < this.quantities.length ? known : [...this.quantities, quantity];
    void this.refresh();
  }

  /** Adds columns that are not there yet. */
  addAll(columns: readonly string[]): void {
    this.quantities = [...this.quantities, ...columns.filter((column) => !this.has(column)).map((column) => ({ column }))];
    void this.refresh();
    this.board.tell();
  }

  /** Puts a column, the time or the frequency on the horizontal axis, by what stands in the field. */
  setX(text: string | null): void {
    const isColumn = text !== null && this.board.source.index.runs.some((_, run) => this.board.curves.numberOf(run, text) !== undefined);
    const isFrequency = text !== null && !isColumn && [FREQUENCY, "frequency", "fft"].includes(text.toLowerCase().replace("(fft)", "(FFT)"));
    const known = text === null || text === "t" || text === "time" || isColumn || isFrequency;
    this.over.classList.toggle("wrong", !known);
    this.over.setAttribute("aria-invalid", String(!known));
    if (!known) return;
    if (isFrequency) this.setAxis({ kind: "frequency" });
    else this.setAxis(text === null || text === "t" || !isColumn ? TIME : { kind: "column", column: text });
  }

  setAxis(axis: Axis): void {
    this.place(axis);
    void this.refresh();
  }

  private place(axis: Axis): void {
    this.axis = axis;
    this.own = null;
    if (axis.kind !== "frequency") this.log = false;
    this.over.value = axis.kind === "time" ? "" : axis.kind === "frequency" ? FREQUENCY : axis.column;
  }

  setLog(log: boolean): void {
    this.log = log;
    this.own = null;
    this.build();
  }

  /** Fetches what is seen and draws it. */
  async refresh(): Promise<void> {
    const turn = ++this.wanted;
    const { board } = this;
    const pixels = Math.max(300, Math.round(this.area.clientWidth));
    const { runs } = board.source.index;
    const wanted = this.quantities.flatMap((quantity, k) =>
      runs.map(async (_, run) => ({ k, series: await board.curves.fetch(quantity, run, this.axis, board.range, pixels) })),
    );
    const fetched = await Promise.all(wanted);
    // A later wish has overtaken this one.
    if (turn !== this.wanted) return;
    this.drawn = fetched.flatMap(({ k, series }) => (series ? [{ series, curve: this.curve(series, k) }] : []));
    if (this.axis.kind === "frequency" && !this.own && !this.log) this.own = this.lowFrequencies();
    this.build();
  }

  private curve(series: Series, k: number): Curve {
    const { runs } = this.board.source.index;
    const style = styleOf(k, series.run, runs.length, this.board.dark);
    const name = nameOf(series.quantity);
    const label = runs.length > 1 ? `${name} · ${runName(series.quantity, series.run, runs)}` : name;
    return { label, unit: series.unit, ...style, x: series.x, y: series.y };
  }

  /** The range of frequencies in which there is something to see. */
  private lowFrequencies(): readonly [number, number] | null {
    let top = 0;
    for (const { series } of this.drawn) {
      const largest = series.y.reduce((max, value) => Math.max(max, value), 0);
      series.y.forEach((value, i) => {
        if (value > PEAK * largest) top = Math.max(top, series.x[i]!);
      });
    }
    return top > 0 ? [0, 1.25 * top] : null;
  }

  /** Draws what was fetched. */
  build(): void {
    this.chart?.destroy();
    this.chart = null;
    this.writeLegend();
    this.logButton.hidden = this.axis.kind !== "frequency";
    this.logButton.setAttribute("aria-pressed", String(this.log));
    const { clientWidth: width, clientHeight: height } = this.area;
    if (width < 40 || height < 40) return;
    const { board } = this;
    const seen = this.drawn.filter(({ series }) => board.isShown(series.run));
    const timed = this.axis.kind === "time";
    this.chart = new Chart(
      this.area,
      {
        curves: seen.map(({ curve }) => curve),
        marks: timed ? board.marks() : [],
        x: this.xLabel(),
        range: timed ? (board.range ?? board.span) : this.own,
        log: this.log,
      },
      { width, height },
      board.colours,
      {
        // Zooming is by time; other axes have ranges of their own.
        select: (range) => (timed ? board.zoom(range) : this.zoom(range)),
        click: (x) => timed && board.player.seek(x),
        hover: (x) => {
          this.hovered = this.axis.kind === "column" ? null : x;
          this.update();
        },
      },
    );
    this.chart.plot.over.append(this.marks);
    this.update();
  }

  private xLabel(): readonly [string, string] {
    const { axis } = this;
    if (axis.kind === "time") return ["time", "s"];
    if (axis.kind === "frequency") return ["frequency", "Hz"];
    const run = this.board.source.index.runs.find((known) => known.columns.some(([name]) => name === axis.column));
    return [axis.column, run?.columns.find(([name]) => name === axis.column)?.[1] ?? "1"];
  }

  private zoom(range: readonly [number, number]): void {
    this.own = range;
    this.build();
  }

  /** Shows all of the axis. */
  unzoom(): void {
    if (this.axis.kind === "time") return this.board.zoom(null);
    this.own = null;
    this.build();
  }

  private writeLegend(): void {
    const { runs } = this.board.source.index;
    const columns = this.quantities.flatMap(columnsOf);
    // What all names begin with is said once, and so is the only quantity of several runs.
    const group = columns.length > 1 ? groupOf(columns) : "";
    const alone = runs.length > 1 && this.quantities.length === 1;
    const meanings = new Set(this.drawn.map(({ series }) => this.meaning(series)));
    const unit = new Set(this.drawn.map(({ series }) => series.unit));
    const one = alone && unit.size === 1;
    const [shown] = unit;
    const title = alone ? `${nameOf(this.quantities[0]!)}${one && shown !== "1" ? ` [${pretty(shown!)}]` : ""}` : group.slice(0, -1);
    const spectrum = this.axis.kind === "frequency" ? "amplitude spectrum, Hann window, mean removed" : "";
    const texts = [meanings.size === 1 ? [...meanings][0]! : "", spectrum].filter(Boolean);
    this.caption.replaceChildren(...(title ? [el("b", {}, title), texts.length > 0 ? " · " : ""] : []), texts.join(" · "));
    this.caption.title = this.caption.textContent ?? "";
    this.legend.write(this.drawn.map(({ series, curve }) => this.entry(series, curve, group, one)));
    const left = { moving: this.hidden.moving.filter((name) => !this.has(name)), still: this.hidden.still.filter((name) => !this.has(name)) };
    const stride = Math.max(1, ...this.drawn.map(({ series }) => series.stride));
    const offer = hiddenNote(left, (added) => this.addAll(added));
    this.note.replaceChildren(
      ...(offer ? [offer] : []),
      ...(stride > 1 ? [el("div", { class: "hidden-note" }, `Computed from about every ${ordinal(stride)} sample; zoom in, or use gelenk view, for all of them.`)] : []),
    );
  }

  private meaning({ run, quantity }: Series): string {
    return columnsOf(quantity)
      .map((name) => this.board.source.index.runs[run]!.columns[this.board.curves.numberOf(run, name)!]![2])
      .filter((meaning, k, all) => meaning && all.indexOf(meaning) === k)
      .join(" and ");
  }

  private entry(series: Series, curve: Curve, group: string, alone: boolean): Entry {
    const { runs } = this.board.source.index;
    const { quantity, run } = series;
    const name = runName(quantity, run, runs);
    const short = nameOf(quantity, group);
    const shared = { unit: curve.unit, colour: curve.colour, dashed: curve.dash.length > 0, shown: this.board.isShown(run) };
    if (alone) {
      const title = `${name}${runs[run]!.meta["title"] ? `: ${runs[run]!.meta["title"]}` : ""}; show or hide this run everywhere`;
      return { ...shared, unit: "1", name, title, press: () => this.board.showRun(run, !this.board.isShown(run)) };
    }
    const full = [nameOf(quantity), this.meaning(series)].filter(Boolean).join(": ");
    return {
      ...shared,
      name: runs.length > 1 ? `${short} · ${name}` : short,
      title: `${full}; remove from the plot`,
      press: () => this.board.toggle(quantity, this),
    };
  }

  /** Value of a curve at the time or frequency that is looked at. */
  private value({ series, curve }: Drawn, at: number): number {
    return valueAt(this.axis.kind === "frequency" ? series.x : series.times, curve.y, at);
  }

  /** Brings the time line and the values up to date. */
  update(): void {
    const frequency = this.axis.kind === "frequency";
    const at = this.hovered ?? (frequency ? null : this.board.player.time);
    this.drawn.forEach((drawn, k) => this.legend.set(k, at === null ? peak(drawn.series) : digits(this.value(drawn, at), this.legend.digits())));
    if (!this.chart) return;
    const marks: HTMLElement[] = [];
    const wide = this.chart.plot.over.clientWidth;
    const now = this.board.player.time;
    if (this.axis.kind === "time") {
      const [left] = this.chart.position(now, null, 0);
      if (left >= 0 && left <= wide) marks.push(el("div", { class: "now", style: `transform: translateX(${left}px)` }));
      const label = this.eventLabel(this.chart);
      if (label) marks.push(label);
    }
    for (const drawn of frequency ? [] : this.drawn) {
      const { series, curve } = drawn;
      if (!this.board.isShown(series.run)) continue;
      const x = this.axis.kind === "time" ? now : valueAt(series.times, curve.x, now);
      const [left, top] = this.chart.position(x, curve, this.value(drawn, now));
      if (!Number.isFinite(left + top) || left < -1 || left > wide + 1) continue;
      const style = `transform: translate(${left}px, ${top}px); --colour: ${curve.colour}`;
      marks.push(el("div", { class: "dot", style }));
    }
    this.marks.replaceChildren(...marks);
  }

  /** Names the event under the mouse. */
  private eventLabel(chart: Chart): HTMLElement | null {
    if (this.hovered === null) return null;
    const [here] = chart.position(this.hovered, null, 0);
    const near = this.board.nearest(this.hovered);
    if (!near) return null;
    const [left] = chart.position(near.t, null, 0);
    if (Math.abs(left - here) > 5) return null;
    const side = left > chart.plot.over.clientWidth / 2 ? "right" : "left";
    const label = el("div", { class: `event-label ${side}`, style: `transform: translateX(${left}px)` }, el("span", {}, near.text));
    return label;
  }

  /** The numbers that the plot shows, not thinned, as a table. */
  async table(): Promise<string> {
    const { board, axis } = this;
    const { runs } = board.source.index;
    const columns: { name: string; values: Float64Array }[] = [];
    for (let run = 0; run < runs.length; run++) {
      const own = this.drawn.filter(({ series }) => series.run === run).map(({ series }) => series);
      if (own.length === 0 || !board.isShown(run)) continue;
      const prefix = runs.length > 1 ? `${runs[run]!.name}: ` : "";
      const add = (name: string, unit: string, values: Float64Array) =>
        columns.push({ name: `${prefix}${name}${unit === "1" ? "" : ` [${unit}]`}`, values });
      if (axis.kind === "frequency") {
        own.forEach((series, k) => {
          if (k === 0) add("frequency", "Hz", series.x);
          add(nameOf(series.quantity), series.unit, series.y);
        });
        continue;
      }
      const wanted: Quantity[] = [...(axis.kind === "column" ? [{ column: axis.column }] : []), ...own.map(({ quantity }) => quantity)];
      const once = wanted.filter((quantity, k) => wanted.findIndex((other) => keyOf(other) === keyOf(quantity)) === k);
      const data = await board.curves.table(once, run, board.range, MOST_ROWS);
      add("t", "s", data[0]!);
      once.forEach((quantity, k) => {
        const other = quantity.reference === undefined ? "" : ` − ${runs[quantity.reference]!.name}`;
        add(nameOf(quantity) + other, board.curves.unit(quantity, run) ?? "1", data[k + 1]!);
      });
    }
    return csv(columns);
  }

  async save(kind: "png" | "svg" | "csv"): Promise<void> {
    const first = this.quantities[0];
    const name = `${this.board.source.index.runs[0]!.name}-${first ? nameOf(first).replaceAll(/[^\w.-]+/g, "-") : "plot"}.${kind}`;
    if (kind === "csv") return download(name, new Blob([await this.table()], { type: "text/csv" }));
    if (!this.chart) return;
    const colours = { ...this.board.colours, paper: this.board.paper };
    const content =
      kind === "svg" ? new Blob([svg(this.chart, colours)], { type: "image/svg+xml" }) : await png(this.chart, colours);
    if (content) download(name, content);
  }

  /** What the plot shows, for tests. */
  facts(): PanelFacts {
    const t = this.board.player.time;
    const curves = this.drawn
      .filter(({ series }) => this.board.isShown(series.run))
      .map((drawn) => ({
        label: drawn.curve.label,
        unit: drawn.curve.unit,
        colour: drawn.curve.colour,
        dashed: drawn.curve.dash.length > 0,
        points: drawn.curve.x.length,
        value: this.axis.kind === "frequency" ? NaN : this.value(drawn, t),
        peak: peakOf(drawn.series),
      }));
    const { axis } = this;
    return { x: axis.kind === "time" ? null : axis.kind === "frequency" ? FREQUENCY : axis.column, curves };
  }

  /** The plot as SVG, for tests. */
  svg(): string {
    return this.chart ? svg(this.chart, { ...this.board.colours, paper: this.board.paper }) : "";
  }
}

export interface PanelFacts {
  readonly x: string | null;
  readonly curves: readonly {
    readonly label: string;
    readonly unit: string;
    readonly colour: string;
    readonly dashed: boolean;
    readonly points: number;
    readonly value: number;
    /** Place and height of the largest value. */
    readonly peak: readonly [x: number, y: number];
  }[];
}

/** Place and height of the largest value. */
function peakOf({ x, y }: Series): [number, number] {
  let at = 0;
  y.forEach((value, i) => {
    if (value > y[at]!) at = i;
  });
  return [x[at] ?? NaN, y[at] ?? NaN];
}

/** Where a spectrum is largest. */
function peak(series: Series): string {
  const [x, y] = peakOf(series);
  return Number.isFinite(x + y) ? `${digits(y, 4)} at ${digits(x, 4)} Hz` : "–";
}

function ordinal(count: number): string {
  const ending = count % 100 >= 11 && count % 100 <= 13 ? "th" : (["th", "st", "nd", "rd"][count % 10] ?? "th");
  return `${count}${ending}`;
}

export type { Mark };
