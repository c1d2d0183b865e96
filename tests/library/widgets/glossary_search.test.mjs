// What the glossary's field finds: by name, other forms, names in other code, and mention, in this order.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstSentence, search } from "../../../assets/widgets/glossary/search.js";

const term = (name, definition, forms = [], more = "") => ({
  name,
  slug: name.replace(/ /g, "-"),
  definition,
  forms,
  more,
});
const TERMS = [
  term("d_model", "How wide.", ["model width"], "GPT-2: n_embd"),
  term("mask", "Says what may be read before the softmax.", ["masks"]),
  term("mask token", "Stands in a gap.", ["mask tokens", "[MASK]"]),
  term("softmax", "Makes shares. They sum to 1."),
];
const names = (asked) => search(TERMS, asked).map(([i]) => TERMS[i].name);

test("the best answer comes first", () => {
  assert.deepEqual(names("softmax"), ["softmax", "mask"]);
  assert.deepEqual(names("  Masks "), ["mask"]);
  assert.deepEqual(names("mask"), ["mask", "mask token"]);
  assert.deepEqual(names("n_embd"), ["d_model"]);
  assert.deepEqual(names("[mask]"), ["mask token"]);
  assert.deepEqual(names("mask-token"), ["mask token"]);
  assert.deepEqual(
    search(TERMS, "softmax").map(([, rank]) => rank),
    [0, 5],
  );
});

test("no word finds all, and nonsense nothing", () => {
  assert.equal(search(TERMS, " ").length, TERMS.length);
  assert.deepEqual(names("xyzzy.*"), []);
});

test("a first sentence ends before the next begins", () => {
  assert.equal(firstSentence(TERMS[3].definition), "Makes shares.");
  assert.equal(firstSentence("One of 2.5 only."), "One of 2.5 only.");
});
