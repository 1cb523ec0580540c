/** Runs beside each other: colours, titles, what differs, rigs. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { ask, browser, folder, gelenk, numbers, open, recording, report, servos, until } from "./harness.js";

let chrome: Browser;
before(async () => {
  chrome = await browser();
});
after(() => chrome.close());

test("two friction laws on one log: every run has its colour everywhere, and the page says what differs", async () => {
  const [lugre, coulomb] = servos();
  const { page, errors, asked } = await open(chrome, `file://${report(lugre, coulomb)}`, { width: 1440, height: 860 });
  assert.deepEqual(await ask(page, 0, (_, g) => g.runs), ["lugre", "coulomb"]);
  const plots = await ask(page, 0, (_, g) => g.plots());
  assert.ok(plots.length >= 3);
  // One column a plot, a colour a run, the same in all plots.
  const [one, two] = plots[0]!.curves.map(({ colour }) => colour);
  assert.notEqual(one, two);
  for (const { curves } of plots) {
    assert.deepEqual(curves.map(({ colour, dashed }) => [colour, dashed]), [[one, false], [two, false]]);
    assert.match(curves[0]!.label, / · lugre$/);
    assert.match(curves[1]!.label, / · coulomb$/);
  }
  // So have the figures in the scene and the names in the header.
  assert.deepEqual((await ask(page, 0, (_, g) => (g.draw(), g.figures()))).map(({ colour }) => colour), [one, two]);
  const chips = await page.locator(".run").allInnerTexts();
  assert.deepEqual(chips, ["lugre", "coulomb"]);
  // A second column of a plot keeps the colours of the runs and is dashed.
  await page.fill(".tree input", "target");
  await page.click('.leaf[data-column="target"]');
  await until(page, (g) => g.plots()[0]!.curves.length === 4);
  const four = (await ask(page, 0, (_, g) => g.plots()[0]!)).curves;
  assert.deepEqual(four.map(({ colour, dashed }) => [colour, dashed]), [[one, false], [two, false], [one, true], [two, true]]);
  // What differs: the law first, with a value for each run.
  assert.match(await page.innerText(".strip"), /joints\.shoulder\.friction\.law\s*lugre\s*coulomb/);
  await page.click('button[role="tab"]:has-text("Summary")');
  const card = page.locator(".card", { hasText: "What differs" });
  const rows = (await card.locator("tbody tr").allInnerTexts()).map((row) => row.split(/\s+/));
  assert.deepEqual(rows[0], ["joints.shoulder.friction.law", "lugre", "coulomb"]);
  const sigma = rows.find(([path]) => path === "joints.shoulder.friction.sigma0");
  assert.deepEqual(sigma, ["joints.shoulder.friction.sigma0", "N", "m/rad", "60", "–"]);
  assert.equal(rows.some(([path]) => path === "joints.shoulder.friction.coulomb"), false);
  assert.match(await page.innerText(".facts"), /All \d+ parameters/);
  assert.deepEqual(errors, []);
  assert.deepEqual(asked, []);
  await page.close();
});

test("a run is hidden everywhere, and shown again", async () => {
  const one = recording("four-bar", "1 s");
  const two = recording("four-bar", "1 s", "--set", "joints.o.coordinate.start=1.1 rad");
  const { page, errors } = await open(chrome, `file://${report(one, two)}`);
  const curves = await ask(page, 0, (t, g) => (g.seek(t), g.plots()[0]!.curves));
  assert.deepEqual(curves.length, 2);
  assert.ok(Math.abs(curves[0]!.value - Math.PI / 3) < 1e-12);
  // Closing the loop moves the start of the second run; its recording says where to.
  const started = numbers(gelenk("export", two, "-c", "theta"))[0]![1]!;
  assert.ok(started > curves[0]!.value + 0.01);
  assert.equal(curves[1]!.value, started);
  await page.click(".run:last-child");
  assert.equal(await page.getAttribute(".run:last-child", "aria-pressed"), "false");
  assert.equal((await ask(page, 0, (_, g) => g.plots()[0]!)).curves.length, 1);
  assert.deepEqual((await ask(page, 0, (_, g) => g.figures())).map(({ visible }) => visible), [true, false]);
  await page.click(".run:last-child");
  assert.equal((await ask(page, 0, (_, g) => g.plots()[0]!)).curves.length, 2);
  // The start that was set is what differs.
  assert.match(await page.innerText(".strip"), /joints\.o\.coordinate\.start/);
  await page.click('button[role="tab"]:has-text("Summary")');
  assert.match(await page.innerText(".facts"), /Energy balance/);
  assert.deepEqual(errors, []);
  await page.close();
});

test("the scene says how many of the runs it draws", async () => {
  const starts = [1, 1.02, 1.04, 1.06, 1.08];
  const runs = starts.map((start) => recording("four-bar", "0.1 s", "--set", `joints.o.coordinate.start=${start} rad`));
  const { page, errors } = await open(chrome, `file://${report(...runs)}`);
  assert.equal((await ask(page, 0, (_, g) => (g.draw(), g.figures()))).length, 4);
  assert.equal(await page.innerText(".scene-note"), "The first 4 of 5 runs are drawn; the plots show all.");
  assert.equal((await ask(page, 0, (_, g) => g.plots()[0]!)).curves.length, 5);
  assert.deepEqual(errors, []);
  await page.close();
  const four = await open(chrome, `file://${report(...runs.slice(1))}`);
  assert.equal(await four.page.locator(".scene-note").count(), 0);
  await four.page.close();
});

test("a rig shows its laws as runs, with their numbers and parameters", async () => {
  const out = join(folder, "rates.parquet");
  // Runs of different lengths: none of them is left out.
  const { result } = JSON.parse(gelenk("law", "run", "cases/breakaway-rates/rig.toml", "--json", "-o", out)) as {
    result: { runs: { law: string; metrics: Record<string, { value: number; unit: string }> }[] };
  };
  const reported = result.runs;
  const { page, errors } = await open(chrome, `file://${report(out)}`, { width: 1440, height: 860 });
  assert.deepEqual(await ask(page, 0, (_, g) => g.runs), reported.map(({ law }) => law));
  const curves = (await ask(page, 0, (_, g) => g.plots()[0]!)).curves;
  assert.equal(curves.length, reported.length);
  assert.ok(curves.every(({ points }) => points > 20));
  // On a wide screen plots and results are seen together.
  const results = page.locator(".card", { hasText: "Results" });
  assert.ok(await results.isVisible());
  assert.ok(await page.locator(".plot-area").first().isVisible());
  // Every number of every law, as the command prints it.
  const rows = await results.locator("tbody tr").allInnerTexts();
  assert.equal(rows.length, new Set(reported.flatMap(({ metrics }) => Object.keys(metrics))).size);
  const peak = rows.find((row) => row.startsWith("peak friction N"))!;
  for (const { metrics } of reported) assert.ok(peak.includes(String(Number(metrics["peak_friction"]!.value.toPrecision(6)))), peak);
  const different = await page.locator(".card", { hasText: "What differs" }).innerText();
  assert.match(different, /rig\.rate/);
  // The numbers of the file: 1e5 N/m for every run.
  assert.match(await page.innerText(".facts"), /sigma0 N\/m\s+100000\s+100000\s+100000/);
  // The tree has the columns of a law once.
  assert.deepEqual(await page.locator(".leaf .name").allInnerTexts(), ["x", "v", "friction", "pull"]);
  assert.deepEqual(errors, []);
  await page.close();
});
