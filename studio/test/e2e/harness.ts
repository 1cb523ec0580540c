/** What the tests in the browser share. */

import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";

export const ROOT = resolve(import.meta.dirname, "../../../..");
export const GELENK = process.env["GELENK"] ?? join(ROOT, "target/debug/gelenk");
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";

/** A folder for this process, gone with it. */
export const folder = mkdtempSync(join(tmpdir(), "gelenk-studio-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

export function gelenk(...words: string[]): string {
  return execFileSync(GELENK, words, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 1 << 28 });
}

/** Simulates a case and returns its recording. */
export function recording(name: string, until: string, ...more: string[]): string {
  const out = join(folder, `${name}${more.join("").replace(/\W/g, "")}.parquet`);
  gelenk("run", `cases/${name}/model.toml`, "--until", until, "-o", out, ...more);
  return out;
}

/** Makes a report and returns its file. */
export function report(...recordings: string[]): string {
  const out = recordings[0]!.replace(".parquet", `-${recordings.length}.html`);
  gelenk("report", ...recordings, "-o", out);
  return out;
}

export async function browser(): Promise<Browser> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is not there; name a browser with CHROMIUM=`);
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--enable-unsafe-swiftshader",
    ],
  });
}

/** What the page offers to tests; see `src/hook.ts`. */
export interface Handle {
  readonly ready: boolean;
  readonly milliseconds: number;
  readonly runs: string[];
  time(): number;
  grow(): Promise<{ rows: number; to: number; growing: boolean }>;
  seek(t: number): void;
  play(on: boolean): void;
  advance(seconds: number): void;
  tab(name: string): void;
  plots(): {
    x: string | null;
    curves: { label: string; unit: string; colour: string; dashed: boolean; points: number; value: number; peak: [number, number] }[];
  }[];
  add(columns: string[], x: string | null): Promise<number>;
  over(panel: number, x: string | null): Promise<void>;
  show(run: number, shown: boolean): void;
  figures(): { colour: string | null; visible: boolean }[];
  zoom(range: [number, number] | null): Promise<void>;
  table(panel: number): Promise<string>;
  svg(panel: number): string;
  draw(): { frames: number; triangles: number; figures: number };
  look(view: string): void;
  covered(): [number, number];
  elements(): { count: number; top: number; quantity: string }[];
  centre(body: string, figure?: number): number[] | null;
  thinning(samples: number): { milliseconds: number; rows: number };
}

export interface Opened {
  readonly page: Page;
  /** Errors of the page, and addresses that it asked for beside its own. */
  readonly errors: string[];
  readonly asked: string[];
}

/** Opens a page and waits until it says that it is ready. */
export async function open(browser: Browser, address: string, size = { width: 1280, height: 800 }): Promise<Opened> {
  const page = await browser.newPage({ viewport: size, acceptDownloads: true });
  const errors: string[] = [];
  const asked: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => {
    if (request.url() !== address && !/^(data|blob):/.test(request.url())) asked.push(request.url());
  });
  await page.goto(address);
  await page.waitForSelector("html[data-ready=true]", { state: "attached", timeout: 120_000 });
  return { page, errors, asked };
}

/** The page's handle, as code that runs in the page. */
export function ask<T, A>(page: Page, argument: A, code: (argument: A, gelenk: Handle) => T | Promise<T>): Promise<T> {
  return page.evaluate(`(${code.toString()})(${JSON.stringify(argument)}, window.gelenk)`) as Promise<T>;
}

/** Waits until something is true in the page. The page forbids to evaluate texts itself, so it is asked again and again. */
export async function until(page: Page, code: (gelenk: Handle) => boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (await page.evaluate(`(${code.toString()})(window.gelenk)`)) return;
    await page.waitForTimeout(50);
  }
  throw new Error(`never true: ${code.toString()}`);
}

/** Starts `gelenk view` and returns its address. */
export async function view(...recordings: string[]): Promise<{ address: string; stop: () => void }> {
  const server = spawn(GELENK, ["view", "--no-open", ...recordings], { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise<string>((found, failed) => {
    let text = "";
    server.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const match = /http:\/\/127\.0\.0\.1:\d+\//.exec(text);
      if (match) found(match[0]);
    });
    server.on("exit", () => failed(new Error(`gelenk view ended: ${text}`)));
  });
  return { address, stop: () => server.kill() };
}

/** A model of the cases with other lines, as a file of its own beside its logs. */
export function changed(name: string, file: string, change: (text: string) => string): string {
  const from = join(ROOT, "cases", name);
  const own = join(folder, file);
  mkdirSync(own, { recursive: true });
  for (const entry of readdirSync(from).filter((entry) => entry.endsWith(".csv"))) copyFileSync(join(from, entry), join(own, entry));
  const text = readFileSync(join(from, "model.toml"), "utf8");
  const written = change(text);
  if (written === text) throw new Error(`nothing was changed in ${name}`);
  const model = join(own, "model.toml");
  writeFileSync(model, written);
  return model;
}

/** Simulates a model file and returns its recording. */
export function simulated(model: string, name: string): string {
  const out = join(folder, `${name}.parquet`);
  gelenk("run", model, "-o", out);
  return out;
}

/** The servo of the cases under its log, with the friction of the case and with another law. */
export function servos(): [string, string] {
  const law = (text: string) => text.replace(/^friction {3}= .*$/m, 'friction   = { law = "coulomb", coulomb = "77 mN m", breakaway = "0.11 N m" }');
  return [simulated(join(ROOT, "cases/servo/model.toml"), "lugre"), simulated(changed("servo", "coulomb", law), "coulomb")];
}

/** The joint of the tutorial under its log: fitted with LuGre and with Coulomb friction, and the log itself. */
export function bench(): [string, string, string] {
  const own = join(folder, "bench");
  mkdirSync(own, { recursive: true });
  const book = readFileSync(join(ROOT, "docs/src/robot/friction.md"), "utf8");
  const file = (name: string): string => {
    const text = new RegExp(`\`\`\`toml\\n# ${name}\\n([\\s\\S]*?)\`\`\``).exec(book)?.[1];
    if (text === undefined) throw new Error(`the tutorial has no ${name}`);
    return text;
  };
  const write = (name: string, text: string): string => {
    writeFileSync(join(own, name), text);
    return join(own, name);
  };
  const measured = join(own, "measured.parquet");
  gelenk("run", write("bench.toml", file("bench.toml")), "-o", measured);
  gelenk("export", measured, "-c", "target,angle,torque", "-o", join(own, "log.csv"));
  write("joint.toml", file("joint.toml"));
  const other = 'friction   = { law = "coulomb", coulomb = "0.2 N m", viscous = "0.05 N m s/rad" }';
  write("other.toml", file("joint.toml").replace(/^friction .*$/m, other));
  const breakaway = file("breakaway.toml");
  const level = breakaway.replace(/^title .*$/m, 'title   = "Coulomb and viscous friction"').replace('"joint.toml"', '"other.toml"').replace(/^set .*\n/m, "").replace(/^.*friction\.breakaway".*\n/m, "");
  const [lugre, coulomb] = [join(folder, "lugre.parquet"), join(folder, "coulomb.parquet")];
  gelenk("fit", write("breakaway.toml", breakaway.replace(/^title .*$/m, 'title   = "LuGre friction"')), "-o", lugre);
  gelenk("fit", write("level.toml", level), "-o", coulomb);
  // The angle of the log under the name that the runs have for it.
  const log = join(folder, "log.csv");
  writeFileSync(log, readFileSync(join(own, "log.csv"), "utf8").replace("t,target,angle,torque", "t,target,phi,motor"));
  return [lugre, coulomb, log];
}

