import assert from "node:assert/strict";
import { test } from "node:test";
import { differences, parameterRows } from "../src/data/compare.js";
import { SplitSource } from "../src/data/variants.js";
import type { Source } from "../src/data/source.js";
import type { Index, Parameter, Run } from "../src/data/types.js";
import { refusal, runName, unitOf, nameOf } from "../src/plots/quantity.js";
import { styleOf } from "../src/plots/colours.js";
import { Curves } from "../src/plots/curves.js";

const described = (parameters: readonly Parameter[], method = "dopri5") => ({ parameters, meta: { method } });

test("parameters that differ are reported, also where one run has none, but not what follows from them", () => {
  const one = described([["rod", 0.2, "m"], ["mass", 2, "kg"], ["friction.law", "lugre", ""], ["friction.sigma0", 1e5, "N/m"], ["centre", 0.1, "m", true]]);
  const two = described([["rod", 0.3, "m"], ["mass", 2, "kg"], ["friction.law", "coulomb", ""], ["centre", 0.15, "m", true]], "stepped");
  assert.deepEqual(
    differences([one, two]).map(({ path, values }) => [path, ...values]),
    [["rod", 0.2, 0.3], ["friction.law", "lugre", "coulomb"], ["friction.sigma0", 1e5, null], ["solver", "dopri5", "stepped"]],
  );
  assert.deepEqual(differences([one, one]), []);
  // A log next to runs has no parameters and no solver: it differs in nothing.
  const log = { parameters: [], meta: { title: "log" } };
  assert.deepEqual(differences([one, one, log]), []);
  assert.deepEqual(differences([one, two, log])[0]!.values, [0.2, 0.3, null]);
  // Rows keep the order of the runs, those of the second beside their neighbours.
  const three = described([["rod", 0.3, "m"], ["friction.law", "dahl", ""], ["friction.rho", 3, "1"], ["end", 1, "s"]]);
  assert.deepEqual(parameterRows([one, three]).map(({ path }) => path), ["rod", "mass", "friction.law", "friction.rho", "end", "friction.sigma0", "centre"]);
});

const column = (name: string, unit = "m") => [name, unit, ""] as const;

function runOf(name: string, columns: readonly (readonly [string, string, string])[], more: Partial<Run> = {}): Run {
  const all = [column("t", "s"), ...columns];
  const base = { rows: 3, recorded: 3, span: [0, 2], events: [], eventCount: 0, meta: {}, scene: null, energy: null, elements: null, parameters: [], metrics: [], variants: [] };
  return { name, columns: all, ranges: all.map(() => null), ...base, ...more } as Run;
}

/** A source whose column k of run r has the values 100 r + 10 k + row, over times 0, 1, 2. */
const made = (...runs: Run[]): Source => ({
  index: { version: 1, generator: "", runs } as Index,
  rows: (run, columns) => Promise.resolve(columns.map((k) => Float64Array.from([0, 1, 2], (t) => (k === 0 ? t : 100 * run + 10 * k + t)))),
  elements: () => Promise.reject(new Error("none")),
});

test("the laws of a rig are runs of their own", async () => {
  const variant = (name: string) => ({ name, method: "stepped", parameters: [["law", name, ""] as const], metrics: [["peak", 1, "N"] as const] });
  const rig = runOf("rig", [column("dahl.x"), column("dahl.f", "N"), column("lugre.x"), column("lugre.f", "N")], {
    variants: [variant("dahl"), variant("lugre")],
    events: [[0.5, "lugre.friction.law", "sticks"]],
    eventCount: 1,
  });
  const source = new SplitSource(made(rig));
  assert.deepEqual(source.index.runs.map((run) => run.name), ["dahl", "lugre"]);
  assert.deepEqual(source.index.runs[1]!.columns.map(([name]) => name), ["t", "x", "f"]);
  assert.deepEqual(source.index.runs.map((run) => run.events), [[], [[0.5, "friction.law", "sticks"]]]);
  assert.deepEqual(source.index.runs[1]!.metrics, [["peak", 1, "N"]]);
  // Column x of lugre is the third of the recording.
  const [, x] = await source.rows(1, [0, 1], {});
  assert.deepEqual([...x!], [30, 31, 32]);
  // Beside another recording the names say whose laws they are.
  assert.deepEqual(new SplitSource(made(rig, runOf("log", [column("x")]))).index.runs.map((run) => run.name), ["rig dahl", "rig lugre", "log"]);
});

