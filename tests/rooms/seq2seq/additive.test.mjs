import assert from "node:assert/strict";
import { test } from "node:test";

import { contextSum, share, unitTerms } from "../../../assets/widgets/seq2seq/additive_math.js";

const array = (shape, ...numbers) => ({ shape, data: Float32Array.from(numbers) });
const operands = {
  asked: array([1, 2], 0.5, -1),
  read: array([3, 2], 0.5, 1, -0.5, 0, 2, 0.25),
  v: array([2], 2, -3),
  weights: array([1, 3], 0.25, 0.5, 0.25),
  states: array([3, 2], 1, 2, 3, 4, 5, 6),
};

test("an energy is the sum over the units, in any order", () => {
  const want = 2 * Math.tanh(1) - 3 * Math.tanh(0);
  const plain = unitTerms(operands, 0, 0);
  const sorted = unitTerms(operands, 0, 2, true);
  assert.ok(Math.abs(plain.energy - want) < 1e-12);
  assert.deepEqual(plain.order, [0, 1]);
  assert.ok(Math.abs(sorted.products[sorted.order[0]]) >= Math.abs(sorted.products[sorted.order[1]]));
  assert.ok(Math.abs(sorted.energy - (2 * Math.tanh(2.5) - 3 * Math.tanh(-0.75))) < 1e-12);
  assert.equal(sorted.running.at(-1), sorted.energy);
});

test("the weights are the softmax over the source", () => {
  const all = [0, 1, 2].map((s) => share(operands, 0, s));
  assert.ok(Math.abs(all.reduce((sum, one) => sum + one.weight, 0) - 1) < 1e-12);
  const [first] = all;
  assert.ok(
    Math.abs(first.weight - Math.exp(first.energies[0]) / first.energies.reduce((a, e) => a + Math.exp(e), 0)) < 1e-12,
  );
});

test("a number of the context is the weighted sum, the largest weights shown", () => {
  const found = contextSum(operands, 0, 1, 2);
  assert.equal(found.sum, 0.25 * 2 + 0.5 * 4 + 0.25 * 6);
  assert.deepEqual(
    found.shown.map((p) => p.s),
    [1, 0],
  );
  assert.equal(found.rest, 1);
});
