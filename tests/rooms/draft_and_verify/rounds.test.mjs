// Which tokens of a round are settled, and why each is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cells, closest, counted, settled, why } from "../../../assets/widgets/draft_and_verify/rounds_math.js";

const round = (outcomes, corrected) => ({
  guesses: outcomes.map((outcome) => [" a", 0.1, 0.4, 0.25, outcome === "unread" ? null : 0.5, outcome]),
  last: " b",
  corrected,
  share: 0.7,
  u: 0.2,
});

test("a round settles what stayed and one more", () => {
  assert.equal(settled(round(["accepted", "refused", "unread"], true)), 2);
  assert.equal(settled(round([], false)), 1);
  const rounds = [round(["accepted", "accepted"], false), round(["refused", "unread"], true)];
  assert.deepEqual(counted(rounds, 2), { tokens: 4, passes: 2, mean: 2 });
  assert.equal(counted(rounds, 0).mean, 0);
  assert.deepEqual(closest(rounds), [1, 0]);
  assert.equal(closest([round(["accepted"], false)]), null);
});

test("each token tells its reason", () => {
  const told = cells(round(["accepted", "refused", "unread"], true)).map(why);
  assert.match(told[0], /draft 40%, model 10%\. It stays with a chance of 25%; the number drawn is 0\.50: it stays\./);
  assert.match(told[1], /is refused/);
  assert.match(told[2], /nobody looks at it/);
  assert.match(told[3], /place of the refused guess/);
  assert.match(why(cells(round(["accepted"], false))[1]), /one token more/);
  assert.match(why(cells(round([], false))[0], 0), /Nothing was guessed/);
  assert.match(why([" a", 0.4, 0.1, 1, 0.99, "accepted"]), /As likely for the model: it stays\./);
});
