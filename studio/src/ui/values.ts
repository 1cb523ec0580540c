/** Values of recordings with a single instant, such as those of inverse kinematics. */

import type { Source } from "../data/source.js";
import type { Column } from "../data/types.js";
import { digits, el } from "./dom.js";
import { breakable, card, runHead, table } from "./table.js";
import { pretty } from "./units.js";

/** Tables of all columns, those of one meaning and unit together; the poses of bodies are in the scene. */
export async function valueTables(source: Source): Promise<HTMLElement[]> {
  const { runs } = source.index;
  const values = await Promise.all(
    runs.map(async (run, k) => {
      const data = await source.rows(k, run.columns.map((_, column) => column), { every: 2 });
      return new Map(run.columns.map(([name], column) => [name, data[column]?.[0] ?? NaN]));
    }),
  );
  const groups = new Map<string, Column[]>();
  const seen = new Set<string>(["t"]);
  for (const column of runs.flatMap((run) => run.columns)) {
    const [name, unit, meaning] = column;
    if (seen.has(name) || name.startsWith("bodies.")) continue;
    seen.add(name);
    const key = [meaning, unit === "1" ? "" : `[${pretty(unit)}]`].filter(Boolean).join(" ");
    groups.set(key, [...(groups.get(key) ?? []), column]);
  }
  return [...groups].map(([title, columns]) => {
    const rows = columns.map(([name]) => [breakable(name), ...values.map((known) => digits(known.get(name) ?? NaN, runs.length > 2 ? 4 : 6))]);
    const made = card(title || "values", table(runs.length > 1 ? ["", ...runs.map(runHead)] : [], rows));
    made.querySelectorAll("tbody tr").forEach((row, k) => row.setAttribute("data-column", columns[k]![0]));
    return el("div", { class: "values" }, made);
  });
}
