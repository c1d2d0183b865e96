import assert from "node:assert/strict";
import { test } from "node:test";
import { headOf, mixture, spoken, strongest } from "../../../assets/widgets/encoder_decoder/cross_film_math.js";
import { rowScores } from "../../../assets/widgets/drawing/formula.js";

const arrays = {
  weights: { data: new Float32Array([1, 0, 0.5, 0.5, 0.25, 0.75, 0, 1]), shape: [2, 2, 2] },
  q: { data: new Float32Array([1, 2, 3, 4, 5, 6, 7, 8]), shape: [2, 2, 2] },
  k: { data: new Float32Array([1, 0, 0, 1, 2, 0, 0, 2]), shape: [2, 2, 2] },
  v: { data: new Float32Array([1, 1, 2, 2, 10, 20, 30, 40]), shape: [2, 2, 2] },
};

test("each head is cut out of the whole", () => {
  const part = headOf(arrays, 1);
  assert.deepEqual(part.weights.row(0), [0.25, 0.75]);
  assert.deepEqual([...part.q.data], [5, 6, 7, 8]);
  assert.deepEqual([...rowScores({ q: part.q, k: part.k, scale: 0.5 }, 1, 2)], [7, 8]);
});

test("the values are mixed by their weights", () => {
  assert.deepEqual(mixture(headOf(arrays, 1), 0), [25, 35]);
  assert.deepEqual(mixture(headOf(arrays, 0), 0), [1, 1]);
});

test("the strongest source token is told", () => {
  const { weights } = headOf(arrays, 1);
  assert.equal(strongest(weights, 0), 1);
  const said = spoken({ rows: ["start", "lo"], writes: ["lo", "end"], columns: ["the", "dog"] }, weights, 0);
  assert.equal(said, "Output token 1 of 2: after start it writes lo and reads dog most, with weight 0.75.");
});
