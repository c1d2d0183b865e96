import assert from "node:assert/strict";
import { test } from "node:test";
import { names } from "../../../assets/widgets/drawing/names.js";

test("names stand in the header, or packed in an array that is read once", () => {
  const header = { tokens: ["a", "b"] };
  assert.equal(names({ header, arrays: {} }), header.tokens);
  const data = new TextEncoder().encode(["", " the", "日本", "\n", "a"].join("\0"));
  const read = names({ header: {}, arrays: { names: { data } } });
  assert.deepEqual(read, ["", " the", "日本", "\n", "a"]);
  assert.equal(names({ header: {}, arrays: { names: { data } } }), read);
});
