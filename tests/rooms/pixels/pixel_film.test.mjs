import assert from "node:assert/strict";
import { test } from "node:test";
import {
  choices,
  corner,
  find,
  gallery,
  layout,
  mostOpen,
  places,
  SIDE,
  spoken,
  where,
} from "../../../assets/widgets/pixels/pixel_film_math.js";

test("tiles wrap to the width, and a point finds its tile and pixel again", () => {
  for (const width of [300, 358, 520, 700]) {
    const g = layout(17, width);
    assert.ok(g.width <= width && g.columns * g.rows >= 17);
    for (const i of [0, 3, 16]) {
      const [x, y] = corner(g, i);
      assert.deepEqual(find(g, x + 2.5 * g.cell, y + 6.5 * g.cell), { tile: i, pixel: 6 * SIDE + 2 });
      assert.deepEqual(find(g, x + 1, y - 4), { tile: i, pixel: null });
    }
    assert.equal(find(g, -3, 5), null);
    assert.equal(find(g, 5, g.height + 40), null);
  }
});

test("a gallery fits the width, and no picture lies on another", () => {
  for (const [width, columns] of [
    [340, 4],
    [806, 8],
    [1200, 8],
  ]) {
    const g = gallery(16, width);
    const corners = Array.from({ length: 16 }, (_, i) => g.corner(i));
    assert.equal(new Set(corners.map(([, y]) => y)).size, 16 / columns);
    assert.ok(corners.every(([x, y]) => x >= g.left && x + g.tile <= width && y + g.tile <= g.high));
    assert.ok(corners[columns][1] - corners[0][1] >= g.tile + g.head);
  }
});

test("places are the reverse of the order", () => {
  const order = [0, 2, 1, 3];
  assert.deepEqual(places(order), [0, 2, 1, 3]);
  assert.deepEqual(places([2, 0, 1]), [1, 2, 0]);
});

const arrays = {
  ids: { data: new Uint8Array([0, 1, 2, 0, 2, 1]), shape: [2, 3] },
  raw: { data: Float32Array.from([0.2, 0.3, 0.5, 0.1, 0.1, 0.8, 0.6, 0.3, 0.1, 0, 1, 0]), shape: [2, 2, 3] },
  used: { data: Float32Array.from([0, 0.4, 0.6, 0, 0, 1, 1, 0, 0, 0, 1, 0]), shape: [2, 2, 3] },
};

test("the choices of a pixel are those of its sample and place", () => {
  const rows = choices(arrays, 1, 1, 2, [0, 1, 0]);
  assert.deepEqual(
    rows.map((row) => row.raw),
    [0, 1, 0],
  );
  assert.deepEqual(
    rows.map((row) => row.drawn),
    [false, true, false],
  );
  assert.deepEqual(
    rows.map((row) => row.real),
    [true, false, false],
  );
  assert.deepEqual(
    choices(arrays, 1, 0, 1, null).map((row) => row.drawn),
    [false, true, false],
  );
});

test("a moment is told in words", () => {
  const header = { given: 1, order: [0, 8, 1] };
  assert.equal(where(header.order, 1), "row 2, column 1");
  assert.equal(spoken(header, [], 0, 0), "Only the given pixels are there.");
  assert.equal(
    spoken(header, choices(arrays, 1, 0, 1), 0, 1),
    "Picture 1, pixel 2 of 3 (row 2, column 1): level 1 was drawn; the model gave it 0.300, after the settings 0.400.",
  );
});

test("the most open pixel has the largest entropy, and the first one of equals", () => {
  assert.equal(mostOpen(arrays, 1, 0), 1);
  assert.equal(mostOpen(arrays, 1, 1), 1);
});
