import assert from "node:assert/strict";
import { test } from "node:test";
import { lowerBound, pick, thinRows, upperBound, valueAt } from "../src/data/thin.js";

test("a spike of one sample survives", () => {
  const time = Float64Array.from({ length: 100_000 }, (_, i) => i);
  const values = new Float64Array(100_000);
  values[54_321] = 7;
  const rows = thinRows([time, values], 0, time.length, 200);
  assert.ok(rows.length <= 4 * 200);
  assert.ok(rows.includes(54_321));
  assert.equal(rows[0], 0);
  assert.equal(rows[rows.length - 1], 99_999);
  assert.ok(rows.every((row, i) => i === 0 || row > rows[i - 1]!));
  assert.equal(Math.max(...pick(values, rows)), 7);
});

test("few rows stay whole, and gaps stay", () => {
  assert.deepEqual([...thinRows([Float64Array.of(1, 2, 3)], 0, 3, 1)], [0, 1, 2]);
  assert.deepEqual([...thinRows([Float64Array.of(1, 2, 3)], 2, 2, 1)], []);
  const values = new Float64Array(1000).fill(1);
  values[500] = NaN;
  assert.ok(thinRows([values], 0, 1000, 10).includes(500));
  assert.ok(thinRows([new Float64Array(1000).fill(NaN)], 0, 1000, 10).length >= 2);
});

test("values between samples lie on the line, and after a jump beyond it", () => {
  const times = [0, 1, 1, 3];
  const values = [0, 2, 10, 14];
  assert.equal(valueAt(times, values, 0.25), 0.5);
  assert.equal(valueAt(times, values, 1), 10);
  assert.equal(valueAt(times, values, 2), 12);
  assert.equal(valueAt(times, values, 3), 14);
  assert.ok(Number.isNaN(valueAt(times, values, 3.5)));
  assert.ok(Number.isNaN(valueAt([], [], 0)));
  assert.deepEqual([lowerBound(times, 1), upperBound(times, 1)], [1, 3]);
});
