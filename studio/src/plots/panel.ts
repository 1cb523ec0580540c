/** One plot with its legend and its buttons. */

import { groupOf } from "../data/names.js";
import { valueAt } from "../data/thin.js";
import { pretty } from "../ui/units.js";
import { button, digits, download, el, icon, ICONS } from "../ui/dom.js";
import type { Board } from "./board.js";
import { Chart, type Curve } from "./chart.js";
import { curveColour, DASHES } from "./colours.js";
import { csv, png, svg } from "./export.js";

/** What a curve shows: a column of a recording. */
interface Series {
  readonly run: number;
  readonly column: string;
  readonly curve: Curve;
  /** Times of the samples (s). */
  readonly times: Float64Array;
}

/** Most rows of a table that is written. */
const MOST_ROWS = 1_000_000;

export class Panel {
  readonly element: HTMLElement;
  columns: string[];
  /** Column of the horizontal axis; time where there is none. */
  x: string | null;
  private readonly area = el("div", { class: "plot-area" });
  private readonly legend = el("div", { class: "legend" });
  /** What all curves mean, where they mean the same. */
  private readonly caption = el("span", { class: "caption" });
  private readonly axis: HTMLInputElement;
  private readonly marks = el("div", { class: "marks" });
  private chart: Chart | null = null;
  private series: Series[] = [];
  private hovered: number | null = null;
  private wanted = 0;
  private chips: HTMLElement[] = [];

  constructor(
    readonly board: Board,
    columns: readonly string[],
    x: string | null = null,
  ) {
    this.columns = [...columns];
    this.x = x;
    this.axis = el("input", {
      list: "gelenk-columns",
      value: x ?? "",
      placeholder: "time",
      "aria-label": "Horizontal axis",
      title: "Horizontal axis: time, or any column for a phase plot",
      onchange: () => this.setX(this.axis.value.trim() || null),
    });
    const tool = (label: string, press: () => void) => button(label, label.split(" ").pop()!, press, { className: "small" });
    this.element = el(
      "section",
      { class: "panel", onpointerdown: () => this.board.activate(this) },
      el(
        "header",
        {},
        el(
          "div",
          { class: "tools" },
          this.caption,
          el("label", { class: "axis" }, "over", this.axis),
          tool("Save as PNG", () => void this.save("png")),
          tool("Save as SVG", () => void this.save("svg")),
          tool("Save as CSV", () => void this.save("csv")),
          button("Remove this plot", icon(ICONS.close), () => this.board.remove(this), { className: "small" }),
        ),
        this.legend,
      ),
      this.area,
    );
    new ResizeObserver(() => this.build()).observe(this.area);
    this.area.addEventListener("dblclick", () => this.board.zoom(null));
  }

  has(column: string): boolean {
    return this.columns.includes(column);
  }

  toggle(column: string): void {
    this.columns = this.has(column) ? this.columns.filter((known) => known !== column) : [...this.columns, column];
    void this.refresh();
  }

  setX(column: string | null): void {
    const known = column === null || column === "t" || this.board.numberOf(0, column) !== undefined;
    this.axis.classList.toggle("wrong", !known);
    if (!known) return;
    this.x = column === "t" ? null : column;
    this.axis.value = this.x ?? "";
    void this.refresh();
  }

  /** Fetches what is seen and draws it. */
  async refresh(): Promise<void> {
    const turn = ++this.wanted;
    const { board } = this;
    const runs = Math.max(300, Math.round(this.area.clientWidth));
    const range = board.range;
    const wish = range ? { from: range[0], to: range[1], runs } : { runs };
    const wanted: Promise<Series | null>[] = [];
    this.columns.forEach((column, k) => {
      board.source.index.runs.forEach((run, number) => {
        wanted.push(this.fetch(column, k, number, run.name, wish));
      });
    });
    const series = (await Promise.all(wanted)).filter((found) => found !== null);
    // A later wish has overtaken this one.
    if (turn !== this.wanted) return;
    this.series = series;
    this.build();
  }

  private async fetch(
    column: string,
    k: number,
    run: number,
    name: string,
    wish: { readonly from?: number; readonly to?: number; readonly runs: number },
  ): Promise<Series | null> {
    const { board } = this;
    const y = board.numberOf(run, column);
    const x = this.x === null ? 0 : board.numberOf(run, this.x);
    if (y === undefined || x === undefined) return null;
    const numbers = x === 0 ? [0, y] : [0, x, y];
    const data = await board.source.rows(run, numbers, wish);
    const several = board.source.index.runs.length > 1;
    const curve: Curve = {
      label: several ? `${column} · ${name}` : column,
      unit: board.source.index.runs[run]!.columns[y]![1],
      colour: curveColour(k, board.dark),
      dash: DASHES[run % DASHES.length]!,
      x: data[x === 0 ? 0 : 1]!,
      y: data[data.length - 1]!,
    };
    return { run, column, curve, times: data[0]! };
  }

  /** Draws what was fetched. */
  build(): void {
    this.chart?.destroy();
    this.chart = null;
    this.writeLegend();
    const { clientWidth: width, clientHeight: height } = this.area;
    if (width < 40 || height < 40) return;
    const { board } = this;
    const unit = this.x === null ? "s" : board.source.index.runs[0]!.columns[board.numberOf(0, this.x) ?? 0]![1];
    this.chart = new Chart(
      this.area,
      {
        curves: this.series.map((series) => series.curve),
        x: [this.x ?? "time", unit],
        range: this.x === null ? (board.range ?? board.span) : null,
      },
      { width, height },
      board.colours,
      {
        // Zooming is by time; a phase plot shows the time that the others do.
        select: (range) => this.x === null && board.zoom(range),
        click: (x) => this.x === null && board.player.seek(x),
        hover: (x) => {
          this.hovered = this.x === null ? x : null;
          this.update();
        },
      },
    );
    this.chart.plot.over.append(this.marks);
    this.update();
  }

