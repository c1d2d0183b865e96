import assert from "node:assert/strict";
import { test } from "node:test";
import { compare, foot, sentence, snap } from "../../../assets/widgets/embeddings/vectors_math.js";

test("the two examples of the lecture", () => {
  assert.deepEqual([compare([1, 0], [1, 0]).dot, compare([1, 0], [1, 0]).cosine], [1, 1]);
  const c = compare([1, 0], [3, 3]);
  assert.equal(c.dot, 3);
  assert.equal(c.cosine.toFixed(3), "0.707");
  assert.equal(c.angle.toFixed(6), "45.000000");
});

test("a vector without length has a dot product and a distance, but no cosine and no angle", () => {
  const c = compare([0, 0], [3, 4]);
  assert.equal(c.dot, 0);
  assert.equal(c.distance, 5);
  assert.ok(Number.isNaN(c.cosine) && Number.isNaN(c.angle));
  assert.equal(foot([0, 0], [3, 4]), null);
  assert.match(sentence(c), /no direction/);
});

test("the foot stands at a right angle below the tip, and every k on that line has the same dot product", () => {
  const q = [2, 1];
  const k = [-1, 3];
  const at = foot(q, k);
  assert.ok(Math.abs((k[0] - at[0]) * q[0] + (k[1] - at[1]) * q[1]) < 1e-12);
  for (const t of [-2, 0.5, 7]) {
    assert.ok(Math.abs(compare(q, [at[0] - t * q[1], at[1] + t * q[0]]).dot - compare(q, k).dot) < 1e-12);
  }
});

test("places snap to tenths inside the picture, without negative zero", () => {
  assert.deepEqual(snap([1.23, -0.04], 5), [1.2, 0]);
  assert.ok(Object.is(snap([0, -0.04], 5)[1], 0));
  assert.deepEqual(snap([99, -99], 5), [5, -5]);
  assert.deepEqual(snap([0.30000000000000004, 2.9999999], 5), [0.3, 3]);
});

test("the sentence follows the sign", () => {
  const of = (q, k) => sentence(compare(q, k));
  assert.match(of([1, 0], [0, 2]), /right angle/);
  assert.match(of([1, 0], [4, 0]), /exactly the same way/);
  assert.match(of([1, 0], [-4, 0]), /opposite/);
  assert.match(of([1, 0], [1, 1]), /below 90/);
  assert.match(of([1, 0], [-1, 1]), /above 90/);
});
