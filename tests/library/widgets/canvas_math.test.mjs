import assert from "node:assert/strict";
import { test } from "node:test";
import {
  drawLine,
  fromSymbols,
  isBlank,
  keyed,
  N,
  Past,
  SIZE,
  spread,
  toCells,
  toSymbols,
} from "../../../assets/widgets/pictures/canvas_math.js";

const SEVEN = "05efff6003878g4000008e00006cff20006ee810000b9000000f6000001e2000";
const drawn = (points, radius = SIZE / 17) => {
  const field = new Uint8Array(SIZE * SIZE);
  for (let i = 1; i < points.length; i++) drawLine(field, points[i - 1], points[i], radius);
  return field;
};

test("nothing drawn gives nothing", () => {
  assert.equal(toCells(new Uint8Array(SIZE * SIZE), SIZE, SIZE), null);
  assert.ok(isBlank(null) && isBlank(new Uint8Array(64)) && !isBlank(fromSymbols(SEVEN)));
});

test("a stroke fills all eight rows wherever it stands and however long it is", () => {
  const long = toCells(
    drawn(
      [
        [20, 10],
        [20, 110],
      ],
      6,
    ),
    SIZE,
    SIZE,
  );
  const short = toCells(
    drawn(
      [
        [100, 60],
        [100, 110],
      ],
      3,
    ),
    SIZE,
    SIZE,
  );
  assert.deepEqual(long, short);
  for (let r = 0; r < N; r++) assert.ok(Math.max(...long.subarray(r * N, r * N + N)) > 8);
  assert.deepEqual(
    [0, 1, 6, 7].map((c) => long[3 * N + c]),
    [0, 0, 0, 0],
  );
});

test("a dash stays a dash", () => {
  const cells = toCells(
    drawn(
      [
        [20, 60],
        [100, 60],
      ],
      5,
    ),
    SIZE,
    SIZE,
  );
  assert.ok(isBlank(cells.subarray(0, 16)) && isBlank(cells.subarray(48)));
});

test("the rubber takes away what was drawn, and only that", () => {
  const field = drawn([
    [30, 20],
    [30, 100],
  ]);
  const both = field.slice();
  drawLine(both, [90, 20], [90, 100], SIZE / 17);
  drawLine(both, [90, 10], [90, 110], SIZE / 11, true);
  assert.deepEqual(both, field);
  drawLine(field, [-500, -500], [900, 900], 2000, true);
  assert.ok(field.every((v) => v === 0));
});

test("lines that leave the field stay within it", () => {
  const field = drawn([
    [-40, 64],
    [200, 64],
  ]);
  assert.equal(field.length, SIZE * SIZE);
  assert.equal(field[64 * SIZE], 255);
  assert.equal(field[64 * SIZE + SIZE - 1], 255);
  assert.equal(field[20 * SIZE + 64], 0);
});

test("a digit that is spread over the field comes back nearly", () => {
  const cells = fromSymbols(SEVEN);
  const back = toCells(spread(cells), SIZE, SIZE);
  const off = back.reduce((a, v, i) => a + Math.abs(v - cells[i]), 0) / 64;
  assert.ok(off < 2, `${off}`);
});

test("64 symbols and back", () => assert.equal(toSymbols(fromSymbols(SEVEN)), SEVEN));

test("keys set a pixel's ink", () => {
  assert.deepEqual(
    [
      [0, " "],
      [16, " "],
      [7, "Enter"],
      [3, "9"],
      [3, "0"],
      [0, "5"],
      [16, "+"],
      [3, "+"],
      [0, "-"],
      [9, "Delete"],
    ].map(([v, key]) => keyed(v, key)),
    [16, 0, 16, 16, 0, 9, 16, 4, 0, 0],
  );
  for (const key of ["a", "Tab", "ArrowUp", "F1", "10"]) assert.equal(keyed(5, key), null);
});

test("the past goes back a bounded way", () => {
  const past = new Past(3);
  for (let i = 0; i < 5; i++) past.keep(i);
  assert.deepEqual([past.back(), past.back(), past.back(), past.back()], [4, 3, 2, undefined]);
  assert.ok(past.isEmpty);
});
