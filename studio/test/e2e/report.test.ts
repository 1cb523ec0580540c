/** A report in the browser, opened from disk. */

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { ask, browser, folder, gelenk, numbers, open, recording, report, ROOT, torusModel, until } from "./harness.js";

let chrome: Browser;
before(async () => {
  chrome = await browser();
});
after(() => chrome.close());

test("a report opens from disk, asks for nothing, and shows the recorded numbers", async () => {
  const run = recording("four-bar", "2 s");
  const { page, errors, asked } = await open(chrome, `file://${report(run)}`);
  // Start of the model: theta is 60 degrees.
  const start = await ask(page, 0, (t, g) => (g.seek(t), g.plots()[0]!.curves[0]!));
  assert.equal(start.label, "theta");
  assert.ok(Math.abs(start.value - Math.PI / 3) < 1e-12);
  // What the page saves is what `gelenk export` writes, to the last digit.
  const csv = join(folder, "four-bar.csv");
  gelenk("export", run, "-c", "theta,elbow,swing", "-o", csv);
  const expected = numbers(readFileSync(csv, "utf8"));
  assert.deepEqual(numbers(await ask(page, 0, (panel, g) => g.table(panel))), expected);
  assert.equal(expected.length, 201);
  // Scrubbing: the plotted value is the row of that time.
  const row = expected[123]!;
  const value = await ask(page, row[0]!, (t, g) => (g.seek(t), g.plots()[0]!.curves[1]!.value));
  assert.equal(value, row[2]);
  // The tip of the crank is where the angle says: 0.5 m long, its centre half way (closed form).
  const centre = await ask(page, row[0]!, (t, g) => (g.seek(t), g.draw(), g.centre("crank")!));
  assert.ok(Math.abs(centre[0]! - 0.25 * Math.cos(row[1]!)) < 1e-9);
  assert.ok(Math.abs(centre[2]! - 0.25 * Math.sin(row[1]!)) < 1e-9);
  assert.deepEqual(errors, []);
  assert.deepEqual(asked, []);
  await page.close();
});

