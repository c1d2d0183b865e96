import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLeft } from "../../../assets/widgets/classroom/race/race_left.js";

const race = (n, share, more = {}) => ({
  n,
  is_over: false,
  board: [
    { share, score: null },
    { share: 0, score: null },
  ],
  ...more,
});

test("the time that is left follows how fast the race really is", () => {
  assert.equal(timeLeft(race(1, 0), 0), "");
  assert.equal(timeLeft(race(1, 0.18), 60_000), "About 10 minutes left."); // 9% of two runs took a minute
  assert.equal(timeLeft(race(1, 1), 120_000), "About 2 minutes left.");
  assert.equal(timeLeft(race(2, 0.5), 121_000), ""); // another race begins anew
  assert.equal(timeLeft(race(2, 0.5, { is_over: true }), 200_000), "");
});
