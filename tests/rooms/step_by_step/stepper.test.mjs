import assert from "node:assert/strict";
import { test } from "node:test";
import { both, explain, short, target } from "../../../assets/widgets/step_by_step/stepper_explain.js";
import { compute, product, softmaxRow, transpose } from "../../../assets/widgets/step_by_step/stepper_math.js";
import { steps } from "../../../assets/widgets/step_by_step/stepper_steps.js";

const I = [
  [1, 0],
  [0, 1],
];
const given = {
  nHead: 1,
  mask: [
    [1, 0],
    [1, 1],
  ],
  embedding: [
    [1, 0],
    [0, 2],
  ],
  position: [
    [0, 0],
    [0, 0],
  ],
  x: [
    [1, 0],
    [0, 2],
  ],
  w_q: I,
  w_k: I,
  w_v: I,
  w_o: [
    [2, 0],
    [0, 2],
  ],
};
const about = { ...given, words: ["a", "b"], positions: false, causal: true, dHead: 2, dModel: 2 };

test("products and transposes", () => {
  assert.deepEqual(product([[1, 2]], [[3], [4]]), [[11]]);
  assert.deepEqual(transpose([[1, 2, 3]]), [[1], [2], [3]]);
});

test("a softmax of nothing but minus infinity is zeros, of large numbers finite", () => {
  assert.deepEqual(softmaxRow([-Infinity, -Infinity]), [0, 0]);
  assert.deepEqual(softmaxRow([5000, 5000]), [0.5, 0.5]);
});

test("a layer by hand", () => {
  const t = compute(given);
  assert.deepEqual(t.dots, [
    [
      [1, 0],
      [0, 4],
    ],
  ]);
  assert.equal(t.masked[0][0][1], -Infinity);
  const w = 1 / (1 + Math.exp(4 / Math.SQRT2));
  assert.ok(Math.abs(t.weights[0][1][0] - w) < 1e-15);
  assert.deepEqual(t.out[0], [2, 0]);
});

test("an edit overrides what comes before it and moves what comes after it, nothing else", () => {
  const { now, changed } = both(given, [
    ["q", 0, 1, 1, 0],
    ["w_q", 0, 1, 1, 9],
  ]);
  assert.equal(now.q[0][1][1], 0);
  assert.equal(changed(["q", 0, 1, 1]), 2);
  assert.equal(changed(["weights", 0, 0, 0]), null);
  assert.ok(changed(["weights", 0, 1, 0]) !== null);
  assert.equal(changed(["v", 0, 1, 1]), null);
});

test("a weight that was set leaves the rest of its row, and it is said", () => {
  const t = compute(given, [["weights", 0, 1, 0, 1]]);
  assert.equal(t.share[0][1][0], 1 + t.weights[0][1][1]);
  assert.match(explain(t, about, ["share", 0, 1, 0]).note, /no longer shares/);
});

test("a masked cell says so", () => {
  const t = compute(given);
  assert.match(explain(t, about, ["masked", 0, 0, 1]).note, /must not read/);
  assert.match(explain(t, about, ["weights", 0, 0, 1]).parts[0][1], /masked/);
});

test("the softmax is shown with its exponentials and their sum", () => {
  const text = explain(compute(given), about, ["weights", 0, 1, 1]).parts.flat().join(" ");
  assert.match(text, /2\.828.*16\.919.*17\.919.*0\.9442/);
});

test("numbers fit their cell", () => {
  assert.deepEqual(
    [0.123, -0.001, 123.456, -1234.5, 1e6, -Infinity].map((v) => short(v)),
    ["0.12", "0.00", "123.5", "−1235", "1e+6", "−∞"],
  );
});

test("steps leave out what is not there", () => {
  assert.deepEqual(
    steps({ ...about, nHead: 1, causal: false }).map((s) => s.id),
    ["x", "q", "k", "v", "dots", "scores", "weights", "heads", "out"],
  );
  assert.equal(steps({ ...about, nHead: 2, dHead: 1 }).length, 11);
});

test("a cell that repeats another one sets that one; a masked or computed one sets nothing", () => {
  const t = compute(given);
  assert.deepEqual(target(t, ["masked", 0, 1, 0]), ["scores", 0, 1, 0]);
  assert.equal(target(t, ["masked", 0, 0, 1]), null);
  assert.deepEqual(target(t, ["concat", 0, 1, 1]), ["heads", 0, 1, 1]);
  assert.equal(target(t, ["out", 0, 0, 0]), null);
  assert.deepEqual(target(t, ["q", 0, 0, 0]), ["q", 0, 0, 0]);
});
