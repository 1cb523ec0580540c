import assert from "node:assert/strict";
import { test } from "node:test";
import type { Column, Range, Run } from "../src/data/types.js";
import { suggestions } from "../src/plots/suggestions.js";

/** A run of columns with their ranges. */
const run = (columns: readonly (readonly [...Column, Range])[]) =>
  ({
    columns: [["t", "s", "time"], ...columns.map(([name, unit, meaning]) => [name, unit, meaning])],
    ranges: [[0, 1], ...columns.map(([, , , range]) => range)],
  }) as unknown as Run;

const coordinate = (name: string, width: number | null): readonly [...Column, Range] => [name, "rad", "coordinate", width === null ? null : [1, 1 + width]];

test("what moves most is shown, and what is left out is reported", () => {
  const plots = suggestions([run(Array.from({ length: 20 }, (_, k) => coordinate(`q${k}`, k)))]);
  const [first] = plots;
  assert.deepEqual(first!.columns, ["q14", "q15", "q16", "q17", "q18", "q19"]);
  assert.deepEqual(first!.hidden.still, ["q0"]);
  assert.equal(first!.hidden.moving.length, 13);
  assert.equal(first!.hidden.moving[0], "q13");
  assert.equal(first!.columns.length + first!.hidden.moving.length + first!.hidden.still.length, 20);
});

test("flat lines do not come first", () => {
  // Rounding of a large value is no motion.
  const still = ["wall", "m", "coordinate", [1e6, 1e6 + 1e-7]] as const;
  const plots = suggestions([run([coordinate("fixed", 0), coordinate("trembles", 1e-4), coordinate("swings", 1), still])]);
  assert.deepEqual(plots.map(({ columns }) => columns), [["swings"]]);
  assert.deepEqual(plots[0]!.hidden, { moving: [], still: ["fixed", "trembles"] });
  // Where nothing moves, nothing is drawn in its place.
  assert.deepEqual(suggestions([run([coordinate("fixed", 0)])]), []);
});

test("what is not known may move, and comes last", () => {
  const plots = suggestions([run([coordinate("a", null), ...Array.from({ length: 6 }, (_, k) => coordinate(`q${k}`, 1))])]);
  assert.deepEqual(plots[0]!.hidden.moving, ["a"]);
});

test("of many contacts the strongest are shown", () => {
  const touches = Array.from({ length: 9 }, (_, k) => [`contacts.c${k}`, "N", "magnitude of the force", [0, 10 + k]] as const);
  const [plot] = suggestions([run(touches)]);
  assert.deepEqual(plot!.columns, ["c3", "c4", "c5", "c6", "c7", "c8"].map((name) => `contacts.${name}`));
  assert.deepEqual(plot!.hidden.moving, ["c2", "c1", "c0"].map((name) => `contacts.${name}`));
});

test("one friction is drawn over the velocity, or over the position where the motion reverses", () => {
  const columns = (rate: Range) => [
    ["x", "m", "coordinate", [0, 1]],
    ["x.rate", "m/s", "rate of a coordinate", rate],
    ["f", "N", "resistance, positive against the motion", [-1, 1]],
  ] as const;
  const over = (rate: Range) => suggestions([run(columns(rate))]).filter(({ x }) => x !== null).map(({ x }) => x);
  assert.deepEqual(over([0, 2]), ["x.rate", "x"]);
  assert.deepEqual(over([-2, 2]), ["x", "x.rate"]);
});

test("of several runs every column has a plot, so that colours tell the runs apart", () => {
  const columns = [coordinate("a", 1), coordinate("b", 2), ["w", "W", "output", [0, 5]] as const];
  const plots = suggestions([run(columns), run(columns)]);
  assert.deepEqual(plots.map((plot) => plot.columns), [["a"], ["w"], ["b"]]);
  // A column that only one run moves is shown.
  const moved = suggestions([run([coordinate("a", 0)]), run([coordinate("a", 1)])]);
  assert.deepEqual(moved.map((plot) => plot.columns), [["a"]]);
});

test("columns without a known meaning are shown, too", () => {
  const plots = suggestions([run([["angle", "deg", "", [0, 30]], ["current", "A", "", [0, 2]], ["flat", "A", "", [1, 1]]])]);
  assert.deepEqual(plots.map(({ columns }) => columns), [["angle"], ["current"]]);
  assert.deepEqual(plots[1]!.hidden.still, ["flat"]);
});

test("a table next to a run is shown, though its columns have no meanings", () => {
  const motion = run([coordinate("phi", 1), ["w", "W", "output", [0, 5]] as const, ["e", "J", "energy", [0, 5]] as const]);
  const plots = suggestions([motion, run([["angle", "rad", "", [0, 1]], ["current", "A", "", [0, 2]]])]);
  assert.deepEqual(plots.map(({ columns }) => columns), [["phi"], ["angle"], ["current"], ["w"]]);
  // Also where some of them have the names of the run's.
  const named = suggestions([motion, run([["phi", "rad", "", [0, 1]], ["current", "A", "", [0, 2]]])]);
  assert.deepEqual(named.map(({ columns }) => columns), [["phi"], ["current"], ["w"]]);
});

test("what was measured is drawn with what it is compared with", () => {
  const columns = [coordinate("phi", 1), ["w", "W", "output", [0, 5]] as const, ["measured.phi", "rad", "log.csv, angle", [0, 1]] as const];
  assert.deepEqual(suggestions([run(columns)]).map((plot) => plot.columns), [["phi", "measured.phi"], ["w"]]);
  assert.deepEqual(suggestions([run(columns), run(columns)]).map((plot) => plot.columns), [["phi", "measured.phi"], ["w"]]);
  // Unless the log is there itself, under the name of the output.
  const log = run([["phi", "rad", "", [0, 1]]]);
  assert.deepEqual(suggestions([run(columns), run(columns), log]).map((plot) => plot.columns), [["phi"], ["w"]]);
});
