/** What plots show: what moves, events in words, derived curves; by keyboard, in light and dark. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { ask, browser, folder, gelenk, numbers, open, recording, report, simulated, until } from "./harness.js";

let chrome: Browser;
before(async () => {
  chrome = await browser();
});
after(() => chrome.close());

/** A mass on a spring: x = 0.1 m cos(2 pi 2 Hz t), in closed form; a second mass that rests. */
function oscillator(): string {
  const model = join(folder, "oscillator.toml");
  writeFileSync(
    model,
    `schema = 1
title = "An oscillator beside a mass at rest"
gravity = [0, 0, 0]
[bodies.block]
mass = 1
inertia = [0, 0, 0]
[bodies.still]
mass = 1
inertia = [0, 0, 0]
[joints.slide]
type = "prismatic"
parent = "ground"
child = "block"
axis = [1, 0, 0]
coordinate = { name = "x", start = 0.1, spring = { stiffness = "${(4 * Math.PI) ** 2} N/m" } }
[joints.rest]
type = "prismatic"
parent = "ground"
child = "still"
axis = [0, 1, 0]
coordinate = { name = "y", start = 0.3 }
[simulate]
until = "8 s"
output = "5 ms"
solver = { method = "dop853", rtol = 1e-10, atol = 1e-12 }
`,
  );
  return simulated(model, "oscillator");
}

/** Adds a derived curve through its window, with the keyboard alone. */
async function derive(page: Page, kind: string, fields: Record<string, string> = {}): Promise<void> {
  await page.keyboard.press("d");
  const shown = page.locator("dialog.derive-window");
  await shown.waitFor();
  await shown.locator("select").first().selectOption({ label: kind });
  for (const [label, value] of Object.entries(fields)) await shown.getByLabel(label, { exact: true }).fill(value);
  // In a field the Enter key is enough; from the list the next stop is the button.
  if (Object.keys(fields).length === 0) await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
}

test("flat lines do not come first, and what is left out is said and can be added", async () => {
  const { page, errors } = await open(chrome, `file://${report(oscillator())}`);
  const labels = () => ask(page, 0, (_, g) => g.plots()[0]!.curves.map(({ label }) => label));
  assert.deepEqual(await labels(), ["x"]);
  assert.match(await page.innerText(".panel:first-child .hidden-note"), /Hardly moving: y/);
  await page.click(".panel:first-child .hidden-note button");
  await until(page, (g) => g.plots()[0]!.curves.length === 2);
  assert.deepEqual(await labels(), ["x", "y"]);
  assert.equal(await page.locator(".panel:first-child .hidden-note").count(), 0);
  await page.close();
  // Of many curves the strongest are drawn; the others are one press away, and the legend leaves room for the plot.
  const legs = join(folder, "many.parquet");
  gelenk("inverse", "cases/legs-inverse/study.toml", "-o", legs);
  const many = await open(chrome, `file://${report(legs)}`);
  const note = await many.page.innerText(".panel:first-child .hidden-note");
  const left = Number(/(\d+) more curves move/.exec(note)![1]);
  assert.equal((await ask(many.page, 0, (_, g) => g.plots()[0]!)).curves.length, 6);
  await many.page.click(`.panel:first-child .hidden-note button:has-text("Add all ${left}")`);
  await until(many.page, (g) => g.plots()[0]!.curves.length > 6);
  assert.equal((await ask(many.page, 0, (_, g) => g.plots()[0]!)).curves.length, 6 + left);
  assert.match(await many.page.innerText(".panel:first-child .legend"), /… \d+ more/);
  const [head, plot] = await Promise.all([".panel:first-child header", ".panel:first-child .plot-area"].map((part) => many.page.locator(part).boundingBox()));
  assert.ok(plot!.height >= 150 && head!.height < 150, `${head!.height} ${plot!.height}`);
  await many.page.click(".panel:first-child .chip.more");
  assert.equal(await many.page.locator(".panel:first-child .chip:not(.more)").count(), 6 + left);
  assert.deepEqual([...errors, ...many.errors], []);
  await many.page.close();
});

