import assert from "node:assert/strict";
import { test } from "node:test";
import { timeLeft } from "../../../assets/widgets/classroom/race/race_left.js";

test("the time that is left is said in round numbers, and not at all before it is known", () => {
  const words = [null, 0, 1, 42, 89, 91, 600].map((seconds) => timeLeft({ seconds_left: seconds }));
  const [five, forty, ninety] = [5, 40, 90].map((n) => `About ${n} seconds left.`);
  assert.deepEqual(words, ["", "", five, forty, ninety, "About 2 minutes left.", "About 10 minutes left."]);
});
