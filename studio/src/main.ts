/** Puts the page together. */

import "./style.css";
import { openSource, type Source } from "./data/source.js";
import { Player } from "./player.js";
import { Board } from "./plots/board.js";
import { Motion } from "./scene/motion.js";
import { Stage } from "./scene/stage.js";
import { button, el, icon, ICONS } from "./ui/dom.js";
import { facts } from "./ui/facts.js";
import { HELP, listen } from "./ui/keys.js";
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
  const source = await openSource();
  const { runs } = source.index;
  const first = runs[0];
  if (!first) throw new Error("There is no recording to show.");
  const spans = runs.flatMap((run) => (run.span ? [run.span] : []));
  const player = new Player(
    Math.min(...spans.map(([from]) => from), ...(spans.length ? [] : [0])),
    Math.max(...spans.map(([, to]) => to), ...(spans.length ? [] : [0])),
  );
  document.title = first.meta["title"] ?? first.name;
  const board = new Board(source, player);
  const tree = new ColumnTree(board);
  const view = el("div", { class: "view" });
  const { stage, tools } = await scene(source, view, player);
  const theme = new ThemeChoice((dark) => {
    board.theme(dark, { text: colour("--muted"), grid: colour("--grid") }, colour("--surface"));
    stage?.theme(colour("--sky"), colour("--lines"));
  });
  const help = helpWindow();
  const layout = el(
    "div",
    { class: stage ? "layout" : "layout flat" },
    el("aside", { class: "side", id: "columns" }, tree.element),
    view,
    el("main", { class: "right" }, el("div", { class: "sheet", id: "plots" }, board.element), el("div", { class: "sheet", id: "summary" }, facts(source.index, player))),
  );
  const tabs = tabBar(layout, stage !== null);
  const chips = runs.length > 1 || (stage?.figures.length ?? 0) > 1 ? runChips(source, stage) : [];
  const header = el(
    "header",
    { class: "top" },
    el("span", { class: "brand" }, icon("M4 19L12 6l7 9"), "gelenk"),
    el("h1", {}, first.meta["title"] ?? first.name),
    ...chips,
    tabs.element,
    button("Keys", "?", () => help.showModal(), { key: "?" }),
    button("Light or dark", icon(ICONS.sun), () => theme.next(), { key: "T" }),
  );
  app.replaceChildren(header, layout, timeline(player, first.events), help);
  listen({ player, board, tools, search: tree.search, theme: () => theme.next(), help: () => help.showModal() });
  theme.start();
  const times = await source.rows(0, [0], { every: 100_000 });
  player.steps = times[0] ?? [];
  player.onChange(() => {
    stage?.at(player.time);
    tools?.scale?.update();
  });
  await board.begin();
  player.seek(player.from);
  stage?.draw(true);
  run(player, stage);
  const look = follow(source, player, board, stage, header);
  publish({ source, player, board, stage, look, tabs: tabs.show, milliseconds: performance.now() - began });
}

/** The 3-D view, where the recordings have poses and the browser can draw them. */
async function scene(
  source: Source,
  view: HTMLElement,
  player: Player,
): Promise<{ stage: Stage | null; tools: StageTools | null }> {
  const numbers = source.index.runs.map((_, k) => k).slice(0, MOST_FIGURES);
  const motions = (await Promise.all(numbers.map((k) => Motion.load(source, k)))).flat();
  if (motions.length === 0) return { stage: null, tools: null };
  try {
    const stage = new Stage(view, motions);
    const tools = stageTools(stage, source.index.runs[0]!.name, () => player.time);
    view.append(tools.element, ...(tools.scale ? [tools.scale.element] : []));
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

/** Names of what is drawn over each other; pressing one hides its figure. */
function runChips(source: Source, stage: Stage | null): HTMLElement[] {
  const { runs } = source.index;
  if (!stage) return runs.map((run, k) => el("span", { class: `run run-${k}` }, run.name));
  return stage.figures.map((figure) => {
    const { run, prefix } = figure.motion;
    const name = [runs.length > 1 ? runs[run]!.name : "", prefix.replace(/\.$/, "")].filter(Boolean).join(" ");
    const press = () => {
      figure.root.visible = !figure.root.visible;
      chip.setAttribute("aria-pressed", String(figure.root.visible));
      stage.invalidate();
    };
    const className = `run run-${runs.length > 1 ? run : 0}`;
    const chip: HTMLButtonElement = button(`Show or hide ${name}`, name, press, { className });
    chip.style.setProperty("--colour", figure.colour);
    chip.setAttribute("aria-pressed", "true");
    return chip;
  });
}

interface Tabs {
  readonly element: HTMLElement;
  show(name: string): void;
}

/** Chooses what stands on the right, or on a narrow screen what is seen at all. */
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
