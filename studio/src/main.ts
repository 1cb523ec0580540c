/** Puts the page together. */

import "./style/base.css";
import "./style/plots.css";
import "./style/summary.css";
import "./style/time.css";
import { openSource, type Source } from "./data/source.js";
import type { Run } from "./data/types.js";
import { SplitSource } from "./data/variants.js";
import { Player } from "./player.js";
import { Board } from "./plots/board.js";
import { curveColour } from "./plots/colours.js";
import { Motion } from "./scene/motion.js";
import { Stage } from "./scene/stage.js";
import { button, el, icon, ICONS } from "./ui/dom.js";
import { facts } from "./ui/facts.js";
import { HELP, listen } from "./ui/keys.js";
import { differenceStrip } from "./ui/parameters.js";
import { stageTools, type StageTools } from "./ui/stage_tools.js";
import { colour, ThemeChoice } from "./ui/theme.js";
import { timeline } from "./ui/timeline.js";
import { ColumnTree } from "./ui/tree.js";
import { follow } from "./growth.js";
import { publish } from "./hook.js";

/** Most recordings whose motions are drawn over each other. */
const MOST_FIGURES = 4;

async function start(app: HTMLElement): Promise<void> {
  const began = performance.now();
  const source = new SplitSource(await openSource());
  const { runs } = source.index;
  if (runs.length === 0) throw new Error("There is no recording to show.");
  const spans = runs.flatMap((run) => (run.span ? [run.span] : []));
  const player = new Player(
    Math.min(...spans.map(([from]) => from), ...(spans.length ? [] : [0])),
    Math.max(...spans.map(([, to]) => to), ...(spans.length ? [] : [0])),
  );
  const board = new Board(source, player);
  const tree = new ColumnTree(board);
  const view = el("div", { class: "view" });
  const { stage, tools } = await scene(source, view, player, board);
  const theme = new ThemeChoice((dark) => {
    runs.forEach((_, k) => document.documentElement.style.setProperty(`--run-${k}`, curveColour(k, dark)));
    board.theme(dark, { text: colour("--muted"), grid: colour("--grid") }, colour("--surface"));
    stage?.theme(colour("--sky"), colour("--lines"));
  });
  const help = helpWindow();
  const plots = el("div", { class: "sheet", id: "plots" });
  const summary = el("div", { class: "sheet", id: "summary" });
  const summarise = () => summary.replaceChildren(facts(source.index, board.happenings, player));
  summarise();
  const layout = el(
    "div",
    { class: stage ? "layout" : "layout flat" },
    el("aside", { class: "side", id: "columns" }, tree.element),
    view,
    el("main", { class: "right" }, plots, summary),
  );
  const tabs = tabBar(layout, stage !== null);
  const strip = differenceStrip(runs, () => tabs.show("summary"));
  plots.append(...(strip ? [strip] : []), board.element);
  const title = titleOf(runs);
  document.title = title;
  const header = el(
    "header",
    { class: "top" },
    el("span", { class: "brand" }, icon("M4 19L12 6l7 9"), "gelenk"),
    el("h1", { title }, title),
    el("div", { class: "runs" }, ...(runs.length > 1 ? runChips(runs, board) : [])),
    tabs.element,
    button("Keys", "?", () => help.showModal(), { key: "?" }),
    button("Light or dark", icon(ICONS.sun), () => theme.next(), { key: "T" }),
  );
  const times = timeline(player, () => board.happenings);
  app.replaceChildren(header, layout, times.element, help);
  listen({ player, board, tools, search: tree.search, theme: () => theme.next(), help: () => help.showModal() });
  theme.start();
  player.steps = (await source.rows(0, [0], { every: 100_000 }))[0] ?? [];
  player.onChange(() => {
    stage?.at(player.time);
    tools?.scale?.update();
  });
  board.onChange(() => stage?.showRuns((run) => board.isShown(run)));
  await board.begin();
  player.seek(player.from);
  stage?.draw(true);
  run(player, stage);
  const look = follow(source, player, board, stage, header, () => {
    summarise();
    times.mark();
  });
  publish({ source, player, board, stage, look, tabs: tabs.show, milliseconds: performance.now() - began });
}

/** What the page is about: the title that all runs share, or the names of the runs. */
function titleOf(runs: readonly Run[]): string {
  const titles = new Set(runs.map((run) => run.meta["title"] ?? run.name));
  if (titles.size === 1) return [...titles][0]!;
  const names = runs.map((run) => run.name);
  return names.length <= 3 ? names.join(" and ").replace(" and ", names.length === 3 ? ", " : " and ") : `${names.length} runs`;
}

