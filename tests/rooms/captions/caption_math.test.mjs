import assert from "node:assert/strict";
import test from "node:test";
import { fewest, laid, mapOf, spoken, strongest, told } from "../../../assets/widgets/captions/caption_math.js";

const maps = { data: Float32Array.from({ length: 3 * 2 * 4 }, (_, i) => i), shape: [3, 2, 2, 2] };

test("a map is one head at one word", () => {
  assert.deepEqual([...mapOf(maps, 0, 0)], [0, 1, 2, 3]);
  assert.deepEqual([...mapOf(maps, 2, 1)], [20, 21, 22, 23]);
});

test("the strongest patch, the first of equals", () => {
  assert.deepEqual(strongest([0.1, 0.4, 0.4, 0.1], 2), { row: 0, column: 1, weight: 0.4 });
});

test("the fewest patches that make up most of the weight", () => {
  assert.deepEqual(fewest([0.125, 0.5, 0, 0.375]), { n: 2, share: 0.875 });
  assert.deepEqual(fewest([1]), { n: 1, share: 1 });
  assert.equal(fewest([0.2, 0.2], 0.75).n, 2); // rounded weights may not reach it
});

test("weights lie on the picture that is read, and on no other", () => {
  const found = laid(Float32Array.of(0.5, 0.5), 2, 1);
  assert.ok(Number.isNaN(found[0]) && Number.isNaN(found[1]));
  assert.deepEqual([...found.subarray(2)], [0.5, 0.5]);
});

test("words as text", () => {
  const words = ["an", "eight", ",", "written", "bold", "and", "upright", "."];
  assert.equal(spoken(words), "an eight, written bold and upright.");
  assert.equal(spoken(words, 2), "an eight");
});

test("a step in a sentence", () => {
  const header = {
    words: ["a", "seven"],
    top: [
      ["a", "an"],
      ["seven", "one"],
    ],
    reads: [0, 1],
    names: ["first picture", "second picture"],
    grid: [2, 2],
    heads: ["mean of all", "0.0"],
  };
  const chances = [0.9, 0.1, 0.8, 0.2];
  assert.equal(
    told(header, chances, [0, 0.75, 0.25, 0], 1, 1),
    "Word 2 of 2: “seven”, 80.0%. Head 0.0 reads most in row 1, column 2 (0.75) of the second picture.",
  );
  const one = { ...header, names: [""], grid: [1, 1] };
  assert.equal(told(one, chances, [1], 0, 0), "Word 1 of 2: “a”, 90.0%. The mean of all heads reads the one vector.");
});
