import assert from "node:assert/strict";
import { test } from "node:test";
import { heldToken, overBar, spoken } from "../../../assets/widgets/home/sheets_math.js";

test("a click holds a token that there is; an address of another text, or a forged one, holds none", () => {
  assert.equal(heldToken("5", 14), 5);
  for (const text of ["", "14", "-1", "1e1", "x", undefined, null]) assert.equal(heldToken(text, 14), null, text);
});

test("a space that is expected is named: the mark that stands for it says nothing in a sentence", () => {
  assert.equal(spoken(" kite"), "“kite”");
  assert.equal(spoken(" "), "a space (“·”)");
});

test("a probability over a bar is short, and one above 0 is never written as 0", () => {
  assert.deepEqual([0.52, 0.004, 1e-9, 0, 1].map(overBar), [".52", "<.01", "<.01", ".00", "1.00"]);
});
