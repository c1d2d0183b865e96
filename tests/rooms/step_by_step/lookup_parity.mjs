// Run by tests/rooms/step_by_step/test_soft_lookup.py, which writes what `attend` answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { flatten, lookUp, unflatten } from "../../../assets/widgets/step_by_step/lookup_math.js";

const cases = JSON.parse(readFileSync(`${process.env.LOOKUPS}/lookups.json`, "utf8"));

test("every answer equals Python's", () => {
  assert.ok(cases.length >= 10);
  for (const one of cases) {
    const answer = lookUp(unflatten(one.numbers, one.d_key, 4));
    for (const name of ["scores", "weights", "soft", "hard", "mean"]) {
      answer[name].forEach((v, i) => assert.ok(Math.abs(v - one[name][i]) < 1e-12, `${name} ${v} ${one[name][i]}`));
    }
    answer.weights.forEach((w, s) => assert.ok(Math.abs(answer.exps[s] / answer.total - w) < 1e-12));
  }
});

test("numbers keep their order on the way", () => {
  for (const one of cases) assert.deepEqual(flatten(unflatten(one.numbers, one.d_key, 4)), one.numbers);
});
