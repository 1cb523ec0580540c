/** All plots of the page, with the range of time that they share. */

import { type Happening, happening } from "../data/events.js";
import type { Source } from "../data/source.js";
import { lowerBound } from "../data/thin.js";
import type { Player } from "../player.js";
import { button, el, icon, ICONS } from "../ui/dom.js";
import { valueTables } from "../ui/values.js";
import type { Mark } from "./chart.js";
import { curveColour } from "./colours.js";
import { Curves } from "./curves.js";
import { DeriveWindow } from "./derive_window.js";
import { FREQUENCY, Panel } from "./panel.js";
import type { Quantity } from "./quantity.js";
import { type Suggestion, suggestions } from "./suggestions.js";

/** Plots at the beginning; what else is worth a look is offered below them. */
const FIRST = 4;

/** Most events that are marked in plots: more would be a bar. */
const MOST_MARKS = 400;

/** Colour of marks of events where a single run has them. */
const FAINT = "#8b96a2";

export class Board {
  readonly element = el("div", { class: "board" });
  readonly panels: Panel[] = [];
  readonly curves: Curves;
  /** Events of all runs in words. */
  happenings: readonly (readonly Happening[])[];
  active: Panel | null = null;
  /** Range of time that is zoomed to (s). */
  range: readonly [number, number] | null = null;
  dark = false;
  colours = { text: "#444", grid: "#ddd" };
  paper = "#fff";
  /** Whether events are marked. */
  private marked = true;
  private readonly off = new Set<number>();
  private readonly list = el("div", { class: "panels" });
  private readonly more: HTMLSelectElement;
  private offered: Suggestion[] = [];
  private readonly window: DeriveWindow;
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly source: Source,
    readonly player: Player,
  ) {
    const { runs } = source.index;
    this.curves = new Curves(source);
    this.happenings = runs.map((run) => run.events.map(happening));
    this.window = new DeriveWindow(this);
    const columns = [...new Set(runs.flatMap((run) => run.columns.slice(1).map(([name]) => name)))];
    const list = (id: string, names: readonly string[]) => el("datalist", { id }, ...names.map((value) => el("option", { value })));
    const add = button("Add a plot", icon(ICONS.plus), () => this.add([]), { className: "add", key: "N" });
    add.append(" Plot");
    const reset = button("Show all times", "All times", () => this.zoom(null), { className: "reset small", key: "0" });
    this.more = el("select", { "aria-label": "Add a suggested plot", class: "more-plots", onchange: () => this.addOffered() });
    this.element.append(
      this.list,
      el("div", { class: "board-tools" }, add, this.more, reset),
      list("gelenk-columns", columns),
      list("gelenk-axes", ["time", FREQUENCY, ...columns]),
      this.window.element,
    );
    player.onChange(() => this.panels.forEach((panel) => panel.update()));
  }

  /** Whether there is one instant only: values, but nothing to draw over time. */
  get still(): boolean {
    return this.player.to <= this.player.from;
  }

  /** Whole range of time of all recordings (s). */
  get span(): readonly [number, number] {
    return [this.player.from, this.still ? this.player.from + 1 : this.player.to];
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Plots to begin with. */
  async begin(): Promise<void> {
    if (this.still) {
      this.element.classList.add("still");
      this.list.append(...(await valueTables(this.source)));
      return;
    }
    const plots = suggestions(this.source.index.runs);
    for (const { columns, x, hidden } of plots.slice(0, FIRST)) {
      this.insert(new Panel(this, columns.map((column) => ({ column })), x, hidden));
    }
    this.offered = plots.slice(FIRST);
    this.offer();
    if (this.panels.length === 0) {
      const still = [...new Set(this.source.index.runs.flatMap((run) => run.columns.slice(1).map(([name]) => name)))];
      this.insert(new Panel(this, [], null, { moving: [], still }));
    }
    this.activate(this.panels[0]!);
    await this.refresh();
  }

  /** Takes over what came to recordings that grow. */
  async grow(): Promise<void> {
    this.happenings = this.source.index.runs.map((run) => run.events.map(happening));
    if (!this.still && this.element.classList.contains("still")) {
      // There was one instant only, and now there is a motion.
      this.element.classList.remove("still");
      this.list.replaceChildren();
      return this.begin();
    }
    await this.refresh();
  }

  /** Lists the suggestions that are not shown. */
  private offer(): void {
    const { offered, more } = this;
    more.hidden = offered.length === 0;
    more.replaceChildren(
      el("option", { value: "" }, `${offered.length} more suggested …`),
      ...offered.map(({ title, columns }, k) => el("option", { value: k }, columns.length > 1 ? `${title}: ${columns.slice(0, 3).join(", ")}${columns.length > 3 ? ", …" : ""}` : title)),
    );
    more.value = "";
  }

  private addOffered(): void {
    const [chosen] = this.more.value === "" ? [] : this.offered.splice(Number(this.more.value), 1);
    if (!chosen) return;
    this.offer();
    this.show(new Panel(this, chosen.columns.map((column) => ({ column })), chosen.x, chosen.hidden));
  }

  add(quantities: readonly Quantity[], x: string | null = null): Panel {
    const panel = new Panel(this, quantities, x);
    return this.still ? panel : this.show(panel);
  }

  private show(panel: Panel): Panel {
    this.insert(panel);
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
    if (this.active === panel || !this.panels.includes(panel)) return;
    this.active = panel;
    for (const known of this.panels) known.element.classList.toggle("active", known === panel);
    this.tell();
  }

  /** Adds a quantity to a plot, or takes it away. Where values stand in place of plots, it is looked at. */
  toggle(quantity: Quantity, panel = this.active): void {
    if (this.still) return this.point(quantity.column);
    (panel ?? this.add([])).toggle(quantity);
    this.tell();
  }

  /** Asks for a rate, a difference or a spectrum. */
  derive(panel = this.active): void {
    if (this.still) return;
    this.window.open(panel ?? this.add([]));
  }

  /** Whether the curves of a run are drawn. */
  isShown(run: number): boolean {
    return !this.off.has(run);
  }

  /** Shows or hides a run everywhere. */
  showRun(run: number, shown: boolean): void {
    if (shown) this.off.delete(run);
    else this.off.add(run);
    this.panels.forEach((panel) => panel.build());
    this.tell();
  }

  /** Marks events in plots over time, or does not. */
  markEvents(): void {
    this.marked = !this.marked;
    this.panels.forEach((panel) => panel.build());
  }

  /** Events that are marked in plots over time. */
  marks(): Mark[] {
    const several = this.source.index.runs.length > 1;
    const [from, to] = this.range ?? this.span;
    const found = this.happenings.flatMap((list, run) =>
      this.isShown(run)
        ? list.filter(({ t }) => t >= from && t <= to).map(({ t }) => ({ x: t, colour: several ? curveColour(run, this.dark) : FAINT }))
        : [],
    );
    return this.marked && found.length <= MOST_MARKS ? found : [];
  }

  /** The event that is nearest to a time. */
  nearest(t: number): Happening | null {
    if (this.marks().length === 0) return null;
    const { runs } = this.source.index;
    let best: Happening | null = null;
    this.happenings.forEach((list, run) => {
      if (!this.isShown(run)) return;
      const after = lowerBound(list.map((event) => event.t), t);
      for (const event of [list[after - 1], list[after]]) {
        if (!event || (best && Math.abs(event.t - t) >= Math.abs(best.t - t))) continue;
        best = runs.length > 1 ? { ...event, text: `${runs[run]!.name}: ${event.text}` } : event;
      }
    });
    return best;
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

  /** Says that what is shown has changed. */
  tell(): void {
    for (const listener of this.listeners) listener();
  }

  /** Leads the eye to the value of a column. */
  private point(column: string): void {
    for (const row of this.list.querySelectorAll<HTMLElement>("[data-column]")) {
      const found = row.dataset["column"] === column;
      row.classList.toggle("pointed", found);
      if (found) row.scrollIntoView({ block: "center" });
    }
  }

  private insert(panel: Panel): Panel {
    this.panels.push(panel);
    this.list.append(panel.element);
    return panel;
  }
}
