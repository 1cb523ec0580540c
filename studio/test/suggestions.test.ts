import assert from "node:assert/strict";
import { test } from "node:test";
import type { Run } from "../src/data/types.js";
import { suggestions } from "../src/plots/suggestions.js";

const run = (columns: readonly (readonly [string, string, string])[]) => ({ columns: [["t", "s", "time"], ...columns] }) as unknown as Run;
const last = (columns: readonly string[], most: number) => Promise.resolve(columns.slice(-most));

test("of many contacts the strongest are shown", async () => {
  const touches = Array.from({ length: 9 }, (_, k) => [`contacts.c${k}`, "N", "magnitude of the force"] as const);
  const plots = await suggestions(run(touches), false, last);
  assert.deepEqual(plots[0]!.columns, ["c3", "c4", "c5", "c6", "c7", "c8"].map((name) => `contacts.${name}`));
});

test("one friction and one rate make a phase plot", async () => {
  const columns = [["x", "m", "coordinate"], ["x.rate", "m/s", "rate of a coordinate"], ["f", "N", "resistance, positive against the motion"]] as const;
  const plots = await suggestions(run(columns), false, last);
  assert.ok(plots.some(({ columns: [first], x }) => first === "f" && x === "x.rate"));
});

test("a single instant lists more values than a plot has curves", async () => {
  const columns = Array.from({ length: 30 }, (_, k) => [`q${k}`, "rad", "coordinate"] as const);
  assert.equal((await suggestions(run(columns), true, last))[0]!.columns.length, 30);
  assert.equal((await suggestions(run(columns), false, last))[0]!.columns.length, 6);
  const methods = ["one", "two"].flatMap((name) => columns.map(([column, ...rest]) => [`${name}.${column}`, ...rest] as const));
  assert.deepEqual((await suggestions(run(methods), true, last)).map((plot) => plot.columns.length), [30, 30]);
});
