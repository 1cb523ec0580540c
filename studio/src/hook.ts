/** A handle for tests and for the curious: `gelenk` in the console. */

import type { Source } from "./data/source.js";
import { thinRows } from "./data/thin.js";
import type { Player } from "./player.js";
import type { Board } from "./plots/board.js";
import type { Stage } from "./scene/stage.js";

interface Parts {
  readonly source: Source;
  readonly player: Player;
  readonly board: Board;
  readonly stage: Stage | null;
  /** Looks for more rows of a run that goes on. */
  readonly look: (() => Promise<boolean>) | null;
  readonly tabs: (name: string) => void;
  readonly milliseconds: number;
}

export function publish({ source, player, board, stage, look, tabs, milliseconds }: Parts): void {
  const handle = {
    ready: true,
    /** Time from the start of the script to the first picture (ms). */
    milliseconds,
    runs: source.index.runs.map((run) => run.name),
    time: () => player.time,
    /** Looks for more rows of a run that goes on, and tells its rows and its end. */
    grow: async () => {
      await look?.();
      return { rows: source.index.runs[0]!.recorded, to: player.to, growing: source.index.runs[0]!.growing === true };
    },
    seek: (t: number) => player.seek(t),
    play: (on: boolean) => player.toggle(on),
    advance: (seconds: number) => player.advance(seconds),
    tab: tabs,
    /** What the plots show at this time. */
    plots: () => board.panels.map((panel) => panel.facts()),
    add: async (columns: string[], x: string | null) => {
      const panel = board.add(columns.map((column) => ({ column })), x);
      await panel.refresh();
      return board.panels.indexOf(panel);
    },
    /** Shows or hides a run everywhere. */
    show: (run: number, shown: boolean) => board.showRun(run, shown),
    over: async (panel: number, x: string | null) => {
      board.panels[panel]!.setX(x);
      await board.panels[panel]!.refresh();
    },
    zoom: async (range: [number, number] | null) => {
      board.zoom(range);
      await board.refresh();
    },
    table: (panel: number) => board.panels[panel]!.table(),
    svg: (panel: number) => board.panels[panel]!.svg(),
    /** Draws a frame and tells how many were drawn, and of how many triangles. */
    draw: () => {
      stage?.draw(true);
      return { frames: stage?.frames ?? 0, triangles: stage?.triangles() ?? 0, figures: stage?.figures.length ?? 0 };
    },
    /** Share of the width and of the height of the view that the figures take. */
    covered: () => stage?.covered() ?? [0, 0],
    look: (view: "home" | "front" | "side" | "top") => stage?.look(view),
    /** Contact elements that are shown now, and the end of their scale (N/m^2). */
    elements: () => stage?.patches().map((patches) => ({ count: patches.count, top: patches.top(), quantity: patches.quantity })) ?? [],
    /** Colours of the figures, and whether they are seen. */
    figures: () => stage?.figures.map((figure) => ({ colour: figure.colour, visible: figure.root.visible })) ?? [],
    /** Where a body is drawn (m). */
    centre: (body: string, figure = 0) => stage?.figures[figure]?.centre(body)?.toArray() ?? null,
    /** Time to thin so many made-up samples for a plot (ms). */
    thinning: (samples: number) => {
      const time = Float64Array.from({ length: samples }, (_, i) => i);
      const values = time.map((t) => Math.sin(t * 1e-4) + Math.sin(t * 0.7));
      const began = performance.now();
      const rows = thinRows([time, values], 0, samples, 1000).length;
      return { milliseconds: performance.now() - began, rows };
    },
  };
  (window as unknown as { gelenk: typeof handle }).gelenk = handle;
  document.documentElement.dataset["ready"] = "true";
}