test("a rate, a difference and a spectrum are added by the keyboard", async () => {
  const run = oscillator();
  const { page, errors } = await open(chrome, `file://${report(run)}`);
  await derive(page, "Rate of change of a column", { Column: "x" });
  await until(page, (g) => g.plots()[0]!.curves.length === 2);
  // Closed form: dx/dt = -0.1 (4 pi) sin(4 pi t), here at t = 3/16 s; differences of samples 5 ms apart are exact to 0.1 %.
  const rate = await ask(page, 3 / 16, (t, g) => (g.seek(t), g.plots()[0]!.curves[1]!));
  assert.deepEqual([rate.label, rate.unit], ["d/dt x", "m/s"]);
  assert.ok(Math.abs(rate.value + 0.4 * Math.PI * Math.sin(0.75 * Math.PI)) < 2e-3, String(rate.value));
  // The recorded rate is the same, in the difference of both.
  await derive(page, "Difference of two columns", { Column: "x", "minus column": "y" });
  await until(page, (g) => g.plots()[0]!.curves.length === 3);
  const difference = await ask(page, 0, (t, g) => (g.seek(t), g.plots()[0]!.curves[2]!));
  assert.equal(difference.label, "x − y");
  assert.ok(Math.abs(difference.value + 0.2) < 1e-12, String(difference.value));
  // What is saved is what is drawn, not thinned.
  const table = numbers(await ask(page, 0, (k, g) => g.table(k)));
  assert.equal(table.length, 1601);
  assert.ok(Math.abs(table[100]![3]! - (table[100]![1]! - 0.3)) < 1e-12);
  // A refusal says why, and the window stays.
  await derive(page, "Difference of two columns", { Column: "x", "minus column": "x.rate" });
  assert.match(await page.innerText("dialog .error"), /“x” is in m and “x.rate” in m\/s/);
  await page.keyboard.press("Escape");
  await page.locator("dialog.derive-window").waitFor({ state: "hidden" });
  // Two hertz, a tenth of a metre.
  const panel = await ask(page, "", (_, g) => g.add(["x"], null));
  await derive(page, "Spectrum (FFT) of this plot");
  await until(page, (g) => g.plots().some(({ x }) => x === "frequency (FFT)"));
  const [f, a] = (await ask(page, panel, (k, g) => g.plots()[k]!)).curves[0]!.peak;
  assert.ok(Math.abs(f - 2) < 0.01 && Math.abs(a - 0.1) < 1e-3, `${a} m at ${f} Hz`);
  assert.match(await ask(page, panel, (k, g) => g.svg(k)), /frequency \[Hz\]/);
  await page.click(`.panel:nth-child(${panel + 1}) button[aria-label="Logarithmic axes"]`);
  assert.match(await ask(page, panel, (k, g) => g.svg(k)), />0\.1</);
  // Zooming plots over time changes what the spectrum is made of.
  await ask(page, 0, (_, g) => g.zoom([0, 2]));
  const near = (await ask(page, panel, (k, g) => g.plots()[k]!)).curves[0]!.peak;
  assert.ok(Math.abs(near[0] - 2) < 0.05, String(near));
  assert.deepEqual(errors, []);
  await page.close();
});

test("a run is subtracted from another", async () => {
  const one = recording("four-bar", "1 s");
  const two = recording("four-bar", "1 s", "--set", "joints.o.coordinate.start=1.1 rad");
  const { page, errors } = await open(chrome, `file://${report(one, two)}`);
  await derive(page, "Difference from another run", { Column: "theta" });
  await until(page, (g) => g.plots()[0]!.curves.length === 3);
  const shown = await ask(page, 0.5, (t, g) => (g.seek(t), g.plots()[0]!.curves[2]!));
  const at = (run: string) => numbers(gelenk("export", run, "-c", "theta")).find(([t]) => Math.abs(t! - 0.5) < 1e-9)![1]!;
  assert.ok(Math.abs(shown.value - (at(two) - at(one))) < 1e-12, String(shown.value));
  assert.match(shown.label, /theta · .* − /);
  assert.deepEqual(errors, []);
  await page.close();
});

