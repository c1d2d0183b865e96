import assert from "node:assert/strict";
import { test } from "node:test";
import {
  colorWords,
  counted,
  css,
  faded,
  mostUsed,
  pixelWords,
  placed,
  rgb,
  share,
} from "../../../assets/widgets/pixels/rounded_math.js";

test("colors are counted, and the most used one comes first", () => {
  const counts = counted([2, 2, 0, 3, 3], 5);
  assert.deepEqual(counts, [1, 0, 2, 2, 0]);
  assert.deepEqual(mostUsed(counts), [2, 3, 0, 1, 4]);
});

test("a color as three numbers and as css", () => {
  assert.deepEqual(rgb([1, 2, 3, 10, 0, 255], 1), [10, 0, 255]);
  assert.equal(css([10, 0, 255]), "#0a00ff");
});

test("what is told", () => {
  assert.equal(colorWords(3, [1, 2, 3], 1, 4), "id 3, color 1 2 3, 1 pixel, 25.0%");
  assert.equal(pixelWords(0, 5, [10, 20, 30], [12, 15, 30]), "row 0, column 5: 10 20 30 became 12 15 30, off by 2 5 0");
  assert.equal(share(1, 5000), "under 0.1%");
  assert.equal(share(0, 5000), "0.0%");
});

test("all but one color fade into the page", () => {
  const bytes = faded(
    2,
    () => [200, 100, 0],
    (i) => i === 0,
    [0, 0, 0],
    0.5,
  );
  assert.deepEqual([...bytes], [200, 100, 0, 255, 100, 50, 0, 255]);
});

test("pictures stand side by side where there is room", () => {
  assert.deepEqual(placed(1016, 160, 107, null), { beside: true, wide: 500, high: 334 });
  assert.deepEqual(placed(340, 160, 107, null), { beside: false, wide: 340, high: 227 });
  assert.deepEqual(placed(1016, 32, 32, 260), { beside: true, wide: 260, high: 260 });
  assert.deepEqual(placed(340, 32, 32, 260), { beside: true, wide: 162, high: 162 });
  assert.equal(placed(1016, 1, 160, null).high, 320); // never narrower than a pixel
  assert.equal(placed(1016, 100, 160, null).high, 459);
});