test("plots become phase plots, zoom, and are saved", async () => {
  const { page, errors } = await open(chrome, `file://${report(recording("stick-slip", "12 s"))}`);
  const panel = await ask(page, "", (_, g) => g.add(["joints.slide.friction"], "x"));
  const facts = await ask(page, panel, (k, g) => g.plots()[k]!);
  assert.equal(facts.x, "x");
  assert.ok(facts.curves[0]!.points > 100);
  const drawing = await ask(page, panel, (k, g) => g.svg(k));
  assert.match(drawing, /x \[m\]/);
  assert.match(drawing, /joints\.slide\.friction \[N\]/);
  assert.match(drawing, /<path d="M[\d.]+ [\d.]+L/);
  // Zooming shows the rows of that time and a neighbour on each side.
  await ask(page, 0, (_, g) => g.zoom([1, 1.05]));
  assert.equal((await ask(page, 0, (k, g) => g.plots()[k]!.curves[0]!.points)), 8);
  await ask(page, 0, (_, g) => g.zoom(null));
  // The buttons hand out files.
  for (const [kind, begin] of [["csv", "t [s],x [m]"], ["svg", "<svg"], ["png", "\u{fffd}PNG"]] as const) {
    const waiting = page.waitForEvent("download");
    await page.selectOption(".panel:first-child select.save", kind);
    const file = await (await waiting).path();
    assert.ok(readFileSync(file, "utf8").startsWith(begin), kind);
  }
  // Choosing a column in the tree by its name.
  await page.fill(".tree input", "kinetic");
  await page.click('.leaf[data-column="energy.kinetic"]');
  await until(page, (g) => g.plots().some((plot) => plot.curves.some(({ label }) => label === "energy.kinetic")));
  assert.deepEqual(errors, []);
  await page.close();
});

test("time is played, stepped by keys and repeated", async () => {
  const { page, errors } = await open(chrome, `file://${report(recording("four-bar", "2 s"))}`);
  const played = await ask(page, 0, (_, g) => {
    g.seek(0.5);
    g.play(true);
    g.advance(0.25);
    g.play(false);
    return g.time();
  });
  // Frames of the browser may add to what was asked for.
  assert.ok(played >= 0.74 && played < 2, String(played));
  await ask(page, 0, (_, g) => g.seek(0.5));
  await page.keyboard.press("ArrowRight");
  assert.ok(Math.abs((await ask(page, 0, (_, g) => g.time())) - 0.51) < 1e-9);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.ok(Math.abs((await ask(page, 0, (_, g) => g.time())) - 0.49) < 1e-9);
  await page.keyboard.press("End");
  assert.equal(await ask(page, 0, (_, g) => g.time()), 2);
  const again = await ask(page, 0, (_, g) => {
    g.seek(1.9);
    g.play(true);
    g.advance(0.2);
    g.play(false);
    return g.time();
  });
  assert.ok(again < 1.9, String(again));
  assert.deepEqual(errors, []);
  await page.close();
});

test("contact elements are coloured by pressure", async () => {
  const run = recording("wheel-plane", "10 s", "--elements");
  const { page, errors } = await open(chrome, `file://${report(run)}`);
  const shown = (t: number) => ask(page, t, (time, g) => (g.seek(time), g.draw(), g.elements()[0]!));
  // hippmann H-1 [proposed; computed, twice]: nothing at 0 mm, 3 elements at 4 mm, 13 at 10 mm; a millimetre is a second.
  assert.equal((await shown(0)).count, 0);
  assert.equal((await shown(4)).count, 3);
  const deepest = await shown(10);
  assert.equal(deepest.count, 13);
  assert.equal(deepest.quantity, "pressure");
  const largest = numbers(gelenk("export", run, "-c", "contacts.touch.max_pressure")).map((row) => row[1]!);
  assert.ok(deepest.top >= Math.max(...largest) && deepest.top <= 1.3 * Math.max(...largest), String(deepest.top));
  assert.match(await page.innerText(".colour-scale"), /13 elements[\s\S]*MPa/);
  // The layer is hidden by its key.
  await page.keyboard.press("e");
  assert.equal(await page.isVisible(".colour-scale"), false);
  assert.deepEqual(errors, []);
  await page.close();
});

test("the page fits a phone, in the dark", async () => {
  const file = report(recording("seams", "1 s"));
  const { page, errors } = await open(chrome, `file://${file}`, { width: 390, height: 780 });
  for (const tab of ["scene", "plots", "columns", "summary"]) {
    await ask(page, tab, (name, g) => g.tab(name));
    const wide = (await page.evaluate("document.documentElement.scrollWidth")) as number;
    assert.ok(wide <= 390, `${tab}: ${wide}`);
  }
  // Names in tables are words, not columns of letters.
  const widths = (await page.evaluate("[...document.querySelectorAll('.facts tbody th')].map((cell) => cell.clientWidth)")) as number[];
  assert.ok(widths.length > 10 && Math.min(...widths) > 90, widths.join(" "));
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForSelector("html[data-theme=dark]", { state: "attached" });
  const dark = (await page.evaluate("getComputedStyle(document.body).color")) as string;
  const light = Number(/\d+/.exec(dark)![0]);
  assert.ok(light > 128, dark);
  assert.deepEqual(errors, []);
  await page.close();
});

test("the scene fills its view, also where a shape lies far from its origin and where all travels", async () => {
  const legs = join(folder, "legs.parquet");
  gelenk("inverse", "cases/legs-inverse/study.toml", "-o", legs);
  for (const [run, t] of [[recording("pedestrian", "2 ms"), 0], [legs, 0.3], [recording("four-bar", "1 s"), 0.5]] as const) {
    const { page, errors } = await open(chrome, `file://${report(run)}`);
    const covered = await ask(page, t, (time, g) => (g.seek(time), g.draw(), g.covered()));
    assert.ok(Math.max(...covered) > 0.4 && Math.max(...covered) < 1, `${run}: ${covered.join(" ")}`);
    assert.deepEqual(errors, []);
    await page.close();
  }
});

test("a single instant shows values in place of plots over time, a column for each method", async () => {
  const run = join(folder, "reach.parquet");
  gelenk("ik", "cases/ik-human/study.toml", "-o", run);
  const { page, errors } = await open(chrome, `file://${report(run)}`);
  assert.equal(await page.isVisible(".timeline .play"), false);
  assert.equal(await page.isVisible(".plot-area"), false);
  assert.deepEqual(await ask(page, 0, (_, g) => g.runs), ["minimize", "solve1", "solve2", "solve3"]);
  const [first] = numbers(gelenk("export", run, "-c", "minimize.knee_r,solve3.knee_r"));
  const shown = await page.innerText('tr[data-column="knee_r"]');
  for (const value of first!.slice(1)) assert.ok(shown.includes(String(Number(value.toPrecision(4)))), `${shown}: ${value}`);
  assert.equal(await page.innerText(".values:first-child h2"), "Coordinate [rad]");
  // The tree leads to the value.
  await page.click('.leaf[data-column="knee_r"]');
  assert.equal(await page.locator("tr.pointed").getAttribute("data-column"), "knee_r");
  assert.equal(new Set((await ask(page, 0, (_, g) => g.figures())).map(({ colour }) => colour)).size, 4);
  assert.deepEqual(errors, []);
  await page.close();
});

/** Draws a torus of this many triangles and returns the times (ms) of the first frame and of a later one, moved and turned. */
async function torus(triangles: number, page: Page): Promise<{ first: number; later: number }> {
  const drawn = await ask(page, 0.5, (t, g) => (g.seek(t), g.draw()));
  assert.ok(drawn.triangles >= 0.99 * triangles, String(drawn.triangles));
  const first = await ask(page, 0, (_, g) => g.milliseconds);
  const later = await ask(page, 0.7, (t, g) => {
    const start = performance.now();
    g.seek(t);
    g.draw();
    // Drawing is asynchronous: a pixel that is read waits for it.
    for (const canvas of document.querySelectorAll("canvas")) {
      canvas.getContext("webgl2")?.readPixels(0, 0, 1, 1, 0x1908, 0x1401, new Uint8Array(4));
    }
    return performance.now() - start;
  });
  return { first, later };
}

for (const triangles of [20_000, 200_000]) {
  test(`${triangles} triangles`, async () => {
    const run = join(folder, "torus.parquet");
    rmSync(run, { force: true });
    gelenk("run", torusModel(triangles), "-o", run);
    assert.ok(existsSync(run));
    const file = report(run);
    const { page, errors } = await open(chrome, `file://${file}`);
    const { first, later } = await torus(triangles, page);
    const bundle = statSync(join(ROOT, "studio/dist/index.html")).size;
    console.log(`page ${bundle} bytes; report with ${triangles} triangles ${statSync(file).size} bytes`);
    console.log(`frames of ${triangles} triangles: the first after ${first.toFixed(0)} ms, later ${later.toFixed(0)} ms (software rendering)`);
    assert.ok(bundle < 1_500_000 && statSync(file).size < 15_000_000);
    // On a graphics card a frame of 200,000 triangles takes milliseconds; without one it is a matter of seconds.
    assert.ok(first < 20_000 && later < 5_000, `${first} ${later}`);
    assert.deepEqual(errors, []);
    await page.close();
  });
}
