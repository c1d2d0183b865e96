// The arithmetic of the frozen training step and of the lens's cells.
import assert from "node:assert/strict";
import { test } from "node:test";
import { bestRank, cellAt, wordFor } from "../../../assets/widgets/decoder/lens_math.js";
import { logitTerms, share } from "../../../assets/widgets/decoder/unembed_math.js";
import { loss, mean, rest, sentence, sumText } from "../../../assets/widgets/decoder/training_step_math.js";

test("the loss is minus the logarithm, never below 0", () => {
  assert.equal(loss(1), 0);
  assert.ok(Math.abs(loss(0.5) - Math.LN2) < 1e-12);
  assert.equal(loss(0), Infinity);
  assert.equal(loss(1.0000001), 0);
  assert.equal(mean([1, 2, 6]), 3);
  assert.equal(
    rest([
      ["a", 0.5],
      ["b", 0.25],
    ]),
    0.25,
  );
  assert.equal(rest([["a", 1.0000001]]), 0);
});

test("long sums are cut in the middle, short ones are not", () => {
  assert.equal(sumText([1, 2]), "(1.00 + 2.00) / 2");
  assert.equal(sumText([1, 2, 3, 4, 5, 6, 7]), "(1.00 + 2.00 + 3.00 + 4.00 + … + 7.00) / 7");
});

test("the sentence counts what was read", () => {
  const text = { inputs: ["Tom", " and"], targets: [" and", " Mia"] };
  assert.match(sentence(text, 0.5, 0), /it has read “Tom”; the answer is “·and”\. It gave that 0\.500.*= 0\.693 nats/);
  assert.match(sentence(text, 0.25, 1), /the 2 tokens up to “·and”; the answer is “·Mia”/);
});

test("a cell of a film is found in its arrays", () => {
  const arrays = {
    // 2 frames, 2 layers, 3 positions, 2 tokens each
    top: { shape: [2, 2, 3, 2], data: Array.from({ length: 24 }, (_, i) => i) },
    probabilities: { data: Array.from({ length: 24 }, (_, i) => i / 100) },
    rank: { data: Array.from({ length: 12 }, (_, i) => i) },
    truth: { data: Array.from({ length: 12 }, (_, i) => i / 10) },
  };
  assert.deepEqual(cellAt(arrays, 1, 0, 2), {
    top: [
      [16, 0.16],
      [17, 0.17],
    ],
    rank: 8,
    truth: 0.8,
  });
  assert.equal(bestRank(0), 0);
  assert.equal(bestRank(4), 0.25);
  assert.match(wordFor("output", "Tom", { rank: 1200, truth: 0.5 }, " and"), /“·and”, is number 1,200 with 0\.500/);
  assert.match(wordFor("output", "Tom", { rank: 0, truth: 0 }, null), /not known/);
});

test("a bounded logit is c tanh(x / c) of its sum", () => {
  const terms = logitTerms([1, 2], [3, 4], 1, 9, 10);
  assert.deepEqual([terms.dot, terms.sum, terms.logit], [11, 12, 10 * Math.tanh(1.2)]);
});

test("a logit is the sum of all products, whatever is shown of them", () => {
  const hidden = Float32Array.from([1, -2, 3, 0.5]);
  const row = Float32Array.from([2, 1, -1, 4]);
  const all = logitTerms(hidden, row, 0.25, 9);
  const some = logitTerms(hidden, row, 0.25, 2);
  assert.equal(all.logit, 2 - 2 - 3 + 2 + 0.25);
  assert.equal(some.logit, all.logit);
  assert.deepEqual([some.shown, some.nRest, some.rest], [[2, 0], 2, 0]);
  assert.deepEqual(some.running, [-3, -1]);
  assert.ok(Math.abs(share(1, 2, 1 + Math.exp(-1)) - Math.exp(1) / (Math.exp(1) + Math.exp(2))) < 1e-12);
});
