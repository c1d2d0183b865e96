// Squares to scale: areas are counts at any zoom, and names stand where there is room.
import assert from "node:assert/strict";
import test from "node:test";
import { between, largestIn, named, sideOf } from "../../../assets/widgets/sizes/to_scale_math.js";

test("areas are in the ratio of the counts", () => {
  for (const whole of [259200, 8271696, 174604259328]) {
    const [a, b] = [259200, 124439808].map((count) => sideOf(count, whole, 460));
    assert.ok(Math.abs((b * b) / (a * a) - 124439808 / 259200) < 1e-6);
  }
  assert.equal(sideOf(5, 5, 460), 460);
});

test("a zoom goes by equal factors and ends where it should", () => {
  assert.ok(Math.abs(between(100, 1e6, 0.5) - 1e4) < 1e-6);
  assert.ok(Math.abs(between(7, 1e9, 1) - 1e9) < 1e-3);
  assert.ok(Math.abs(between(7, 1e9, 0) - 7) < 1e-9);
});

test("the largest model that fits", () => {
  assert.equal(largestIn([10, 100, 1000], 1000), 2);
  assert.equal(largestIn([10, 100, 1000], 999), 1);
  assert.equal(largestIn([10, 100, 1000], 1), 0);
});

test("names need an edge of their own, and a square on the stage", () => {
  assert.deepEqual(named([80, 90, 200, 700], 460, 20, 60), [true, false, true, false]);
  assert.deepEqual(named([30], 460, 20, 60), [false]);
});
