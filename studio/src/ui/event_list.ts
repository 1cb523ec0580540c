/** The events of the runs, sorted by kind, to go to. */

import { counted, type Happening, type Kind, KINDS } from "../data/events.js";
import type { Run } from "../data/types.js";
import type { Player } from "../player.js";
import { digits, el } from "./dom.js";
import { card } from "./table.js";

/** Most events that are listed. */
const MOST = 500;

export function eventCard(run: Run, happenings: readonly Happening[], title: string, player: Player): HTMLElement {
  const off = new Set<Kind>();
  const list = el("ol", { class: "events" });
  const write = () => {
    const shown = happenings.filter(({ kind }) => !off.has(kind));
    list.replaceChildren(
      ...shown.slice(0, MOST).map(({ t, text }) =>
        el("li", {}, el("button", { type: "button", onclick: () => player.seek(t) }, el("b", {}, `${digits(t, 7)} s`), el("span", {}, text))),
      ),
    );
    const left = shown.length - Math.min(MOST, shown.length) + (run.eventCount - happenings.length);
    if (left > 0) list.append(el("li", { class: "hint" }, `and ${left} more`));
  };
  const chips = counted(happenings).map(([kind, count]) => {
    const chip = el("button", { type: "button", class: `small kind kind-${kind}`, "aria-pressed": "true" }, `${KINDS[kind]} ${count}`);
    chip.addEventListener("click", () => {
      if (off.has(kind)) off.delete(kind);
      else off.add(kind);
      chip.setAttribute("aria-pressed", String(!off.has(kind)));
      write();
    });
    return chip;
  });
  write();
  return card(title, ...(chips.length > 1 ? [el("div", { class: "kinds" }, ...chips)] : []), list);
}
