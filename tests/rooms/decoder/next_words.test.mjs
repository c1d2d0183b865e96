// What the staircase of guesses shows at a step, against lists written by hand.
import assert from "node:assert/strict";
import test from "node:test";
import { guessesAt, lastThatFit, stretches } from "../../../assets/widgets/decoder/next_words_math.js";

test("the lines of a step", () => {
  const header = { tokens: ["Tom", " saw", "."], words: [" saw", ".", " a"], steps: [0, 5] };
  const data = (shape, list) => ({ shape, data: list });
  const arrays = {
    top: data([2, 2, 2], [2, 1, 2, 0, 0, 2, 2, 1]),
    probabilities: data([2, 2, 2], [0.4, 0.3, 0.4, 0.3, 0.9, 0.1, 0.6, 0.4]),
    truth: data([2, 2], [0.2, 0.3, 0.9, 0.4]),
    right: data([2, 2], [0, 0, 1, 0]),
  };
  assert.deepEqual(guessesAt(header, arrays, 1), [
    {
      read: ["Tom"],
      tops: [
        [" saw", 0.9],
        [" a", 0.1],
      ],
      next: " saw",
      truth: 0.9,
      isRight: true,
      history: [0, 1],
    },
    {
      read: ["Tom", " saw"],
      tops: [
        [" a", 0.6],
        [".", 0.4],
      ],
      next: ".",
      truth: 0.4,
      isRight: false,
      history: [0, 0],
    },
  ]);
});

test("stretches of right guesses", () => {
  assert.deepEqual(stretches([0, 1, 1, 0, 1]), [
    [1, 2],
    [4, 1],
  ]);
  assert.deepEqual(stretches([0, 0]), []);
});

test("what was read is cut at the front, never before a full stop", () => {
  const tokens = ["Tom", " and", " Mia", ".", " He"];
  const fit = (room) => lastThatFit(tokens, room, (text) => text.length);
  assert.equal(fit(99), "Tom and Mia. He");
  assert.equal(fit(10), "… Mia. He");
  assert.equal(fit(7), "… He");
  assert.equal(fit(0), "… He");
});