/** Rows of a table as numbers, lines with names and units left out. */
export function numbers(csv: string): number[][] {
  const rows = csv.trim().split("\n").map((line) => line.split(",").map(Number));
  return rows.filter((row) => row.every(Number.isFinite));
}

/** A model whose one body is a torus of this many triangles. */
export function torusModel(triangles: number): string {
  const around = Math.round(Math.sqrt(triangles / 2));
  const lines: string[] = [];
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < around; j++) {
      const [u, v] = [(2 * Math.PI * i) / around, (2 * Math.PI * j) / around];
      const r = 0.3 + 0.1 * Math.cos(v);
      lines.push(`v ${r * Math.cos(u)} ${r * Math.sin(u)} ${0.1 * Math.sin(v)}`);
    }
  }
  const at = (i: number, j: number) => 1 + (i % around) * around + (j % around);
  for (let i = 0; i < around; i++) {
    for (let j = 0; j < around; j++) {
      lines.push(`f ${at(i, j)} ${at(i + 1, j)} ${at(i + 1, j + 1)}`, `f ${at(i, j)} ${at(i + 1, j + 1)} ${at(i, j + 1)}`);
    }
  }
  writeFileSync(join(folder, "torus.obj"), `${lines.join("\n")}\n`);
  const model = join(folder, "torus.toml");
  const text = `schema = 1
title = "A torus that tumbles"
gravity = [0, 0, 0]
[bodies.torus]
density = 1000
shape = { mesh = { file = "torus.obj" } }
[joints.fly]
type = "free"
parent = "ground"
child = "torus"
start = { angular_velocity = [0.2, 3, 0.1] }
[simulate]
until = "2 s"
output = "20 ms"
`;
  writeFileSync(model, text);
  return model;
}
