// Which tokens of a round are settled, and why each is there.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cells,
  happened,
  momentOf,
  settled,
  settledBy,
  why,
} from "../../../assets/widgets/draft_and_verify/rounds_math.js";

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
  assert.equal(settledBy(rounds, 2), 4);
  assert.equal(settledBy(rounds, 0), 0);
});

test("a pass has two moments: guessed, then checked", () => {
  assert.deepEqual([0, 1, 9].map(momentOf), [
    { now: 0, isChecked: false },
    { now: 0, isChecked: true },
    { now: 4, isChecked: true },
  ]);
  const one = round(["accepted", "refused", "unread"], true);
  assert.deepEqual(
    cells(one, false).map((cell) => cell[5]),
    ["drafted", "drafted", "drafted"],
  );
  assert.match(happened(one, false), /What will the large model keep/);
  assert.match(happened(one, true), /“a” 10%, the draft 40%\. It goes, and so do the guesses after it\./);
  assert.match(happened(round(["accepted", "refused"], true), true), /It goes\.$/);
  assert.match(happened(round(["accepted"], false), true), /Every guess stays/);
  assert.match(happened(round([], false), true), /nothing is guessed/);
});

test("each token tells its reason", () => {
  const told = cells(round(["accepted", "refused", "unread"], true)).map(why);
  assert.match(told[0], /draft 40%, model 10%\. It stays with a chance of 25%; the number drawn is 0\.50: it stays\./);
  assert.match(told[1], /is refused/);
  assert.match(told[2], /nobody looks at it/);
  assert.match(told[3], /place of the refused guess/);
  assert.match(why(cells(round(["accepted"], false), false)[0]), /draft gives .* 40%.*hasn't checked/);
  assert.match(why(cells(round(["accepted"], false))[1]), /one token more/);
  assert.match(why(cells(round([], false))[0], 0), /Nothing was guessed/);
  assert.match(why([" a", 0.4, 0.1, 1, 0.99, "accepted"]), /As likely for the model: it stays\./);
});
