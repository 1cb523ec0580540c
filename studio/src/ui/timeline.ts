/** Play, pause, step, scrub, speed and loop. */

import type { RunEvent } from "../data/types.js";
import { type Player, SPEEDS } from "../player.js";
import { button, el, icon, ICONS } from "./dom.js";

export function timeline(player: Player, events: readonly RunEvent[]): HTMLElement {
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
  const width = player.to - player.from;
  // More would be a bar.
  for (const [t, element, what] of events.length <= 600 && width > 0 ? events : []) {
    const left = (100 * (t - player.from)) / width;
    ticks.append(el("i", { style: `left: ${left}%`, title: `${element} ${what}` }));
  }
  const decimals = width > 0 ? Math.min(6, Math.max(2, Math.ceil(2 - Math.log10(width)))) : 2;
  const clock = el("output", { class: "clock" });
  const speed = el("select", { "aria-label": "Speed", title: "Speed (+ and −)", onchange: () => player.setSpeed(Number(speed.value)) });
  for (const factor of SPEEDS) speed.append(el("option", { value: factor }, `${factor}×`));
  const update = () => {
    slider.max = String(player.to > player.from ? player.to : player.from + 1);
    slider.value = String(player.time);
    clock.textContent = `${player.time.toFixed(decimals)} s`;
    play.replaceChildren(icon(player.playing ? ICONS.pause : ICONS.play));
    play.setAttribute("aria-label", player.playing ? "Pause" : "Play");
    loop.setAttribute("aria-pressed", String(player.loop));
    speed.value = String(player.speed);
    slider.setAttribute("aria-valuetext", clock.textContent);
  };
  player.onChange(update);
  update();
  return el(
    "footer",
    { class: width > 0 ? "timeline" : "timeline still" },
    button("One sample back", icon(ICONS.back), () => player.step(-1), { key: "←" }),
    play,
    button("One sample on", icon(ICONS.forward), () => player.step(1), { key: "→" }),
    clock,
    el("div", { class: "track" }, ticks, slider),
    speed,
    loop,
  );
}
