/** Takes the pictures of the page that README and book show: `npm run pictures` in studio/, after `cargo build`; files that are
 * named after `--` alone. */

import { statSync } from "node:fs";
import { join } from "node:path";
import { ask, bench, browser, folder, gelenk, open, recording, report, ROOT } from "./harness.js";

interface Shot {
  readonly file: string;
  /** Makes the recordings. */
  readonly runs: () => readonly string[];
  /** Time that is shown (s). */
  readonly at: number;
  readonly dark: boolean;
  readonly size: { readonly width: number; readonly height: number };
  /** Columns of the plots; those that the page begins with where there are none. */
  readonly plots?: readonly string[];
  /** Times that the plots show (s); all where they are missing. */
  readonly zoom?: [number, number];
}

const SIZE = { width: 1280, height: 760 };

/** The recording of a rig of the cases. */
function rig(name: string): string {
  const out = join(folder, `${name}.parquet`);
  gelenk("law", "run", `cases/${name}/rig.toml`, "-o", out);
  return out;
}

const SHOTS: readonly Shot[] = [
  { file: "report-seams.png", runs: () => [recording("seams", "2 s")], at: 0.5, dark: false, size: SIZE },
  { file: "report-andrews.png", runs: () => [recording("andrews", "0.03 s")], at: 0.012, dark: true, size: SIZE },
  { file: "report-wheel.png", runs: () => [recording("wheel-plane", "20 s", "--elements")], at: 15, dark: false, size: SIZE },
  { file: "report-laws.png", runs: bench, at: 7.92, dark: false, size: { width: 1440, height: 930 }, plots: ["phi", "error", "joints.elbow.friction"], zoom: [6, 10] },
  { file: "report-rig.png", runs: () => [rig("zig-zag")], at: 1.3, dark: false, size: { width: 1440, height: 800 } },
];

const chrome = await browser();
for (const { file, runs, at, dark, size, plots, zoom } of SHOTS.filter(({ file }) => process.argv.length < 3 || process.argv.includes(file))) {
  const { page } = await open(chrome, `file://${report(...runs())}`, size);
  await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
  if (plots) {
    // One after the other, so that they keep their order; then those that the page began with go.
    const before = await page.locator(".panel").count();
    for (const column of plots) await ask(page, column, (name, g) => g.add([name], null).then(() => {}));
    for (let k = 0; k < before; k++) await page.click('.panel:first-child button[aria-label="Remove this plot"]');
    await page.evaluate("document.activeElement.blur()");
  }
  if (zoom) await ask(page, zoom, (range, g) => g.zoom(range));
  await ask(page, at, (t, g) => (g.seek(t), g.draw()));
  await page.mouse.move(5, 5);
  await page.waitForTimeout(500);
  const path = join(ROOT, "docs/src/pictures", file);
  await page.screenshot({ path });
  console.log(`${path}: ${statSync(path).size} bytes`);
  await page.close();
}
await chrome.close();
