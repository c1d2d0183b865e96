import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dot,
  handOf,
  layDials,
  pairAt,
  pairIndices,
  rotated,
  score,
  speed,
} from "../../../assets/widgets/positions/clock_math.js";

const near = (a, b, within = 1e-12) => assert.ok(Math.abs(a - b) <= within, `${a} is not ${b}`);

test("position 0 points straight up, a quarter of a turn later the hand points right", () => {
  assert.deepEqual(
    handOf([0, 1]).map((v) => v + 0),
    [0, -1],
  ); // y downwards; + 0 takes the sign off a zero
  const [x, y] = handOf([Math.sin(Math.PI / 2), Math.cos(Math.PI / 2)]);
  near(x, 1);
  near(y, 0);
});

test("a pair is read from its position's row", () => {
  const table = [0, 1, 2, 3, 10, 11, 12, 13];
  assert.deepEqual(pairAt(table, 4, 1, 1), [12, 13]);
  assert.equal(dot(table, 4, 0, 1), 0 * 10 + 11 + 2 * 12 + 3 * 13);
});

test("the first clock turns one radian each position", () => {
  near(speed(1).degrees, 57.29577951308232);
  near(speed(1).turn, 6.283185307179586);
});

test("pairs of a head are neighbours or one of each half", () => {
  assert.deepEqual(
    [0, 1, 2].map((i) => pairIndices(6, true, i)),
    [
      [0, 1],
      [2, 3],
      [4, 5],
    ],
  );
  assert.deepEqual(
    [0, 1, 2].map((i) => pairIndices(6, false, i)),
    [
      [0, 3],
      [1, 4],
      [2, 5],
    ],
  );
});

test("a quarter turn by hand", () => {
  const [a, b] = rotated([1, 0], 1, [Math.PI / 2], true);
  near(a, 0);
  near(b, 1);
});

test("a score does not change when both slide, and the parts sum to it", () => {
  const q = [0.3, -1.2, 0.8, 2];
  const k = [1.5, 0.2, -0.7, 0.4];
  const speeds = [1, 0.01];
  for (const interleaved of [true, false]) {
    const here = score(q, k, 9, 4, speeds, interleaved);
    const there = score(q, k, 29, 24, speeds, interleaved);
    near(here.total, there.total);
    near(
      here.parts.reduce((s, v) => s + v, 0),
      here.total,
    );
    assert.ok(Math.abs(score(q, k, 10, 4, speeds, interleaved).total - here.total) > 0.01);
  }
});

test("dials fill the width in even rows", () => {
  assert.deepEqual(layDials(960, 8, 76, 112), { columns: 8, rows: 1, cell: 112 });
  const narrow = layDials(340, 8, 76, 112);
  assert.deepEqual([narrow.columns, narrow.rows, narrow.cell], [4, 2, 85]);
  assert.equal(layDials(40, 3, 76, 112).columns, 1);
});
