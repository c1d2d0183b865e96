// The sliders must do what core/generate/filters.py does: temperature, then top-k, then top-p, then renormalise.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  CUT_BY_K,
  CUT_BY_P,
  distribution,
  entropy,
  KEPT,
  ranking,
  softmax,
} from "../../../assets/widgets/drawing/sampling.js";

const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);
const logOf = (probabilities) => Float64Array.from(probabilities, Math.log);

test("softmax sums to 1, does not overflow, and a small temperature sharpens", () => {
  const p = softmax([1000, 1001, 999]);
  near(
    p.reduce((a, b) => a + b),
    1,
  );
  near(p[1], Math.E ** 2 / (Math.E + Math.E ** 2 + 1));
  near(softmax([0, Math.log(3)], 0.5)[1], 9 / 10);
});

test("temperature 0 is greedy and takes the first of equal logits", () => {
  assert.deepEqual([...softmax([1, 5, 5, 2], 0)], [0, 1, 0, 0]);
});

test("a logit of minus infinity has probability 0", () => {
  assert.deepEqual([...softmax([0, -Infinity, 0])], [0.5, 0, 0.5]);
});

test("the ranking keeps the vocabulary's order among equals", () => {
  assert.deepEqual([...ranking([1, 3, 2, 3])], [1, 3, 2, 0]);
});

test("top-k keeps every token that ties with the k-th", () => {
  const { cut, nKept, after } = distribution([3, 2, 2, 1], { topK: 2 });
  assert.deepEqual([...cut], [KEPT, KEPT, KEPT, CUT_BY_K]);
  assert.equal(nKept, 3);
  near(
    after.reduce((a, b) => a + b),
    1,
  );
});

test("top-p keeps the token that crosses the mass, and no more", () => {
  const logits = logOf([0.5, 0.3, 0.15, 0.05]);
  assert.deepEqual([...distribution(logits, { topP: 0.7 }).cut], [KEPT, KEPT, CUT_BY_P, CUT_BY_P]);
  assert.deepEqual([...distribution(logits, { topP: 0.85 }).cut], [KEPT, KEPT, KEPT, CUT_BY_P]);
  const { after } = distribution(logits, { topP: 0.7 });
  near(after[0], 0.5 / 0.8);
});

test("a mass that reaches p but for the rounding of float32 logits counts as p", () => {
  assert.equal(distribution(Float32Array.from(logOf([0.5, 0.3, 0.2])), { topP: 0.8 }).nKept, 2);
  assert.equal(distribution(Float32Array.from(logOf([0.3, 0.2, 0.5])), { topP: 0.5 }).nKept, 1);
});

test("a tiny top-p keeps the best token", () => {
  assert.equal(distribution(logOf([0.2, 0.5, 0.3]), { topP: 1e-9 }).nKept, 1);
});

test("top-p looks at the mass after temperature and after top-k", () => {
  const logits = logOf([0.4, 0.3, 0.2, 0.1]);
  // Of the three that top-k keeps, the first two hold 0.7 / 0.9 = 0.78.
  assert.deepEqual([...distribution(logits, { topK: 3, topP: 0.75 }).cut], [KEPT, KEPT, CUT_BY_P, CUT_BY_K]);
  // At T = 0.5 the masses are 16, 9, 4, 1 of 30: the first alone holds 0.533.
  assert.equal(distribution(logits, { temperature: 0.5, topP: 0.53 }).nKept, 1);
  assert.equal(distribution(logits, { topP: 0.53 }).nKept, 2);
});

test("nothing is cut by default, and the order given is used", () => {
  const { nKept, after, mass } = distribution([1, 2, 3], {}, ranking([1, 2, 3]));
  assert.equal(nKept, 3);
  near(mass, 1);
  near(after[2], softmax([1, 2, 3])[2]);
});

test("entropy of a blind guess is ln V", () => {
  near(entropy(softmax(new Float32Array(8))), Math.log(8));
  assert.equal(entropy([1, 0]), 0);
});

// tests/library/widgets/test_widget_scripts.py writes what core.generate.filters makes of 48 random cases with ties.
test("the sliders agree with core.generate", { skip: !process.env.FRAMES && "needs FRAMES" }, () => {
  const cases = JSON.parse(readFileSync(`${process.env.FRAMES}/samples.json`, "utf8"));
  assert.equal(cases.length, 48);
  for (const { logits, settings, after } of cases) {
    const here = distribution(logits, settings).after;
    after.forEach((p, i) => near(here[i], p, 1e-6));
  }
});
