// What is said about a token of a batch with gaps, and which words of a text are hidden.
import assert from "node:assert/strict";
import { test } from "node:test";
import { printed, said, toggled } from "../../../assets/widgets/shared/gap_set.js";
import { FATES, tally, told } from "../../../assets/widgets/encoder/masking_words.js";

test("each fate has its letter and its sentence", () => {
  assert.equal(new Set(FATES.map((one) => one.letter)).size, 4);
  assert.match(told(0, 3, "<mask>", "ball", 1, false), /Row 1, position 3.*“<mask>”\. Masked: it is asked for “ball”/);
  assert.match(told(0, 3, "park", "ball", 2, false), /Replaced: it is asked for “ball”/);
  assert.match(told(0, 3, "ball", "ball", 2, false), /by chance with the same word/);
  assert.match(told(0, 3, "ball", "ball", 3, false), /left unchanged: it is asked/);
  assert.match(told(0, 3, "ball", "ball", 0, false), /nothing is asked/);
  assert.match(told(0, 0, "<class>", "<class>", 0, true), /never chosen/);
});

test("special tokens are not counted", () => {
  assert.deepEqual(tally([0, 1, 1, 2, 3, 0], [1, 0, 0, 0, 0, 0]), [1, 2, 1, 1]);
});

test("a click hides a word and shows it again, and special tokens stay", () => {
  assert.deepEqual(toggled([5], 2, [0]), [2, 5]);
  assert.deepEqual(toggled([2, 5], 5, [0]), [2]);
  assert.deepEqual(toggled([2], 0, [0]), [2]);
});

test("what the model says, in a sentence", () => {
  assert.equal(printed(1), "100%");
  assert.equal(printed(0.0004), "<0.1%");
  assert.equal(printed(0.25), "25.0%");
  assert.match(
    said("an", true, ["a", "an"], [0.6, 0.4], 0.4),
    /^Gap: most probable “a” 60\.0%; “an”, which was there, 40\.0%/,
  );
  assert.match(said("an", false, ["an"], [0.9], 0.9), /is read here, and/);
  assert.match(said("an", false, ["a"], [0.9], 0.1), /but the model would say “a” 90\.0%; “an” 10\.0%/);
});
