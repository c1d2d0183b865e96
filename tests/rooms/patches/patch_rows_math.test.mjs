// A picture and its patches: there and back, the names of the columns, how much of a wide matrix is drawn.
import assert from "node:assert/strict";
import test from "node:test";
import {
  columnNames,
  cropped,
  joined,
  numberOf,
  pixelOf,
  stampSize,
} from "../../../assets/widgets/patches/patch_rows_math.js";

test("a pixel is one number of one patch, and back", () => {
  for (const [patch, side] of [
    [1, 8],
    [2, 4],
    [4, 2],
    [3, 5],
    [8, 1],
  ]) {
    const seen = new Set();
    for (let y = 0; y < patch * side; y++) {
      for (let x = 0; x < patch * side; x++) {
        const at = numberOf(y, x, patch, side);
        seen.add(`${at.patch} ${at.k}`);
        assert.deepEqual(pixelOf(at.patch, at.k, patch, side), { channel: 0, y, x });
        assert.deepEqual(pixelOf(at.patch, at.k + 2 * patch * patch, patch, side), { channel: 2, y, x });
      }
    }
    assert.equal(seen.size, (patch * side) ** 2);
  }
});

test("the picture is put together from its rows", () => {
  const patch = 2;
  const side = 3;
  const channels = 3;
  const per = channels * patch * patch;
  const rows = Uint8Array.from({ length: side * side * per }, (_, i) => i % 251);
  const picture = joined(rows, patch, channels, side);
  for (let i = 0; i < side * side; i++) {
    for (let k = 0; k < per; k++) {
      const { channel, y, x } = pixelOf(i, k, patch, side);
      assert.equal(picture[(y * side * patch + x) * channels + channel], rows[i * per + k]);
    }
  }
});

test("columns are named by line and column in the patch, in color by channel, too", () => {
  assert.deepEqual(columnNames(2, 1), ["0,0", "0,1", "1,0", "1,1"]);
  assert.equal(columnNames(16, 3)[768 - 1], "B15,15");
  assert.equal(columnNames(16, 3, 5).length, 5);
});

test("a wide matrix is cut at the width there is, a small one is whole", () => {
  assert.deepEqual(cropped(4, 16, 600, 480), { cell: 30, shown: 4 });
  const wide = cropped(768, 196, 600, 600);
  assert.equal(wide.cell, 3);
  assert.equal(wide.shown, 200);
  for (const [total, rows, room] of [
    [768, 257, 120],
    [48, 17, 250],
    [1, 1, 300],
    [50176, 1, 900],
  ]) {
    const { cell, shown } = cropped(total, rows, room, 600);
    assert.ok(shown >= 1 && shown <= total && cell >= 3 && cell * shown <= Math.max(room, cell));
  }
  assert.ok([1, 16, 64, 256].map(stampSize).every((size, i, all) => i === 0 || size < all[i - 1]));
});
