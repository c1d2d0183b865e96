import assert from "node:assert/strict";
import { test } from "node:test";
import { halfOf, pairTerms } from "../../../assets/widgets/heads/coordinates.js";

const operands = {
  q: { data: [1, 2, 3, 4, -1, 0, 2, 0.5], shape: [2, 4] },
  k: { data: [1, 0, -1, 2, 0.5, 0.5, 0.5, 0.5, 0, 1, 0, 0], shape: [3, 4] },
  bias: { data: [0, -1, -2, -3, 0, -1], shape: [2, 3] },
  scale: 0.5,
};

test("products add up to the dot product, scaled and with the bias to the score", () => {
  const terms = pairTerms(operands, 0, 0);
  assert.deepEqual(terms.products, [1, 0, -3, 8]);
  assert.deepEqual(terms.running, [1, 1, -2, 6]);
  assert.deepEqual([terms.dot, terms.scaled, terms.bias, terms.score], [6, 3, 0, 3]);
  assert.deepEqual([pairTerms(operands, 1, 2).bias, pairTerms(operands, 1, 2).score], [-1, -1]);
  assert.equal(pairTerms({ ...operands, bias: undefined }, 0, 1).score, 2.5);
});

test("a bound stands between the scaled sum and the bias", () => {
  const terms = pairTerms({ ...operands, softcap: 2 }, 0, 1);
  assert.deepEqual([terms.scaled, terms.bound], [2.5, 2 * Math.tanh(1.25)]);
  assert.equal(terms.score, terms.bound - 1);
});

test("the order by size changes the way and not the sum", () => {
  const terms = pairTerms(operands, 0, 0, true);
  assert.deepEqual(terms.order, [3, 2, 0, 1]);
  assert.deepEqual(terms.running, [8, 5, 6, 6]);
  assert.equal(terms.dot, 6);
});

test("how many products make half of all", () => {
  assert.equal(halfOf([1, 0, -3, 8]), 1);
  assert.equal(halfOf([1, -1, 1, -1]), 2);
  assert.equal(halfOf([0, 0]), 0);
});
