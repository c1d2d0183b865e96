import assert from "node:assert/strict";
import { test } from "node:test";
import { capped, rootOf, rowScores, rowSum } from "../../../assets/widgets/drawing/formula.js";
import { softmax } from "../../../assets/widgets/drawing/sampling.js";

const q = { data: [1, 2, 0, 1], shape: [2, 2] };
const k = { data: [1, 0, 0, 1, 1, 1], shape: [3, 2] };

test("scores are q · k times the scale, masked ones minus infinity", () => {
  const empty = [0, 0, 1, 0, 0, 0];
  assert.deepEqual([...rowScores({ q, k, scale: 0.5, empty }, 0, 3)], [0.5, 1, -Infinity]);
  assert.equal(softmax(rowScores({ q, k, scale: 0.5, empty }, 0, 3))[2], 0);
});

test("scores that were sent are used as they are", () => {
  const scores = { data: [9, 8, 7, 1, 2, 3] };
  assert.deepEqual([...rowScores({ q, k, scores, scale: 0.5 }, 1, 3)], [1, 2, 3]);
});

test("bounded scores are c tanh(x / c), and without a bound they stay", () => {
  const [first] = rowScores({ q, k, scale: 0.5, softcap: 2 }, 0, 3);
  assert.equal(first, 2 * Math.tanh(0.25));
  assert.deepEqual([capped(7, undefined), capped(7, null)], [7, 7]);
  assert.ok(capped(1e6, 50) <= 50);
});

test("a sink is one more score in the sum of each row", () => {
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);
  const whole = (...row) => {
    const { top, total } = rowSum(...row);
    return total * Math.exp(top);
  };
  near(whole([1, 2, -Infinity]), Math.E + Math.E ** 2);
  near(whole([1, 2, -Infinity], 0), 1 + Math.E + Math.E ** 2);
  near(whole([1, 2], 3), Math.E + Math.E ** 2 + Math.E ** 3); // the largest of all
});

test("a scale is called after the root of a whole number, if it is one", () => {
  assert.deepEqual([rootOf(1 / Math.sqrt(224)), rootOf(0.5), rootOf(0.3)], ["1/√224", "1/√4", "scale"]);
});
