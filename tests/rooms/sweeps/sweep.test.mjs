import assert from "node:assert/strict";
import { test } from "node:test";
import { cells, distance, inSight, lanes, level, limits, ranked } from "../../../assets/widgets/sweeps/sweep_math.js";

const runs = [
  { at: [0, 1], scores: [3, 2] },
  { at: [0, 0], scores: [4, null] },
  { at: [1, 1.4], scores: [2, 1] },
  { at: [1, 0], scores: [5, 9] },
];

test("in sight is what was picked, of a value between two ticks the nearer one", () => {
  assert.deepEqual(inSight(runs, new Map(), null, 1), [true, true, true, true]);
  assert.deepEqual(inSight(runs, new Map([[1, 1]]), null, 1), [true, false, true, false]);
  assert.deepEqual(inSight(runs, new Map([[0, 1]]), 8, 1), [false, false, true, false]);
  assert.deepEqual(inSight(runs, new Map(), 4, 1), [true, false, true, false], "one without a loss is not as good");
});

test("a diverged run does not stretch the scale", () => {
  const scores = [...Array.from({ length: 19 }, (_, i) => 1 + i / 100), 1000, null];
  const range = limits(scores);
  assert.equal(range.low, 1);
  assert.ok(range.high < 1.2 && range.more);
  assert.equal(level(1000, range), 1);
  assert.equal(level(1, range), 0);
  assert.equal(limits([null]), null);
  assert.ok(limits([2, 2]).high > 2);
});

test("the order is by the loss at a rung, and those that did not get there come last", () => {
  assert.deepEqual(ranked(runs, 1), [2, 0, 3, 1]);
  assert.deepEqual(ranked(runs, 0), [2, 0, 1, 3]);
});

test("a cell has the best of its runs in sight", () => {
  const found = cells(runs, [true, true, true, true], [1, 0], [2, 2], 1);
  assert.deepEqual(
    found.map((row) => row.map((cell) => [cell.score, cell.run, cell.n])),
    [
      [
        [null, -1, 1],
        [2, 0, 1],
      ],
      [
        [9, 3, 1],
        [1, 2, 1],
      ],
    ],
  );
  assert.equal(cells(runs, [false, true, true, true], [1, 0], [2, 2], 1)[0][1].n, 0);
});

test("lines that pass one tick lie side by side, the better one lower", () => {
  const found = lanes(runs, ranked(runs, 1));
  assert.deepEqual([found[0][0], found[1][0]], [-0.5, 0.5]);
  assert.deepEqual([found[2][0], found[3][0]], [-0.5, 0.5]);
  assert.equal(found[0][1], 0);
});

test("the distance to a chain is that to its nearest part", () => {
  const chain = [
    [0, 0],
    [10, 0],
    [10, 10],
  ];
  assert.equal(distance([5, 3], chain), 3);
  assert.equal(distance([13, 14], chain), 5);
});
