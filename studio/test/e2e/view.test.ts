/** The page served by `gelenk view`. */

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { ask, browser, folder, GELENK, open, recording, report, ROOT, view } from "./harness.js";

let chrome: Browser;
before(async () => {
  chrome = await browser();
});
after(() => chrome.close());

test("the served page shows what the report shows", async () => {
  const run = recording("seams", "2 s");
  const server = await view(run);
  try {
    const { page, errors, asked } = await open(chrome, server.address);
    assert.ok(asked.every((address) => address.startsWith(server.address)), asked.join(" "));
    const served = await ask(page, 0.75, (t, g) => (g.seek(t), { plots: g.plots(), centre: g.centre("rocker") }));
    const disk = await open(chrome, `file://${report(run)}`);
    const reported = await ask(disk.page, 0.75, (t, g) => (g.seek(t), { plots: g.plots(), centre: g.centre("rocker") }));
    assert.deepEqual(served, reported);
    const panel = await ask(page, 0, (_, g) => g.add(["joints.o.friction"], "theta"));
    assert.equal((await ask(page, panel, (k, g) => g.plots()[k]!)).x, "theta");
    const table = await ask(page, panel, (k, g) => g.table(k));
    assert.match(table, /^t \[s\],theta \[rad\],joints\.o\.friction \[N m\]\n/);
    assert.equal((await ask(page, 0, (_, g) => g.draw())).figures, 1);
    assert.deepEqual(errors, []);
    await page.close();
    await disk.page.close();
  } finally {
    server.stop();
  }
});

test("the served page has the contact elements of the report", async () => {
  const run = recording("wheel-plane", "10 s", "--elements");
  const server = await view(run);
  try {
    const { page, errors } = await open(chrome, server.address);
    const shown = await ask(page, 10, (t, g) => (g.seek(t), g.draw(), g.elements()));
    const disk = await open(chrome, `file://${report(run)}`);
    assert.deepEqual(shown, await ask(disk.page, 10, (t, g) => (g.seek(t), g.draw(), g.elements())));
    assert.equal(shown[0]!.count, 13);
    const plain = await page.request.get(`${server.address}api/runs/7/elements`);
    assert.equal(plain.status(), 404);
    assert.deepEqual(errors, []);
    await page.close();
    await disk.page.close();
  } finally {
    server.stop();
  }
});

test("a page of another origin cannot read the recordings", async () => {
  const server = await view(recording("four-bar", "1 s"));
  try {
    const page = await chrome.newPage();
    await page.goto("data:text/html,<title>elsewhere</title>");
    const code = `fetch("${server.address}api/runs").then((a) => a.text(), () => "refused")`;
    assert.equal(await page.evaluate(code), "refused");
    const answer = await page.request.get(server.address, { headers: { Host: "evil.example" } });
    assert.equal(answer.status(), 403);
    const path = await page.request.get(`${server.address}%2e%2e/%2e%2e/etc/passwd`);
    assert.equal(path.status(), 404);
    await page.close();
  } finally {
    server.stop();
  }
});

test("a run that goes on grows in the page, and its recording takes its place", async () => {
  const out = join(folder, "grows.parquet");
  const run = spawn(GELENK, ["run", "cases/stick-slip/model.toml", "--until", "1000000 s", "-o", out], { cwd: ROOT, stdio: "ignore" });
  const ended = new Promise((done) => run.on("exit", done));
  const parts = join(folder, "grows.parts");
  while (!existsSync(parts) || !readdirSync(parts).some((name) => name.startsWith("part-"))) await new Promise((later) => setTimeout(later, 100));
  const server = await view(out);
  try {
    const { page, errors } = await open(chrome, server.address);
    assert.equal(await page.locator(".growing").count(), 1);
    const first = await ask(page, 0, (_, g) => g.grow());
    assert.ok(first.growing);
    let more = first;
    while (more.rows <= first.rows) more = await ask(page, 0, (_, g) => g.grow());
    assert.ok(more.to > first.to && more.growing, JSON.stringify(more));
    // The new rows arrive a little after the news of them.
    let seen = NaN;
    for (let tries = 0; tries < 100 && !Number.isFinite(seen); tries++) {
      seen = await ask(page, more.to, (t, g) => (g.seek(t), g.plots()[0]!.curves[0]!.value));
      await new Promise((later) => setTimeout(later, 50));
    }
    assert.ok(Number.isFinite(seen), String(seen));
    run.kill("SIGINT");
    assert.equal(await ended, 130);
    const last = await ask(page, 0, (_, g) => g.grow());
    assert.ok(!last.growing && last.rows >= more.rows, JSON.stringify(last));
    assert.equal(await page.locator(".growing").count(), 0);
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    run.kill("SIGKILL");
    server.stop();
  }
});

test("ten million samples", async () => {
  const long = join(folder, "long.parquet");
  const writer = join(ROOT, "target/debug/examples/long_recording");
  assert.ok(existsSync(writer), "build it: cargo build -p gelenk-studio --example long_recording");
  execFileSync(writer, [long, "10000000"]);
  const server = await view(long);
  try {
    const began = Date.now();
    const { page, errors } = await open(chrome, server.address);
    const opened = Date.now() - began;
    const plot = await ask(page, 0, (k, g) => g.plots()[k]!.curves[0]!);
    assert.ok(plot.points > 1000 && plot.points < 20_000, String(plot.points));
    // The spike of one sample stands at a third of the way, with its own time.
    const top = await ask(page, 3_333_333e-3, (t, g) => (g.seek(t), g.plots()[0]!.curves[0]!.value));
    assert.ok(top > 99, String(top));
    const zoomed = Date.now();
    await ask(page, 0, (_, g) => g.zoom([3333.3, 3333.4]));
    const zoom = Date.now() - zoomed;
    const near = await ask(page, 0, (k, g) => g.plots()[k]!.curves[0]!.points);
    assert.ok(near >= 100 && near <= 104, String(near));
    const here = await ask(page, 10_000_000, (samples, g) => g.thinning(samples));
    console.log(`recording of ten million samples: ${statSync(long).size} bytes`);
    console.log(`served page drawn after ${opened} ms, zoomed to 0.1 s after ${zoom} ms`);
    console.log(`ten million samples thinned in the page to ${here.rows} in ${here.milliseconds.toFixed(0)} ms`);
    assert.ok(opened < 60_000 && zoom < 20_000);
    assert.deepEqual(errors, []);
    await page.close();
  } finally {
    server.stop();
  }
});
