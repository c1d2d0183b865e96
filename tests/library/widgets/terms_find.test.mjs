import assert from "node:assert/strict";
import { test } from "node:test";
import { finder, placed } from "../../../assets/widgets/page/terms_find.js";

const find = finder([
  ["attention", "attention", "", ["attention"]],
  ["cross-attention", "cross-attention", "", ["cross-attention", "cross attention"]],
  ["BERT", "bert", "", ["BERT"]],
  ["mask", "mask", "", ["mask", "masks"]],
  ["class token", "class-token", "", ["class token", "[CLS]", "<class>"]],
]);
const words = (text) => find(text).map(({ start, end, term }) => [text.slice(start, end), term]);

test("the longest form wins, and nothing inside a word or a compound counts", () => {
  assert.deepEqual(words("Cross-attention is attention."), [
    ["Cross-attention", 1],
    ["attention", 0],
  ]);
  assert.deepEqual(words("unmask mask-like non-mask masks."), [["masks", 3]]);
  assert.deepEqual(words("self.mask and core/mask"), []);
});

test("a name with capitals counts as it is written; spaces may be line ends", () => {
  assert.deepEqual(words("Bert met BERT"), [["BERT", 2]]);
  assert.deepEqual(words("a class\ntoken, [CLS] or <class>"), [
    ["class\ntoken", 4],
    ["[CLS]", 4],
    ["<class>", 4],
  ]);
});

test("a card stays inside the window", () => {
  const card = { width: 300, height: 100 };
  const view = { width: 390, height: 800 };
  assert.deepEqual(placed({ left: 350, top: 40, bottom: 60 }, card, view), { left: 82, top: 66 });
  assert.deepEqual(placed({ left: 0, top: 760, bottom: 780 }, card, view), { left: 8, top: 654 });
  assert.deepEqual(placed({ left: 20, top: 5, bottom: 25 }, { width: 300, height: 790 }, view), { left: 20, top: 8 });
});