test("events are reported in words, sorted by kind, and named in the plots", async () => {
  const run = recording("bouncing-ball", "10 s");
  const { page, errors } = await open(chrome, `file://${report(run)}`);
  // Closed form: the first bounce of a ball that falls 1 m is after sqrt(2/9.81) s.
  const first = Math.sqrt(2 / 9.81);
  const box = (await page.locator(".panel:first-child .u-over").boundingBox())!;
  await page.mouse.move(box.x + (box.width * first) / 10, box.y + box.height / 2);
  assert.equal(await page.innerText(".event-label"), "fall hits its stop");
  await page.mouse.move(5, 5);
  await page.click('button[role="tab"]:has-text("Summary")');
  const events = page.locator(".events li button");
  const count = await events.count();
  assert.match(await events.first().innerText(), /0\.4515236 s\s*fall hits its stop/);
  await events.first().click();
  assert.ok(Math.abs((await ask(page, 0, (_, g) => g.time())) - first) < 1e-9);
  // Many bounces, and one rest at their end.
  const hits = page.locator(".kind-hit");
  assert.equal(await page.locator(".kind-rest").innerText(), "comes to rest 1");
  assert.equal(await hits.innerText(), `hits ${count - 1}`);
  await hits.click();
  assert.equal(await hits.getAttribute("aria-pressed"), "false");
  assert.ok((await events.count()) < count);
  assert.deepEqual(errors, []);
  await page.close();
});

test("the page is used by the keyboard, and everything that can be pressed has a name", async () => {
  const { page, errors } = await open(chrome, `file://${report(oscillator())}`);
  const nameless = await page.evaluate(`[...document.querySelectorAll("button, select, input")].filter((part) => {
    const label = part.getAttribute("aria-label") || part.textContent.trim() || part.closest("label")?.textContent.trim();
    return !label;
  }).map((part) => part.outerHTML)`);
  assert.deepEqual(nameless, []);
  // From the search of columns on, the tab key comes to the tools of the plots, which can be seen to have the focus.
  await page.keyboard.press("/");
  const seen: string[] = [];
  for (let k = 0; k < 60; k++) {
    await page.keyboard.press("Tab");
    seen.push(String(await page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.className")));
    const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    assert.notEqual(outline, "none", seen[seen.length - 1]);
    if (seen.includes("Save this plot")) break;
  }
  for (const part of ["Horizontal axis", "Add a rate, a difference or a spectrum", "Save this plot"]) assert.ok(seen.includes(part), `${part}: ${seen.join(", ")}`);
  assert.deepEqual(errors, []);
  await page.close();
});

/** Contrast of two colours (WCAG 2.2, relative luminance). */
const CONTRAST = `(a, b) => {
  const light = (colour) => {
    const canvas = document.createElement("canvas").getContext("2d");
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
}`;

test("texts and curves can be read in light and dark", async () => {
  const rig = join(folder, "laws.parquet");
  gelenk("law", "run", "cases/drift-of-laws/rig.toml", "-o", rig);
  const { page } = await open(chrome, `file://${report(rig)}`);
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForSelector(`html[data-theme=${scheme}]`, { state: "attached" });
    const ratio = (colour: string, ground: string) =>
      page.evaluate(`(${CONTRAST})(getComputedStyle(document.documentElement).getPropertyValue("${colour}"), getComputedStyle(document.documentElement).getPropertyValue("${ground}"))`) as Promise<number>;
    // WCAG 2.2: 4.5 for texts, 3 for what graphics are understood by.
    for (const text of ["--ink", "--muted", "--accent"]) {
      for (const ground of ["--surface", "--sunken"]) assert.ok((await ratio(text, ground)) >= 4.5, `${scheme} ${text} on ${ground}: ${await ratio(text, ground)}`);
    }
    for (let run = 0; run < 11; run++) assert.ok((await ratio(`--run-${run}`, "--surface")) >= 3, `${scheme} run ${run}: ${await ratio(`--run-${run}`, "--surface")}`);
  }
  await page.close();
});
