// The text of a film of merges: where its tokens lie after each merge, and what the next one glues.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ticks } from "../../../assets/widgets/drawing/ticks.js";
import { cutAt, halves, spell } from "../../../assets/widgets/tokens/cuts.js";

// "aab aab": merge 1 glues a+b, merge 2 glues a+ab, merge 3 the space.
const NEVER = 2 ** 31 - 1;
const GONE = [2, 1, NEVER, 3, 2, 1, NEVER];
const BYTES = new TextEncoder().encode("aab aab");
const words = (step) => cutAt(GONE, step).map((place) => spell(BYTES, place));

test("each merge takes its borders away", () => {
  assert.deepEqual(words(0), ["a", "a", "b", " ", "a", "a", "b"]);
  assert.deepEqual(words(1), ["a", "ab", " ", "a", "ab"]);
  assert.deepEqual(words(2), ["aab", " ", "aab"]);
  assert.deepEqual(words(3), ["aab", " aab"]);
  assert.deepEqual(cutAt([], 0), []);
});

test("the halves of the next merge are found", () => {
  assert.deepEqual([...halves(GONE, cutAt(GONE, 0), 0)], [0, 1, 2, 0, 0, 1, 2]);
  assert.deepEqual([...halves(GONE, cutAt(GONE, 2), 2)], [0, 1, 2]);
  assert.deepEqual([...halves(GONE, cutAt(GONE, 3), 3)], [0, 0]);
});

test("axes have round numbers and never fewer than the zero", () => {
  assert.deepEqual(ticks([0, 94], 4, 1)[0], [0, 50]);
  assert.deepEqual(ticks([0, 2000], 4, 1)[0], [0, 500, 1000, 1500, 2000]);
  assert.deepEqual(ticks([0, 15], 5, 1)[0], [0, 5, 10, 15]);
  assert.deepEqual(ticks([0, 0], 4, 1)[0], [0]);
  assert.deepEqual(ticks([0, 1], 4, 1)[0], [0, 1]);
});
