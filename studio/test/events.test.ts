import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, happening } from "../src/data/events.js";

const text = (element: string, what: string) => happening([0, element, what]).text;

test("events are reported in the words of an engineer", () => {
  assert.equal(text("joints.fall.coordinate.stop", "hits"), "fall hits its stop");
  assert.equal(text("joints.knee.stop", "contact closes"), "knee reaches its stop");
  assert.equal(text("joints.knee.stop", "contact opens"), "knee leaves its stop");
  assert.equal(text("contacts.touch", "contact opens"), "touch lifts off");
  assert.equal(text("contacts.car.head-car", "contact closes"), "car head-car makes contact");
  assert.equal(text("joints.slide.friction", "sticks"), "slide sticks");
  assert.equal(text("joints.slide.friction", "slips forward"), "slide slips forward");
  assert.equal(text("joints.slide.friction", "turns"), "slide reverses its direction");
  assert.equal(text("friction.bearing", "element slips"), "bearing partially slips");
  assert.equal(text("switches.brake", "turns on"), "brake switches on");
  assert.equal(text("step", "cut"), "the solver shortens a step");
  // What nobody has words for is told as it is.
  assert.equal(text("joints.a", "sings"), "a sings");
  assert.equal(text("friction", "sticks"), "friction sticks");
});

test("kinds are counted in a fixed order", () => {
  const happenings = (["sticks", "hits", "sticks", "sings"] as const).map((what) => happening([0, "joints.a", what]));
  assert.deepEqual(counted(happenings), [["hit", 1], ["stick", 2], ["other", 1]]);
});
