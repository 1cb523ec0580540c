/** Keys. */

import { type Player, SPEEDS } from "../player.js";
import type { Board } from "../plots/board.js";
import type { StageTools } from "./stage_tools.js";

export function listen(parts: {
  readonly player: Player;
  readonly board: Board;
  readonly tools: StageTools | null;
  readonly search: HTMLInputElement;
  readonly theme: () => void;
  readonly help: () => void;
}): void {
  const { player, board, tools, search } = parts;
  const speed = (by: number) => {
    const at = SPEEDS.findIndex((known) => known >= player.speed);
    player.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]!);
  };
  const actions: Record<string, () => void> = {
    " ": () => player.toggle(),
    k: () => player.toggle(),
    ArrowLeft: () => player.step(-1),
    ArrowRight: () => player.step(1),
    Home: () => player.seek(player.from),
    End: () => player.seek(player.to),
    "+": () => speed(1),
    "-": () => speed(-1),
    l: () => player.setLoop(!player.loop),
    n: () => board.add([]),
    d: () => board.derive(),
    v: () => board.markEvents(),
    "0": () => board.zoom(null),
    "/": () => search.focus(),
    t: parts.theme,
    "?": parts.help,
    "1": () => tools?.look("home"),
    "2": () => tools?.look("front"),
    "3": () => tools?.look("side"),
    "4": () => tools?.look("top"),
    g: () => tools?.toggle("grid"),
    a: () => tools?.toggle("loads"),
    r: () => tools?.toggle("traces"),
    x: () => tools?.toggle("frames"),
    j: () => tools?.toggle("joints"),
    e: () => tools?.toggle("elements"),
    f: () => tools?.followNext(),
  };
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (event.key === "Escape") return target.blur();
    const typing = target.matches("input:not([type=range]), textarea, select");
    // Buttons are pressed with the space bar.
    if (typing || (event.key === " " && target.matches("button, summary"))) return;
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

export const HELP: readonly (readonly [keys: string, what: string])[] = [
  ["space", "play, pause"],
  ["← →", "previous, next sample"],
  ["Home End", "start, end"],
  ["+ −", "faster, slower"],
  ["L", "repeat"],
  ["1 2 3 4", "whole, front, side, top view"],
  ["F", "follow the next body"],
  ["G A R X J E", "ground, forces, traces, frames, joints, contact elements"],
  ["N", "new plot"],
  ["D", "add a rate, a difference or a spectrum"],
  ["V", "events in the plots"],
  ["0 or double-click", "show all times"],
  ["drag in a plot", "zoom to a range of time"],
  ["click in a plot", "go to this time"],
  ["Shift + click on a column", "new plot"],
  ["/", "search columns"],
  ["T", "light, dark"],
];
