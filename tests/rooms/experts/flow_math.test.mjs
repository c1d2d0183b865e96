import assert from "node:assert/strict";
import { test } from "node:test";
import { columns, ribbons, spread } from "../../../assets/widgets/experts/flow_math.js";

const COUNTS = [
  [6, 2, 0],
  [0, 1, 3],
];

test("nodes share the height as their counts do, with gaps between", () => {
  const [left, right] = columns(COUNTS, 130, 10);
  assert.deepEqual(left, [
    [0, 80],
    [90, 40],
  ]);
  assert.deepEqual(right, [
    [0, 55],
    [65, 27.5],
    [102.5, 27.5],
  ]);
});

test("bands fill their nodes at both ends without a gap, and there is none for nothing", () => {
  const nodes = columns(COUNTS, 130, 10);
  const bands = ribbons(COUNTS, nodes, 0, 100);
  assert.equal(bands.length, 4);
  for (const [side, which] of [
    [0, (one) => one.row],
    [1, (one) => one.expert],
  ]) {
    nodes[side].forEach(([top, tall], i) => {
      let at = top;
      for (const { ends } of bands.filter((one) => which(one) === i)) {
        assert.ok(Math.abs(ends[side][0] - at) < 0.02);
        at = ends[side][1];
      }
      assert.ok(Math.abs(at - top - tall) < 0.02);
    });
  }
});

test("labels of thin nodes are moved apart, and none below the end", () => {
  assert.deepEqual(spread([10, 50, 51, 52], 15, 80), [10, 50, 65, 80]);
  assert.deepEqual(spread([60, 61, 62], 15, 62), [32, 47, 62]);
});
