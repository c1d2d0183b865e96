import assert from "node:assert/strict";
import { test } from "node:test";
import { nested, treemap } from "../../../assets/widgets/shared/treemap.js";

const box = { x: 5, y: 7, w: 300, h: 120 };
const near = (a, b) => Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b));

test("areas are the sizes' shares, and every rectangle lies inside", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let n = 1; n < 30; n++) {
    const sizes = Array.from({ length: n }, () => Math.floor(random() * 1000) + 1);
    const total = sizes.reduce((a, b) => a + b);
    treemap(sizes, box).forEach((r, i) => {
      assert.ok(near(r.w * r.h, (sizes[i] / total) * box.w * box.h));
      assert.ok(
        r.x >= box.x - 1e-6 &&
          r.y >= box.y - 1e-6 &&
          r.x + r.w <= box.x + box.w + 1e-6 &&
          r.y + r.h <= box.y + box.h + 1e-6,
      );
    });
  }
});

test("rectangles do not overlap", () => {
  const rects = treemap([5, 4, 3, 3, 2, 1, 1], box);
  rects.forEach((a, i) =>
    rects.slice(i + 1).forEach((b) => {
      const wide = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
      const high = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
      assert.ok(wide < 1e-6 || high < 1e-6);
    }),
  );
});

test("equal sizes in a square are squares", () => {
  for (const r of treemap([1, 1, 1, 1], { x: 0, y: 0, w: 100, h: 100 })) assert.ok(near(r.w, 50) && near(r.h, 50));
});

test("nothing has no area", () => {
  assert.deepEqual(
    treemap([0, 0], box).map((r) => r.w * r.h),
    [0, 0],
  );
  assert.equal(treemap([3, 0], box)[1].w, 0);
});

test("pieces fill the rectangle of their term", () => {
  const map = nested(
    [
      { count: 6, pieces: [{ count: 4 }, { count: 2 }] },
      { count: 0, pieces: [] },
    ],
    box,
  );
  const area = map[0].pieces.reduce((sum, r) => sum + r.w * r.h, 0);
  assert.ok(near(area, box.w * box.h));
  assert.deepEqual(map[1].pieces, []);
});
