import assert from "node:assert/strict";
import { test } from "node:test";
import { lessThan, rate, rateUnit, spectrum, transform } from "../src/data/derive.js";

test("the rate of a parabola is exact at any spacing, and one-sided beside a jump", () => {
  const times = [0, 0.1, 0.4, 0.5, 1.5];
  const rates = rate(times, times.map((t) => 3 * t * t - t));
  // Closed form 6 t - 1; the ends have the slope of the line to their neighbour.
  times.slice(1, -1).forEach((t, k) => assert.ok(Math.abs(rates[k + 1]! - (6 * t - 1)) < 1e-12));
  assert.ok(Math.abs(rates[0]! - (6 * 0.05 - 1)) < 1e-12);
  const jump = rate([0, 1, 1, 2], [0, 1, 5, 7]);
  assert.deepEqual([...jump], [1, 1, 2, 2]);
  assert.ok(Number.isNaN(rate([0], [1])[0]));
});

test("units of rates", () => {
  assert.deepEqual(["m", "rad/s", "m/s^2", "1", "s", "N m", "N/m"].map(rateUnit), ["m/s", "rad/s^2", "m/s^3", "1/s", "1", "N m/s", "N/(m s)"]);
});

test("runs are subtracted at the times of the first", () => {
  const out = lessThan([0, 1, 2, 3], [0, 10, 20, 30], { times: [0, 2], values: [0, 4] });
  assert.deepEqual([...out.slice(0, 3)], [0, 8, 16]);
  assert.ok(Number.isNaN(out[3]));
});

test("the transform has the sums of its definition", () => {
  const values = [1, -2, 3, 0.5, 0, 7, -1, 2];
  const [real, imaginary] = [Float64Array.from(values), new Float64Array(8)];
  transform(real, imaginary);
  for (let k = 0; k < 8; k++) {
    const sum = (f: (x: number) => number) => values.reduce((total, value, n) => total + value * f((-2 * Math.PI * k * n) / 8), 0);
    assert.ok(Math.abs(real[k]! - sum(Math.cos)) < 1e-12);
    assert.ok(Math.abs(imaginary[k]! - sum(Math.sin)) < 1e-12);
  }
});

test("a sine has its amplitude at its frequency, a constant has none", () => {
  // 3 + 0.5 sin(2 pi 8 t) + 0.02 sin(2 pi 40 t), 2 s: whole periods.
  const times = Array.from({ length: 4001 }, (_, k) => k / 2000);
  const { frequency, amplitude } = spectrum(times, times.map((t) => 3 + 0.5 * Math.sin(16 * Math.PI * t) + 0.02 * Math.sin(80 * Math.PI * t)));
  const at = (f: number) => amplitude[frequency.findIndex((known) => Math.abs(known - f) < 1e-9)]!;
  assert.ok(Math.abs(at(8) - 0.5) < 2e-4, String(at(8)));
  assert.ok(Math.abs(at(40) - 0.02) < 2e-4, String(at(40)));
  assert.ok(amplitude[0]! < 1e-9 && at(20) < 1e-3);
  assert.equal(amplitude.indexOf(Math.max(...amplitude)), frequency.indexOf(8));
  // Highest frequency: half of the samples a second, which are a power of two in all.
  assert.equal(frequency[frequency.length - 1], 4096 / 2 / 2);
  assert.equal(spectrum([0, 1], [1, 2]).frequency.length, 0);
  assert.equal(spectrum([0, 1, 2, 3], [NaN, NaN, NaN, NaN]).amplitude.length, 0);
});
