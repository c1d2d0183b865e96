// What a question of a lesson's page says of a number.
import assert from "node:assert/strict";
import { test } from "node:test";
import { verdict } from "../../../assets/widgets/page/question.js";

const number = { low: 0, high: 20, unit: "tokens" };

test("how far a guess is off, and to which side", () => {
  assert.equal(verdict(9, { right: 12, number }), "You said 9: 3 tokens too low.");
  assert.equal(verdict(12.5, { right: 12, number: { ...number, unit: "" } }), "You said 12.5: 0.5 too high.");
  assert.equal(verdict(12, { right: 12, number }), "That's the answer.");
});

test("nothing where nothing was guessed, or no number was asked for", () => {
  assert.equal(verdict(null, { right: 12, number }), "");
  assert.equal(verdict("es", { right: "lo", number: null }), "");
});
