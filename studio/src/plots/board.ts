/** All plots of the page, with the range of time that they share. */

import type { Source } from "../data/source.js";
import type { Player } from "../player.js";
import { button, el, icon, ICONS } from "../ui/dom.js";
import { Panel } from "./panel.js";
import { suggestions } from "./suggestions.js";

/** Most numbers that are looked at to choose columns. */
const MOST_RANKED = 2_000_000;

export class Board {
  readonly element = el("div", { class: "board" });
  readonly panels: Panel[] = [];
  active: Panel | null = null;
  /** Range of time that is zoomed to (s). */
  range: readonly [number, number] | null = null;
  dark = false;
  colours = { text: "#444", grid: "#ddd" };
  paper = "#fff";
  private readonly list = el("div", { class: "panels" });
  private readonly numbers: readonly ReadonlyMap<string, number>[];
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly source: Source,
    readonly player: Player,
  ) {
    this.numbers = source.index.runs.map((run) => new Map(run.columns.map(([name], k) => [name, k])));
    const names = el("datalist", { id: "gelenk-columns" });
    for (const [name] of source.index.runs[0]?.columns ?? []) names.append(el("option", { value: name }));
    const add = button("Add a plot", icon(ICONS.plus), () => this.add([]), { className: "add", key: "N" });
    add.append(" Plot");
    const reset = button("Show all times", "All times", () => this.zoom(null), { className: "reset small", key: "0" });
    this.element.append(this.list, el("div", { class: "board-tools" }, add, reset), names);
    player.onChange(() => this.panels.forEach((panel) => panel.update()));
  }

  /** Whole range of time of all recordings (s). */
  get span(): readonly [number, number] {
    return [this.player.from, this.player.to > this.player.from ? this.player.to : this.player.from + 1];
  }

  /** Number of a column in a recording. */
  numberOf(run: number, column: string): number | undefined {
    return this.numbers[run]?.get(column);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Plots to begin with. */
  async begin(): Promise<void> {
    const run = this.source.index.runs[0];
    if (!run) return;
    // One instant has values, but nothing to draw over time.
    const still = this.player.to <= this.player.from;
    this.element.classList.toggle("still", still);
    const plots = await suggestions(run, still, (columns, most) => this.strongest(columns, most));
    for (const { columns, x } of plots) this.insert(new Panel(this, columns, x));
    if (this.panels.length === 0) this.add([]);
    this.activate(this.panels[0]!);
    await this.refresh();
  }

  /** Those of many columns of the first recording that reach the largest values, in their order. */
  private async strongest(columns: readonly string[], most: number): Promise<string[]> {
    const { rows } = this.source.index.runs[0]!;
    // Of a long recording all would have to be read.
    if (columns.length <= most || rows * columns.length > MOST_RANKED) return columns.slice(0, most);
    const numbers = columns.map((column) => this.numberOf(0, column)!);
    const data = await this.source.rows(0, numbers, { runs: 300 });
    const largest = data.map((values) => values.reduce((top, value) => Math.max(top, Math.abs(value) || 0), 0));
    const ranked = columns.map((_, k) => k).sort((a, b) => largest[b]! - largest[a]! || a - b);
    const chosen = new Set(ranked.slice(0, most));
    return columns.filter((_, k) => chosen.has(k));
  }

  add(columns: readonly string[], x: string | null = null): Panel {
    const panel = this.insert(new Panel(this, columns, x));
    this.activate(panel);
    void panel.refresh();
    panel.element.scrollIntoView({ block: "nearest" });
    return panel;
  }

  remove(panel: Panel): void {
    this.panels.splice(this.panels.indexOf(panel), 1);
    panel.element.remove();
    this.active = null;
    if (this.panels.length > 0) this.activate(this.panels[this.panels.length - 1]!);
    else this.add([]);
  }

  activate(panel: Panel): void {
    this.active = panel;
    for (const known of this.panels) known.element.classList.toggle("active", known === panel);
    this.tell();
  }

  /** Adds a column to a plot, or takes it away. */
  toggle(column: string, panel = this.active): void {
    (panel ?? this.add([])).toggle(column);
    this.tell();
  }

  zoom(range: readonly [number, number] | null): void {
    this.range = range;
    this.element.classList.toggle("zoomed", range !== null);
    void this.refresh();
  }

  async refresh(): Promise<void> {
    await Promise.all(this.panels.map((panel) => panel.refresh()));
  }

  theme(dark: boolean, colours: { text: string; grid: string }, paper: string): void {
    [this.dark, this.colours, this.paper] = [dark, colours, paper];
    void this.refresh();
  }

  private insert(panel: Panel): Panel {
    this.panels.push(panel);
    this.list.append(panel.element);
    return panel;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
