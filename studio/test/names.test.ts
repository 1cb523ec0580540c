import assert from "node:assert/strict";
import { test } from "node:test";
import { groupOf } from "../src/data/names.js";

test("what names share is their group, not their letters", () => {
  assert.equal(groupOf(["energy.kinetic", "energy.stored"]), "energy.");
  assert.equal(groupOf(["contacts.car.head-car", "contacts.car.hand-car", "contacts.self.hand-head"]), "contacts.");
  assert.equal(groupOf(["theta", "theta.rate"]), "");
  assert.equal(groupOf(["hip_l", "hip_r"]), "");
  assert.equal(groupOf(["a.b", "a.b.c"]), "a.");
  assert.equal(groupOf([".x", ".y"]), ".");
  assert.equal(groupOf([]), "");
});
