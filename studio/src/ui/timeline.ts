/** Play, pause, step, scrub, speed and loop. */

import type { Happening } from "../data/events.js";
import { type Player, SPEEDS } from "../player.js";
import { button, el, icon, ICONS } from "./dom.js";

/** Most events that are marked: more would be a bar. */
const MOST_TICKS = 600;

/** The bar below the page; `mark` marks the events anew. */
export interface Timeline {
  readonly element: HTMLElement;
  mark(): void;
}

/** `happenings` are the events of each run. */
export function timeline(player: Player, happenings: () => readonly (readonly Happening[])[]): Timeline {
  const play = button("Play", icon(ICONS.play), () => player.toggle(), { className: "play", key: "space" });
  const loop = button("Repeat", icon(ICONS.loop), () => player.setLoop(!player.loop), { key: "L" });
  const slider = el("input", {
    type: "range",
    min: player.from,
    max: player.to > player.from ? player.to : player.from + 1,
    step: "any",
    "aria-label": "Time",
    oninput: () => player.seek(Number(slider.value)),
  });
  const ticks = el("div", { class: "ticks" });
  const width = () => player.to - player.from;
  const decimals = () => (width() > 0 ? Math.min(6, Math.max(2, Math.ceil(2 - Math.log10(width())))) : 2);
  const clock = el("output", { class: "clock" });
  const speed = el("select", { "aria-label": "Speed", title: "Speed (+ and −)", onchange: () => player.setSpeed(Number(speed.value)) });
  for (const factor of SPEEDS) speed.append(el("option", { value: factor }, `${factor}×`));
  const update = () => {
    slider.max = String(player.to > player.from ? player.to : player.from + 1);
    slider.value = String(player.time);
    clock.textContent = `${player.time.toFixed(decimals())} s`;
    play.replaceChildren(icon(player.playing ? ICONS.pause : ICONS.play));
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    loop.setAttribute("aria-pressed", String(player.loop));
    speed.value = String(player.speed);
    slider.setAttribute("aria-valuetext", clock.textContent);
  };
  player.onChange(update);
  update();
  const element = el(
    "footer",
    { class: "timeline" },
    button("Previous sample", icon(ICONS.back), () => player.step(-1), { key: "←" }),
    play,
    button("Next sample", icon(ICONS.forward), () => player.step(1), { key: "→" }),
    clock,
    el("div", { class: "track" }, ticks, slider),
    speed,
    loop,
  );
  const mark = () => {
    const all = happenings();
    const count = all.reduce((sum, list) => sum + list.length, 0);
    element.classList.toggle("still", !(width() > 0));
    ticks.replaceChildren();
    all.forEach((list, run) => {
      for (const { t, text } of count <= MOST_TICKS && width() > 0 ? list : []) {
        const left = (100 * (t - player.from)) / width();
        const colour = all.length > 1 ? `; --colour: var(--run-${run})` : "";
        ticks.append(el("i", { style: `left: ${left}%${colour}`, title: text }));
      }
    });
  };
  mark();
  return { element, mark };
}
