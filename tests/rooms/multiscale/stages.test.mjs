import assert from "node:assert/strict";
import test from "node:test";
import { cuts, neighbor, pieceOf, stacks } from "../../../assets/widgets/multiscale/stages_math.js";

const SWIN = [
  [56, 96],
  [28, 192],
  [14, 384],
  [7, 768],
].map(([side, width]) => ({ side, width }));

test("windows end where they should, and shifted ones leave a rest at both ends", () => {
  assert.deepEqual(cuts(8, 4), [0, 4, 8]);
  assert.deepEqual(cuts(8, 4, 2), [0, 2, 6, 8]);
  assert.deepEqual(cuts(7, 7), [0, 7]);
  assert.deepEqual(cuts(9, 3, 1), [0, 1, 4, 7, 9]);
});

test("a token is in one piece, and arrows go from piece to piece", () => {
  const ends = cuts(8, 4, 2);
  assert.deepEqual(
    [0, 1, 2, 5, 6, 7].map((t) => pieceOf(ends, t)),
    [
      [0, 2],
      [0, 2],
      [2, 6],
      [2, 6],
      [6, 8],
      [6, 8],
    ],
  );
  assert.equal(neighbor(ends, 3, 1), 6);
  assert.equal(neighbor(ends, 3, -1), 0);
  assert.equal(neighbor(ends, 7, 1), 6);
  assert.equal(neighbor(ends, 0, -1), 0);
});

test("stacks are to one scale and fit the room", () => {
  for (const room of [340, 640, 1000]) {
    const { unit, height, boxes } = stacks(SWIN, room);
    const last = boxes.at(-1);
    assert.ok(last.x + last.size + last.deep <= room + 1e-6 && height <= 240 + 1e-6);
    boxes.forEach((box, i) => {
      assert.ok(
        Math.abs(box.size - SWIN[i].side * unit) < 1e-9 &&
          Math.abs(box.deep / SWIN[i].width - boxes[0].deep / 96) < 1e-9,
      );
      assert.ok(box.y - box.deep / 2 >= -1e-6 && Math.abs(box.y + box.size - height) < 1e-9);
    });
  }
});
