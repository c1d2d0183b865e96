// Both ways of reading the cards at one moment, taken out of what the picture is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readingsAt, rightOf } from "../../../assets/widgets/hard_attention/card_game_math.js";

const array = (shape, at) => {
  const data = [];
  for (let i = 0; i < shape.reduce((a, b) => a * b); i++) data.push(at(i));
  return { shape, data };
};
const header = { cards: ["A3", "B5"] };
// ways, moments, questions, cards
const arrays = {
  weights: array([2, 2, 2, 2], (i) => i / 16),
  answers: array([2, 2, 2, 2], (i) => (i % 2 ? 5 : 3)),
  drawn: { shape: [2, 2, 3], data: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1] },
  right: { shape: [2, 2], data: [0.1, 0.2, 0.3, 0.4] },
};

test("soft reads all cards, hard the one that is drawn", () => {
  const [soft, hard] = readingsAt(header, arrays, { step: 1, asked: 1, draw: 0 });
  assert.deepEqual(soft.weights, [6 / 16, 7 / 16]);
  assert.deepEqual([soft.read, soft.digit, soft.isRight], [null, 3, false]);
  assert.deepEqual(hard.weights, [14 / 16, 15 / 16]);
  assert.deepEqual([hard.read, hard.digit, hard.isRight], [1, 5, true]);
  assert.deepEqual(hard.times, [1, 2]);
  assert.equal(readingsAt(header, arrays, { step: 1, asked: 1, draw: 1 })[1].read, 0);
});

test("right answers of a way at each moment", () => {
  assert.deepEqual(rightOf(arrays, 0), [0.1, 0.2]);
  assert.deepEqual(rightOf(arrays, 1), [0.3, 0.4]);
});
