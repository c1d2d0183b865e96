import assert from "node:assert/strict";
import { test } from "node:test";
import { ticks } from "../../../assets/widgets/drawing/ticks.js";
import { missing, nearest, range, spread, stroke } from "../../../assets/widgets/shared/drawn_curve_math.js";

test("places stand in proportion, or evenly where neighbours would fall together", () => {
  assert.deepEqual(spread([0, 1, 2, 4]), [0, 0.25, 0.5, 1]);
  assert.deepEqual(spread([1, 10, 100, 1000]), [0, 1 / 3, 2 / 3, 1]);
  assert.deepEqual(spread([2, 5]), [0, 1]);
});

test("the nearest place", () => {
  assert.equal(nearest([0, 0.5, 1], 0.3), 1);
  assert.equal(nearest([0, 0.5, 1], -5), 0);
});

test("a stroke sets every place that it passes, on its line, and leaves the others", () => {
  const places = [0, 0.25, 0.5, 0.75, 1];
  assert.deepEqual(
    stroke([null, null, null, null, null], places, [0.2, 0], [0.8, 6]).map((v) => v && Math.round(v * 1e6) / 1e6),
    [null, 0.5, 3, 6, null],
  );
  assert.deepEqual(stroke([1, 2, 3, 4, 5], places, [0.5, 9], [0.5, 9]), [1, 2, 9, 4, 5]);
  assert.deepEqual(stroke([1, 1, 1, 1, 1], places, [1, 0], [0, 4]), [4, 3, 2, 1, 0]);
});

test("what is missing, the range, and round numbers on the axis", () => {
  assert.equal(missing([null, 1, null]), 2);
  assert.deepEqual(range(0, 1, [0.5, 1.4]), [0, 1.4]);
  assert.deepEqual(range(0, 1, null), [0, 1]);
  for (const [low, high] of [
    [0, 1],
    [-3, 7],
    [0, 0.013],
    [100, 1e6],
    [0, 5.3],
  ]) {
    const [values, digits] = ticks([low, high]);
    assert.ok(values.length >= 3 && values.length <= 8, `${low} ${high} ${values}`);
    assert.ok(values.every((v) => v >= low - 1e-9 && v <= high + 1e-9));
    assert.equal(new Set(values.map((v) => v.toFixed(digits))).size, values.length);
  }
});