test("runs that grow are seen to grow, also those that share a recording", async () => {
  const runs = [runOf("rig", [column("a.x"), column("b.x")], { variants: ["a", "b"].map((name) => ({ name, parameters: [], metrics: [] })) }), runOf("log", [column("x")])];
  const inner = made(...runs);
  assert.equal(new SplitSource(inner).update, undefined);
  let more = true;
  inner.update = () => {
    if (more) runs.forEach((run) => Object.assign(run, { recorded: 9, events: [[1, "a.friction", "sticks"]] }));
    return Promise.resolve(more);
  };
  const source = new SplitSource(inner);
  const [first] = source.index.runs;
  assert.equal(await source.update!(), true);
  assert.deepEqual(source.index.runs.map(({ recorded }) => recorded), [9, 9, 9]);
  assert.equal(source.index.runs[0], first);
  assert.deepEqual(first!.events, [[1, "friction", "sticks"]]);
  more = false;
  assert.equal(await source.update!(), false);
});

test("motions of several methods are runs of their own, too", () => {
  const scene = { bodies: [{ name: "arm" }] };
  const names = ["one", "two"].flatMap((method) => ["q", "bodies.arm.qz"].map((end) => column(`${method}.${end}`)));
  const source = new SplitSource(made(runOf("reach", names, { scene: scene as unknown as Run["scene"] })));
  assert.deepEqual(source.index.runs.map((run) => run.name), ["one", "two"]);
  const plain = new SplitSource(made(runOf("swing", [column("q"), column("bodies.arm.qz")], { scene: scene as unknown as Run["scene"] })));
  assert.deepEqual(plain.index.runs.map((run) => run.name), ["swing"]);
});

test("differences of columns and of runs", async () => {
  const source = made(runOf("a", [column("x"), column("y"), column("w", "N")]), runOf("b", [column("x"), column("y")]));
  const curves = new Curves(source);
  const time = { kind: "time" } as const;
  const between = await curves.fetch({ column: "y", minus: "x" }, 0, time, null, 300);
  assert.deepEqual([...between!.y], [10, 10, 10]);
  assert.equal(between!.unit, "m");
  const runs = await curves.fetch({ column: "x", reference: 0 }, 1, time, null, 300);
  assert.deepEqual([...runs!.y], [100, 100, 100]);
  // A run is not compared with itself, and has no column of another.
  assert.equal(await curves.fetch({ column: "x", reference: 0 }, 0, time, null, 300), null);
  assert.equal(await curves.fetch({ column: "w" }, 1, time, null, 300), null);
  const slope = await curves.fetch({ column: "x", rate: true }, 1, time, null, 300);
  assert.deepEqual([[...slope!.y], slope!.unit], [[1, 1, 1], "m/s"]);
});

test("what cannot be computed is refused with the reason", () => {
  const runs = [runOf("a", [column("x"), column("w", "N")]), runOf("b", [column("x")])];
  assert.equal(refusal({ column: "x", rate: true }, runs), null);
  assert.match(refusal({ column: "z" }, runs)!, /no column “z”/);
  assert.match(refusal({ column: "x", minus: "w" }, runs)!, /“x” is in m and “w” in N/);
  assert.match(refusal({ column: "w", reference: 1 }, runs)!, /b has no column “w”/);
  // A log in degrees next to a run in radians.
  const both = [runOf("run", [column("phi", "rad")]), runOf("log", [column("phi", "deg"), column("u", "V")])];
  assert.match(refusal({ column: "phi", reference: 1 }, both)!, /“phi” is in deg in log and in rad in run/);
  assert.match(refusal({ column: "u", reference: 1 }, both)!, /No other run has the column “u”/);
  assert.equal(new Curves(made(...both)).unit({ column: "phi", reference: 1 }, 0), null);
  assert.equal(unitOf({ column: "x", minus: "w" }, runs[1]!), null);
  assert.equal(nameOf({ column: "g.x", minus: "g.y", rate: true }, "g."), "d/dt (x − y)");
  assert.equal(runName({ column: "x", reference: 1 }, 0, runs), "a − b");
});

test("several runs have a colour each, a single one a colour for each curve", () => {
  assert.notEqual(styleOf(0, 0, 2, false).colour, styleOf(0, 1, 2, false).colour);
  assert.equal(styleOf(0, 1, 2, false).colour, styleOf(3, 1, 2, false).colour);
  assert.notDeepEqual(styleOf(0, 1, 2, false).dash, styleOf(1, 1, 2, false).dash);
  assert.deepEqual(styleOf(0, 1, 2, false).dash, []);
  assert.notEqual(styleOf(0, 0, 1, false).colour, styleOf(1, 0, 1, false).colour);
  // No two of many runs look alike.
  const looks = Array.from({ length: 40 }, (_, run) => JSON.stringify(styleOf(0, run, 40, true)));
  assert.equal(new Set(looks).size, 40);
});
