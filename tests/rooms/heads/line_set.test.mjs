import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dashOf,
  headsIn,
  leastByte,
  linesAt,
  linesOf,
  masksOf,
  takeSlots,
} from "../../../assets/widgets/heads/line_set.js";

// Two layers of one head over three tokens; bytes of weights, 0 is masked.
const weights = {
  shape: [2, 1, 3, 3],
  data: Uint8Array.from([255, 0, 0, 51, 204, 0, 0, 26, 229, 255, 0, 0, 255, 0, 0, 128, 127, 0]),
};

test("a weight of the threshold itself is drawn, a masked cell never", () => {
  assert.equal(leastByte(0), 1);
  assert.equal(leastByte(0.2), 51);
  assert.equal(leastByte(1), 255);
  assert.equal(linesOf(weights, [[0, 0]], 0).lines.length, 5);
  assert.equal(linesOf(weights, [[0, 0]], 0.2).lines.length, 4);
  assert.deepEqual(
    linesOf(weights, [[0, 0]], 0.21).lines.map((one) => [one.row, one.column]),
    [
      [1, 1],
      [2, 2],
      [0, 0],
    ],
  );
});

test("lines of several heads come weakest first, each with its head", () => {
  const { lines, cut } = linesOf(
    weights,
    [
      [0, 0],
      [1, 0],
    ],
    0.45,
  );
  assert.deepEqual(
    lines.map((one) => [one.head, one.row, one.column, Math.round(one.weight * 255)]),
    [
      [1, 2, 1, 127],
      [1, 2, 0, 128],
      [0, 1, 1, 204],
      [0, 2, 2, 229],
      [0, 0, 0, 255],
      [1, 0, 0, 255],
      [1, 1, 0, 255],
    ],
  );
  assert.equal(cut, 0);
  assert.deepEqual(linesOf(weights, [], 0), { lines: [], cut: 0 });
});

test("too many lines: the weakest are left out and counted, equal ones together", () => {
  const { lines, cut } = linesOf(
    weights,
    [
      [0, 0],
      [1, 0],
    ],
    0,
    5,
  );
  assert.deepEqual(
    lines.map((one) => Math.round(one.weight * 255)),
    [204, 229, 255, 255, 255],
  );
  assert.equal(cut, 4);
  assert.equal(
    linesOf(
      weights,
      [
        [0, 0],
        [1, 0],
      ],
      0,
      2,
    ).lines.length,
    0,
  ); // three are equal
});

test("a query tells what it reads, a key who reads it", () => {
  const heads = [
    [0, 0],
    [1, 0],
  ];
  const short = (found) => found.map((one) => [one.head, one.row, one.column]);
  assert.deepEqual(short(linesAt(weights, heads, "query", 2, 0)), [
    [0, 2, 2],
    [1, 2, 0],
    [1, 2, 1],
    [0, 2, 1],
  ]);
  assert.deepEqual(short(linesAt(weights, heads, "key", 0, 0)), [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
  ]);
  assert.deepEqual(short(linesAt(weights, heads, "key", 0, 0.3)), [
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 0],
    [1, 2, 0],
  ]);
});

test("a head keeps its color while it is on, and its color is free again after", () => {
  const slots = new Map();
  takeSlots(slots, [
    [0, 0],
    [1, 2],
  ]);
  takeSlots(slots, [
    [1, 2],
    [1, 3],
  ]);
  assert.deepEqual(
    [...slots],
    [
      ["1,2", 1],
      ["1,3", 0],
    ],
  );
});

test("heads are told apart by their dash, too; the first has none", () => {
  assert.deepEqual(dashOf(0), []);
  assert.equal(new Set(Array.from({ length: 8 }, (_, slot) => String(dashOf(slot)))).size, 8);
});

test("heads are kept in an address, and those that another model lacks are passed over", () => {
  const heads = [
    [0, 3],
    [2, 0],
    [2, 11],
  ];
  assert.deepEqual(masksOf(heads), [8, 0, 2049]);
  assert.deepEqual(headsIn(masksOf(heads), [3, 12]), heads);
  assert.deepEqual(headsIn(masksOf(heads), [2, 12]), [[0, 3]]);
  assert.deepEqual(headsIn(masksOf(heads), [3, 2]), [[2, 0]]);
  assert.deepEqual(masksOf([]), [0]);
});
