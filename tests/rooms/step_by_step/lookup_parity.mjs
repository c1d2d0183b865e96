// Run by tests/rooms/step_by_step/test_soft_lookup.py, which writes what `attend` answers.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { between, flatten, lookUp, told, unflatten } from "../../../assets/widgets/step_by_step/lookup_math.js";

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

test("a glide begins and ends exactly where it should", () => {
  const [from, to] = [cases[0].numbers, [50, ...cases[0].numbers.slice(1).map((v) => v + 1)]];
  assert.deepEqual(between(from, to, 0), from);
  between(from, to, 1).forEach((v, i) => assert.ok(Math.abs(v - to[i]) < 1e-9));
});

test("the sentence names the best, a tie, nearly all and nearly equal shares", () => {
  const names = ["east", "north", "west", "south"];
  const said = (weights, best = [0]) => told({ weights, best }, names);
  assert.match(said([0.44, 0.36, 0.09, 0.11]), /44% of the answer/);
  assert.match(said([0.999, 0.001, 0, 0]), /nearly all/);
  assert.match(said([0.254, 0.252, 0.246, 0.248]), /only 25%/);
  assert.match(said([0.4, 0.4, 0.1, 0.1], [0, 1]), /east and north equally well, so each gives 40%/);
});
