/** Follows recordings that are still being written: their rows, the time line, the plots and the motion grow. */

import { BufferAttribute, Line } from "three";
import type { Source } from "./data/source.js";
import type { Player } from "./player.js";
import type { Board } from "./plots/board.js";
import type { Figure } from "./scene/figure.js";
import type { Stage } from "./scene/stage.js";
import { pointsOf } from "./scene/shapes.js";
import { el } from "./ui/dom.js";

/** Time from one look to the next (ms). */
const PERIOD = 1000;

/** Looks for more rows as long as a recording grows; returns a look that tests can ask for, or nothing where none grows. */
export function follow(
  source: Source,
  player: Player,
  board: Board,
  stage: Stage | null,
  header: HTMLElement,
  changed: () => void,
): (() => Promise<boolean>) | null {
  const { update } = source;
  const growing = () => source.index.runs.some((run) => run.growing);
  if (!update || !growing()) return null;
  const mark = el("span", { class: "growing", title: "This run is not finished; the page follows it" }, "running");
  header.append(mark);
  const look = async (): Promise<boolean> => {
    if (!(await update.call(source))) return false;
    await grown(source, player, board, stage);
    changed();
    if (!growing()) mark.remove();
    return true;
  };
  const again = () => {
    if (!growing()) return;
    // What fails now may succeed the next time.
    setTimeout(() => void look().catch(() => false).then(again), PERIOD);
  };
  again();
  return look;
}

/** Brings the page up to what the recordings are now. */
async function grown(source: Source, player: Player, board: Board, stage: Stage | null): Promise<void> {
  const ends = source.index.runs.flatMap((run) => (run.span ? [run.span[1]] : []));
  player.extend(Math.max(player.to, ...ends));
  const times = await source.rows(0, [0], { every: 100_000 });
  player.steps = times[0] ?? [];
  for (const figure of stage?.figures ?? []) {
    await figure.motion.reload(source);
    retrace(figure);
  }
  stage?.at(player.time);
  await board.grow();
}

/** Draws the paths of a figure again. */
function retrace(figure: Figure): void {
  const { motion } = figure;
  for (const object of figure.layers.traces.children) {
    const body = motion.scene.bodies.find(({ name }) => name === object.name);
    if (!(object instanceof Line) || !body) continue;
    const { ties, centre } = pointsOf(body, motion);
    const path = motion.path(body.name, ties[ties.length - 1] ?? centre, 3000);
    object.geometry.setAttribute("position", new BufferAttribute(path, 3));
    object.geometry.computeBoundingSphere();
  }
}