/** The 3-D view, where the recordings have poses and the browser can draw them. */
async function scene(
  source: Source,
  view: HTMLElement,
  player: Player,
  board: Board,
): Promise<{ stage: Stage | null; tools: StageTools | null }> {
  const moving = source.index.runs.flatMap((run, k) => (Motion.has(run) ? [k] : []));
  const numbers = moving.slice(0, MOST_FIGURES);
  const motions = (await Promise.all(numbers.map((k) => Motion.load(source, k)))).flat();
  if (motions.length === 0) return { stage: null, tools: null };
  try {
    const stage = new Stage(view, motions, (run) => curveColour(run, board.dark));
    const tools = stageTools(stage, source.index.runs[0]!.name, () => player.time);
    view.append(tools.element, ...(tools.scale ? [tools.scale.element] : []));
    if (moving.length > numbers.length) {
      const drawn = `The first ${numbers.length} of ${moving.length} runs are drawn; the plots show all.`;
      view.append(el("p", { class: "hint scene-note" }, drawn));
    }
    const label = el("div", { class: "label", hidden: true });
    view.append(label);
    view.addEventListener("pointermove", (event) => {
      const body = event.buttons === 0 && event.target instanceof HTMLCanvasElement ? stage.pick(event.clientX, event.clientY) : null;
      label.hidden = body === null;
      label.textContent = body;
      const area = view.getBoundingClientRect();
      label.style.transform = `translate(${event.clientX - area.left + 14}px, ${event.clientY - area.top + 10}px)`;
    });
    return { stage, tools };
  } catch (error) {
    view.append(el("p", { class: "hint" }, `This browser cannot draw in three dimensions: ${String(error)}`));
    return { stage: null, tools: null };
  }
}

/** Moves the time on while it plays, and draws what has changed. */
function run(player: Player, stage: Stage | null): void {
  let last = performance.now();
  const frame = (now: number) => {
    // After a pause of the browser the time does not jump.
    player.advance(Math.min(0.25, (now - last) / 1000));
    last = now;
    stage?.draw();
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** The runs with their colours and titles; pressing one shows or hides it everywhere. */
function runChips(runs: readonly Run[], board: Board): HTMLElement[] {
  const titles = new Set(runs.map((run) => run.meta["title"] ?? ""));
  const chips = runs.map((run, k) => {
    const title = titles.size > 1 ? run.meta["title"] : undefined;
    const chip = button(`Show or hide ${run.name}`, run.name, () => board.showRun(k, !board.isShown(k)), { className: "run" });
    if (title && title !== run.name) chip.append(el("small", {}, title));
    chip.style.setProperty("--colour", `var(--run-${k})`);
    chip.title = `${[run.name, run.meta["title"]].filter(Boolean).join(": ")}; show or hide`;
    return chip;
  });
  const mark = () => chips.forEach((chip, k) => chip.setAttribute("aria-pressed", String(board.isShown(k))));
  board.onChange(mark);
  mark();
  return chips;
}

interface Tabs {
  readonly element: HTMLElement;
  show(name: string): void;
}

/** Chooses what is on the right, or on a narrow screen what is seen at all. Where there is room, plots and summary are both seen. */
function tabBar(layout: HTMLElement, hasScene: boolean): Tabs {
  const names = [["scene", "Scene"], ["plots", "Plots"], ["columns", "Columns"], ["summary", "Summary"]] as const;
  const element = el("nav", { class: "tabs", role: "tablist" });
  const buttons = new Map<string, HTMLButtonElement>();
  const show = (name: string) => {
    layout.dataset["tab"] = name;
    for (const [known, made] of buttons) made.setAttribute("aria-selected", String(known === name));
    window.dispatchEvent(new Event("resize"));
  };
  for (const [name, label] of names) {
    if (name === "scene" && !hasScene) continue;
    const made = button(label, label, () => show(name), { className: `tab tab-${name}` });
    made.setAttribute("role", "tab");
    buttons.set(name, made);
    element.append(made);
  }
  show(window.matchMedia("(max-width: 760px)").matches && hasScene ? "scene" : "plots");
  return { element, show };
}

function helpWindow(): HTMLDialogElement {
  const rows = HELP.map(([keys, what]) => el("tr", {}, el("th", { scope: "row" }, keys), el("td", {}, what)));
  const shown: HTMLDialogElement = el(
    "dialog",
    { class: "help", onclick: (event) => event.target === shown && shown.close() },
    el("h2", {}, "Keys"),
    el("table", {}, el("tbody", {}, ...rows)),
    el(
      "details",
      { class: "notices" },
      el("summary", {}, "Licences"),
      el("p", {}, "Gelenk: MIT or Apache-2.0. This page contains:"),
      el("pre", {}, document.getElementById("gelenk-notices")?.textContent ?? ""),
    ),
    el("form", { method: "dialog" }, el("button", {}, "Close")),
  );
  return shown;
}

const app = document.getElementById("app")!;
start(app).catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  app.replaceChildren(el("p", { class: "loading" }, `The recording cannot be shown: ${message}`));
  throw error;
});
