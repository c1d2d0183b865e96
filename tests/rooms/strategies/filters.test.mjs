import assert from "node:assert/strict";
import { test } from "node:test";
import { entropy, softmax } from "../../../assets/widgets/engine/filters.js";
import { inverseCdf } from "../../../assets/widgets/engine/draws.js";
import { pipeline, spellColumn, spellKnobs } from "../../../assets/widgets/strategies/knobs.js";

const five = [0.5, 0.25, 0.125, 0.0625, 0.0625].map(Math.log);
const kept = (settings, ids, letters) =>
  [...pipeline(five, settings, ids, letters).p].map((v, i) => (v > 0 ? i : -1)).filter((i) => i >= 0);

test("top-p keeps the token that crosses, and no further one", () => {
  assert.deepEqual(
    [0.5, 0.75, 0.875].map((p) => kept({ p }).length),
    [1, 2, 3],
  );
  assert.deepEqual(kept({ p: 0.51 }), [0, 1]);
  assert.deepEqual(kept({ p: 0 }), [0]);
});

test("temperature removes nothing, the order of the knobs matters", () => {
  assert.equal(kept({ t: 0.1 }).length, 5);
  assert.notDeepEqual(kept({ t: 3, p: 0.7 }), kept({ t: 3, p: 0.7 }, [], ["p", "t"]));
});

test("ties with the k-th stay, typical may drop the favorite, epsilon and eta leave one", () => {
  assert.deepEqual(kept({ k: 4 }), [0, 1, 2, 3, 4]);
  const peaked = [0.4, ...Array(6).fill(0.1)].map(Math.log);
  assert.ok(!(pipeline(peaked, { y: 0.2 }).p[0] > 0));
  for (const settings of [{ e: 0.9 }, { h: 0.9 }, { m: 1 }]) assert.ok(kept(settings).includes(0));
});

test("penalty and n-grams look at the text; an emptied row stays empty", () => {
  assert.ok(pipeline([1, 1, 1], { r: 2 }, [0]).p[0] < 1 / 3);
  assert.ok(pipeline([-1, -1, -1], { r: 2 }, [0]).p[0] < 1 / 3);
  assert.equal(pipeline([1, 1, 1], { n: 2 }, [0, 1, 0]).p[1], 0);
  const none = pipeline([1, 1], { n: 1, k: 1 }, [0, 1]);
  assert.deepEqual(
    none.stages.map((s) => s.nKept),
    [0, 0],
  );
});

test("a number picks the token it falls on, never one of width 0", () => {
  const p = [0, 0.25, 0, 0.75, 0];
  assert.deepEqual(
    [0, 0.2499, 0.25, 0.9999999999999999, 1].map((u) => inverseCdf(p, u).token),
    [1, 1, 3, 3, 3],
  );
  assert.deepEqual(inverseCdf(p, 0.5), { token: 3, low: 0.25, high: 1 });
  assert.equal(entropy(softmax([0, 0, 0, 0])).toFixed(6), Math.log(4).toFixed(6));
});

test("columns are spelled as the address has them", () => {
  assert.equal(spellKnobs({ p: 0.9, t: 2, k: 0 }), "t2p0.9");
  assert.equal(spellColumn({ kind: "sample", knobs: { e: 0.00001 }, seed: 3, locked: true }), "e0.00001s3x");
  assert.equal(spellColumn({ kind: "sample" }), "softmax");
  assert.equal(spellColumn({ kind: "greedy", knobs: { r: 1.2 }, seed: 3 }), "greedyr1.2");
  assert.equal(spellColumn({ kind: "beam", beams: 2, penalty: 0.5 }), "beam2l0.5");
});
