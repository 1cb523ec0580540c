import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { Elements } from "../src/data/elements.js";
import { decodeLists, decodeRows, EmbeddedSource, RemoteSource } from "../src/data/source.js";
import type { Index } from "../src/data/types.js";
import { joinPlanes, unpack } from "../src/data/unpack.js";

/** The bytes of numbers sorted by significance, as a report has them. */
function planes(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Float64Array.from(values).buffer);
  const out = new Uint8Array(bytes.length);
  for (let byte = 0; byte < 8; byte++) {
    for (let i = 0; i < values.length; i++) out[byte * values.length + i] = bytes[8 * i + byte]!;
  }
  return out;
}

const pack = (values: readonly number[]) => deflateRawSync(planes(values)).toString("base64");

test("packed numbers come back to the bit", async () => {
  const values = [0, -0, 1 / 3, 1e-300, Infinity, Math.PI];
  assert.deepEqual([...joinPlanes(planes(values))], values);
  assert.deepEqual([...(await unpack(pack(values)))], values);
  assert.deepEqual([...(await unpack(pack([])))], []);
});

test("rows of a report are cut by time, thinned, or taken at equal distances", async () => {
  const time = Array.from({ length: 1001 }, (_, i) => i / 100);
  const columns = [time, time.map((t) => 2 * t)].map(pack);
  const source = new EmbeddedSource({ version: 1, generator: "", runs: [] } as Index, (_, k) => columns[Number(k)] ?? null);
  const [cut, twice] = await source.rows(0, [0, 1], { from: 1, to: 1.015, runs: 1000 });
  assert.deepEqual([...cut!], [0.99, 1, 1.01, 1.02]);
  assert.deepEqual([...twice!], [1.98, 2, 2.02, 2.04]);
  const [some] = await source.rows(0, [0], { every: 10 });
  assert.deepEqual([some![0], some![some!.length - 1]], [0, 10]);
  assert.ok(some!.length <= 12);
  const [all] = await source.rows(0, [1], { every: 1e9 });
  assert.equal(all!.length, 1001);
  await assert.rejects(source.rows(0, [7], {}), /missing/);
});

test("an answer of the server is taken apart", () => {
  const buffer = new ArrayBuffer(8 + 8 * 4);
  new Uint32Array(buffer, 0, 2).set([2, 2]);
  new Float64Array(buffer, 8).set([0, 1, 5, 6]);
  assert.deepEqual(decodeRows(buffer).map((column) => [...column]), [[0, 1], [5, 6]]);
});

test("what the server answered is not asked again, what failed is", async () => {
  const asked: string[] = [];
  const buffer = new ArrayBuffer(16);
  new Uint32Array(buffer, 0, 2).set([1, 1]);
  const source = new RemoteSource({ version: 1, generator: "", runs: [] } as Index, (address) => {
    asked.push(address);
    return Promise.resolve(address.includes("columns=7") ? new Response("no", { status: 400 }) : new Response(buffer.slice(0)));
  });
  for (let k = 0; k < 3; k++) assert.deepEqual(await source.rows(0, [0], { runs: 5 }), [Float64Array.of(0)]);
  assert.deepEqual(asked, ["api/runs/0/rows?columns=0&runs=5"]);
  for (let k = 0; k < 2; k++) await assert.rejects(source.rows(0, [7], {}), /no/);
  assert.equal(asked.length, 3);
  // Old answers make room.
  for (let k = 0; k < 64; k++) await source.rows(0, [0], { from: k });
  await source.rows(0, [0], { runs: 5 });
  assert.equal(asked.length, 3 + 64 + 1);
});

test("contact elements of an instant come out of seven lists", () => {
  // Two instants: none at 0 s, two elements at 1 s, on triangles 5 and 6.
  const lists = [[0, 1], [0, 0, 2], [0, 0], [0, 1], [5, 6], [7e5, 8e5], [0, 3e4]];
  const head = Uint32Array.from([7, ...lists.map((list) => list.length)]);
  const buffer = new ArrayBuffer(head.byteLength + 8 * lists.flat().length);
  new Uint32Array(buffer, 0, 8).set(head);
  new Float64Array(buffer, head.byteLength).set(lists.flat());
  const info = { pairs: [], largest: [8e5, 3e4], shown: 2, recorded: 2 } as const;
  const elements = new Elements(info, decodeLists(buffer));
  assert.deepEqual(elements.at(-1), []);
  assert.deepEqual(elements.at(0.5), []);
  assert.deepEqual(elements.at(3).map(({ triangle, pressure }) => [triangle, pressure]), [[5, 7e5], [6, 8e5]]);
});

test("a run that goes on grows where it is held", async () => {
  const before = { name: "a", recorded: 2, rows: 2, growing: true, span: [0, 1] };
  const index = { version: 1, generator: "", runs: [{ ...before }] } as unknown as Index;
  const rows = (count: number) => {
    const bytes = new ArrayBuffer(8 + 8 * count);
    new Uint32Array(bytes, 0, 2).set([count, 1]);
    return bytes;
  };
  let [recorded, growing, asked] = [2, true, 0];
  const source = new RemoteSource(index, (address) => {
    if (address === "api/runs") {
      return Promise.resolve(Response.json({ ...index, runs: [{ ...before, recorded, growing, span: [0, recorded - 1] }] }));
    }
    asked += 1;
    return Promise.resolve(new Response(rows(recorded)));
  });
  const held = source.index.runs[0]!;
  assert.equal((await source.rows(0, [0], {}))[0]!.length, 2);
  assert.equal(await source.update(), false);
  await source.rows(0, [0], {});
  assert.equal(asked, 1);
  recorded = 5;
  assert.equal(await source.update(), true);
  assert.deepEqual([held.recorded, held.span], [5, [0, 4]]);
  assert.equal((await source.rows(0, [0], {}))[0]!.length, 5);
  growing = false;
  assert.equal(await source.update(), true);
  assert.equal(held.growing, false);
});