  private writeLegend(): void {
    this.legend.replaceChildren();
    const meaningOf = ({ column, run }: Series) => this.board.source.index.runs[run]!.columns[this.board.numberOf(run, column)!]![2];
    const meanings = new Set(this.series.map(meaningOf));
    // What all names begin with is said once.
    const group = this.series.length > 1 ? groupOf(this.series.map(({ column }) => column)) : "";
    this.caption.textContent = [group.slice(0, -1), meanings.size === 1 ? [...meanings][0]! : ""].filter(Boolean).join(" · ");
    this.caption.title = this.caption.textContent;
    // Columns of one width keep values in place while they change. Letters are narrower than digits.
    const longest = Math.max(0, ...this.series.map(({ curve }) => curve.label.length - group.length + curve.unit.length));
    this.legend.style.setProperty("--wide", `${Math.max(18.5, 0.85 * longest + 14)}ch`);
    this.chips = this.series.map((series) => {
      const { curve, column } = series;
      const value = el("output", { class: "value" });
      const remove = () => this.board.toggle(column, this);
      const meaning = meaningOf(series);
      this.legend.append(
        el(
          "button",
          { type: "button", class: "chip", title: `${[column, meaning].filter(Boolean).join(": ")}; remove from the plot`, onclick: remove },
          el("span", { class: curve.dash.length > 0 ? "swatch dashed" : "swatch", style: `--colour: ${curve.colour}` }),
          el("span", { class: "name" }, curve.label.slice(group.length)),
          value,
          el("span", { class: "unit" }, curve.unit === "1" ? "" : pretty(curve.unit)),
        ),
      );
      return value;
    });
    if (this.series.length === 0) this.legend.append(el("span", { class: "hint" }, "Choose columns on the left."));
  }

  /** Value of a curve at the time that is looked at. */
  value(series: Series, t: number): number {
    return valueAt(series.times, series.curve.y, t);
  }

  /** Brings the time line and the values up to date. */
  update(): void {
    const t = this.hovered ?? this.board.player.time;
    this.series.forEach((series, k) => {
      const chip = this.chips[k];
      if (chip) chip.textContent = digits(this.value(series, t), 5);
    });
    if (!this.chart) return;
    const marks: HTMLElement[] = [];
    const now = this.board.player.time;
    if (this.x === null) {
      const [left] = this.chart.position(now, null, 0);
      if (left >= 0 && left <= this.chart.plot.over.clientWidth) {
        marks.push(el("div", { class: "now", style: `transform: translateX(${left}px)` }));
      }
    }
    for (const series of this.series) {
      const x = this.x === null ? now : valueAt(series.times, series.curve.x, now);
      const [left, top] = this.chart.position(x, series.curve, this.value(series, now));
      if (!Number.isFinite(left + top) || left < -1 || left > this.chart.plot.over.clientWidth + 1) continue;
      const style = `transform: translate(${left}px, ${top}px); --colour: ${series.curve.colour}`;
      marks.push(el("div", { class: "dot", style }));
    }
    this.marks.replaceChildren(...marks);
  }

  /** The numbers that the plot shows, not thinned, as a table. */
  async table(): Promise<string> {
    const { board } = this;
    const range = board.range;
    const wish = range ? { from: range[0], to: range[1], every: MOST_ROWS } : { every: MOST_ROWS };
    const columns: { name: string; values: Float64Array }[] = [];
    for (let run = 0; run < board.source.index.runs.length; run++) {
      const own = this.series.filter((series) => series.run === run).map((series) => series.column);
      const names = [...new Set(["t", ...(this.x === null ? [] : [this.x]), ...own])];
      if (own.length === 0) continue;
      const facts = board.source.index.runs[run]!;
      const numbers = names.map((name) => board.numberOf(run, name)!);
      const data = await board.source.rows(run, numbers, wish);
      const prefix = board.source.index.runs.length > 1 ? `${facts.name}: ` : "";
      names.forEach((name, k) => {
        const unit = facts.columns[numbers[k]!]![1];
        columns.push({ name: `${prefix}${name}${unit === "1" ? "" : ` [${unit}]`}`, values: data[k]! });
      });
    }
    return csv(columns);
  }

  async save(kind: "png" | "svg" | "csv"): Promise<void> {
    const name = `${this.board.source.index.runs[0]!.name}-${this.columns[0] ?? "plot"}.${kind}`;
    if (kind === "csv") return download(name, new Blob([await this.table()], { type: "text/csv" }));
    if (!this.chart) return;
    const colours = { ...this.board.colours, paper: this.board.paper };
    const content =
      kind === "svg" ? new Blob([svg(this.chart, colours)], { type: "image/svg+xml" }) : await png(this.chart, colours);
    if (content) download(name, content);
  }

  /** What the plot shows, for tests. */
  facts(): { x: string | null; curves: { label: string; points: number; value: number }[] } {
    const t = this.board.player.time;
    const curves = this.series.map((series) => ({
      label: series.curve.label,
      points: series.curve.x.length,
      value: this.value(series, t),
    }));
    return { x: this.x, curves };
  }

  /** The plot as SVG, for tests. */
  svg(): string {
    return this.chart ? svg(this.chart, { ...this.board.colours, paper: this.board.paper }) : "";
  }
}
