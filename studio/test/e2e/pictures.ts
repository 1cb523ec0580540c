/** Takes the pictures of the page that README and book show: `npm run pictures` in studio/, after `cargo build`. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { ask, browser, open, recording, report, ROOT } from "./harness.js";

interface Shot {
  readonly file: string;
  readonly model: string;
  readonly until: string;
  readonly options: readonly string[];
  /** Time that is shown (s). */
  readonly at: number;
  readonly dark: boolean;
}

const SHOTS: readonly Shot[] = [
  { file: "report-seams.png", model: "seams", until: "2 s", options: [], at: 0.5, dark: false },
  { file: "report-andrews.png", model: "andrews", until: "0.03 s", options: [], at: 0.012, dark: true },
  { file: "report-wheel.png", model: "wheel-plane", until: "20 s", options: ["--elements"], at: 15, dark: false },
];

const chrome = await browser();
for (const { file, model, until, options, at, dark } of SHOTS) {
  const { page } = await open(chrome, `file://${report(recording(model, until, ...options))}`, { width: 1280, height: 760 });
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  await ask(page, at, (t, g) => (g.seek(t), g.draw()));
  await page.waitForTimeout(500);
  const path = join(ROOT, "docs/src/pictures", file);
  await page.screenshot({ path });
  console.log(`${path}: ${statSync(path).size} bytes`);
  await page.close();
}
await chrome.close();
