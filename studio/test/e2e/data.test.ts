/** Tables of other programs in the page: gaps, one row, many columns, other columns and units next to a run. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { ask, bench, browser, folder, gelenk, open, recording, report, until } from "./harness.js";

let chrome: Browser;
before(async () => {
  chrome = await browser();
});
after(() => chrome.close());

/** Writes a table and returns its file. */
function table(name: string, rows: readonly (readonly (string | number)[])[]): string {
  const file = join(folder, `${name}.csv`);
  writeFileSync(file, `${rows.map((row) => row.join(",")).join("\n")}\n`);
  return file;
}

/** A report of tables and recordings. */
function shown(name: string, ...files: string[]): string {
  const out = join(folder, `${name}.html`);
  gelenk("report", ...files, "-o", out);
  return `file://${out}`;
}

test("gaps stay gaps, samples between gaps are seen, and a column without numbers breaks nothing", async () => {
  const rows = Array.from({ length: 40 }, (_, k) => [k / 10, k % 2 === 0 ? Math.sin(k / 5) : "nan", k < 10 || k > 20 ? k : "", "nan", k === 7 ? "inf" : 1]);
  const { page, errors } = await open(chrome, shown("gaps", table("gaps", [["t", "sparse", "gap", "none", "spike"], ...rows])));
  const curves = await ask(page, 0, (_, g) => g.plots().flatMap((plot) => plot.curves));
  assert.ok(curves.some(({ label }) => label === "sparse") && curves.some(({ label }) => label === "gap"));
  const panel = await ask(page, 0, (_, g) => g.add(["sparse", "none"], null));
  const drawing = await ask(page, panel, (k, g) => g.svg(k));
  assert.equal(drawing.match(/<circle/g)?.length, 20);
  // A value in a gap is not made up.
  const values = await ask(page, 1.55, (t, g) => (g.seek(t), g.plots().flatMap((plot) => plot.curves).map(({ label, value }) => [label, value] as const)));
  assert.ok(Number.isNaN(values.find(([label]) => label === "gap")![1]));
  // Rates and spectra of what has gaps, or of nothing, end with a page that works.
  await ask(page, panel, (k, g) => g.over(k, "frequency (FFT)"));
  assert.equal((await ask(page, panel, (k, g) => g.plots()[k]!)).curves.length, 2);
  assert.deepEqual(errors, []);
  await page.close();
});

test("one row is shown as values", async () => {
  const { page, errors } = await open(chrome, shown("one", table("one", [["t", "angle [deg]", "current [A]"], [0.5, 30, 2]])));
  const text = await page.innerText(".board");
  assert.match(text, /angle[\s\S]*0\.523599/);
  assert.match(text, /current[\s\S]*2/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("three hundred columns: six are drawn, the others are named and can be added", async () => {
  const names = Array.from({ length: 300 }, (_, k) => `channel ${k} [V]`);
  const rows = Array.from({ length: 50 }, (_, i) => [i / 100, ...names.map((_, k) => (k % 3 === 0 ? 1 : Math.sin(i / 7 + k) * (1 + k / 300)))]);
  const { page, errors } = await open(chrome, shown("wide", table("wide", [["t", ...names], ...rows])));
  assert.equal((await ask(page, 0, (_, g) => g.plots()[0]!)).curves.length, 6);
  assert.match(await page.innerText(".panel:first-child .hidden-note"), /194 more curves move:[\s\S]*100 hardly move/);
  await page.click('.panel:first-child .hidden-note button:has-text("Add all 194")');
  await until(page, (g) => g.plots()[0]!.curves.length === 200);
  const plot = (await page.locator(".panel:first-child .plot-area").boundingBox())!;
  assert.ok(plot.height >= 150, String(plot.height));
  // The page stays one screen wide.
  assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  await page.fill(".tree input", "channel 299");
  assert.equal(await page.locator(".leaf").count(), 1);
  assert.deepEqual(errors, []);
  await page.close();
});

test("a table next to a run has its own colour; units that differ have their own axes and no difference", async () => {
  const run = recording("four-bar", "1 s");
  const rows = Array.from({ length: 101 }, (_, k) => [k / 100, 60 + k, k % 7, 0.2]);
  const log = table("log", [["t", "theta [counts]", "current [A]", "still [A]"], ...rows]);
  const { page, errors } = await open(chrome, shown("both", run, log));
  const runs = await ask(page, 0, (_, g) => g.runs);
  assert.deepEqual(runs, ["four-bar", "log"]);
  const plots = await ask(page, 0, (_, g) => g.plots());
  const theta = plots.find(({ curves }) => curves[0]!.label.startsWith("theta"))!;
  assert.deepEqual(theta.curves.map(({ label, unit }) => [label, unit]), [["theta · four-bar", "rad"], ["theta · log", "counts"]]);
  assert.notEqual(theta.curves[0]!.colour, theta.curves[1]!.colour);
  await page.keyboard.press("d");
  const derive = page.locator("dialog.derive-window");
  await derive.locator("select").first().selectOption({ label: "Difference from another run" });
  await derive.getByLabel("Column", { exact: true }).fill("theta");
  await page.keyboard.press("Enter");
  assert.match(await derive.locator(".error").innerText(), /a difference needs one unit/);
  await page.keyboard.press("Escape");
  // Columns that only the table has are there, too.
  const panel = await ask(page, 0, (_, g) => g.add(["current"], null));
  assert.deepEqual((await ask(page, panel, (k, g) => g.plots()[k]!)).curves.map(({ label }) => label), ["current · log"]);
  assert.deepEqual(errors, []);
  await page.close();
});

test("two friction laws and the log that they were fitted to", async () => {
  const { page, errors } = await open(chrome, `file://${report(...bench())}`, { width: 1440, height: 930 });
  assert.deepEqual(await ask(page, 0, (_, g) => g.runs), ["lugre", "coulomb", "log"]);
  const [plot] = await ask(page, 4, (t, g) => (g.seek(t), g.plots()));
  assert.deepEqual(plot!.curves.slice(0, 3).map(({ label }) => label), ["phi · lugre", "phi · coulomb", "phi · log"]);
  assert.equal(new Set(plot!.curves.slice(0, 3).map(({ colour }) => colour)).size, 3);
  assert.match(await page.innerText(".strip"), /joints\.elbow\.friction\.law\s*lugre\s*coulomb\s*–/);
  // The log has no scene; the two runs have.
  assert.equal((await ask(page, 0, (_, g) => g.draw())).figures, 2);
  assert.deepEqual(errors, []);
  await page.close();
});
