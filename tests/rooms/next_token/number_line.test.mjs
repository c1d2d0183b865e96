// The number line of a step is cut from those of all steps, and the sentence says what is true of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceAt, lineAt, sentenceKey } from "../../../assets/widgets/next_token/number_line_math.js";

const all = (shape, ...data) => ({ shape, data: Float32Array.from(data) });
const header = { names: ["Anna", "Mia", "Tom"] };
const arrays = {
  taken: all([3], 0, 1, 2),
  draws: all([3], 0.125, 0.5, NaN),
  ids: all([3, 3], 0, 1, 2, 1, 2, -1, 2, -1, -1),
  low: all([3, 3], 0, 0.25, 0.75, 0, 0.9375, 0, 0, 0, 0),
  high: all([3, 3], 0.25, 0.75, 1, 0.9375, 1, 0, 1, 0, 0),
};
const at = (step) => lineAt(header, arrays, step);

test("each step has its own pieces", () => {
  assert.deepEqual(
    [0, 1, 2].map((step) => at(step).pieces.map(({ name, from, to }) => [name, from, to])),
    [
      [
        ["Anna", 0, 0.25],
        ["Mia", 0.25, 0.75],
        ["Tom", 0.75, 1],
      ],
      [
        ["Mia", 0, 0.9375],
        ["Tom", 0.9375, 1],
      ],
      [["Tom", 0, 1]],
    ],
  );
  assert.deepEqual(
    [0, 1, 2].map((step) => chanceAt(arrays, step)),
    [0.25, 0.9375, 1],
  );
});

test("the sentence tells lost, sure, greedy and won apart", () => {
  const key = ({ u, taken, best }) => sentenceKey(u, taken, best);
  assert.deepEqual(
    [0, 1, 2].map((step) => key(at(step))),
    ["lost", "sure", "greedy"],
  );
  const { best } = at(0);
  assert.equal(sentenceKey(0.5, best, best), "won");
});
