import assert from "node:assert/strict";
import { test } from "node:test";
import { contrast } from "../../../assets/widgets/drawing/color.js";
import { SvgPainter } from "../../../assets/widgets/drawing/painter.js";
import {
  GAP,
  hatching,
  layout,
  moved,
  painted,
  pixelWords,
  strength,
  wrapped,
} from "../../../assets/widgets/pictures/pictures_math.js";

const whole = ({ columns, wide }) => columns * wide + (columns - 1) * GAP;
const hex = (bytes, i) =>
  `#${[...bytes.subarray(i * 4, i * 4 + 3)].map((v) => v.toString(16).padStart(2, "0")).join("")}`;

test("every grid fits its width, shows every picture, and gives digits whole pixels", () => {
  for (const n of [1, 2, 4, 8, 16, 60, 360]) {
    for (const width of [280, 350, 700, 1100]) {
      for (const columns of [null, 4, 12]) {
        const box = layout(n, 8, 8, width, { columns });
        assert.ok(whole(box) <= width, `${n} ${width} ${columns}`);
        assert.ok(box.columns * box.rows >= n && box.columns * (box.rows - 1) < n);
        assert.equal(box.wide % 8, 0);
        assert.ok(box.wide >= 40);
      }
    }
  }
});

test("wished columns hold where they fit and break at a divisor where they do not", () => {
  assert.equal(layout(8, 8, 8, 1100, { columns: 4 }).columns, 4);
  assert.equal(layout(8, 8, 8, 340, { columns: 4 }).columns, 4);
  assert.equal(layout(24, 8, 8, 340, { columns: 12 }).columns, 6);
  // A grid on a phone, where each place means something.
  const maps = layout(64, 8, 8, 300, { columns: 8, size: 48, least: 24 });
  assert.ok(maps.columns === 8 && maps.wide === 24 && whole(maps) <= 300);
  assert.equal(layout(64, 8, 8, 300, { columns: 8, size: 48 }).columns, 4);
});

test("a tall picture does not grow out of the screen, a photograph keeps its shape", () => {
  assert.ok(layout(1, 8, 800, 1100).high <= 520);
  const { wide, high } = layout(1, 640, 427, 1100, { size: 640 });
  assert.ok(wide <= 640 && Math.abs(high / wide - 427 / 640) < 1e-9);
});

test("titles take two lines at most and say that they were cut", () => {
  const widthOf = (text) => text.length;
  assert.deepEqual(wrapped("layer 0, head 3", 20, widthOf), ["layer 0, head 3"]);
  assert.deepEqual(wrapped("layer 0, head 3", 9, widthOf), ["layer 0,", "head 3"]);
  const cut = wrapped("what hiding one patch really changes", 10, widthOf);
  assert.equal(cut.length, 2);
  assert.ok(cut.every((line) => line.length <= 10) && cut[1].endsWith("…"));
  assert.ok(wrapped("incomprehensibilities", 8, widthOf).every((line) => line.length <= 8));
  assert.deepEqual(wrapped("", 8, widthOf), []);
});

test("weights are drawn as shares of the scale's end", () => {
  assert.equal(strength(0.25, 0, 0.5), 0.5);
  assert.equal(strength(-2, -4, 4), -0.5);
  assert.equal(strength(9, 0, 1), 1);
  assert.equal(strength(NaN, 0, 1), 0);
});

for (const [mode, page, text] of [
  ["light", "#f5f5f2", "#111322"],
  ["dark", "#1b1f2e", "#eef0f6"],
]) {
  test(`ink is ink on paper, and stays readable on full weight (${mode})`, () => {
    const pixels = new Uint8Array([0, 16, 8, 0]);
    const look = { ink: true, page, text };
    const bare = painted(
      pixels,
      2,
      2,
      1,
      16,
      look,
      () => 0,
      () => ["#C2410C", 0],
      () => false,
    );
    assert.equal(hex(bare, 0), page);
    assert.equal(hex(bare, 1), text);
    const [color, most] = mode === "light" ? ["#C2410C", 0.66] : ["#FF9D5C", 0.62];
    const tinted = painted(
      pixels,
      2,
      2,
      1,
      16,
      look,
      () => 0,
      () => [color, most],
      () => false,
    );
    assert.equal(hex(tinted, 1), text, "the ink keeps its color");
    assert.ok(contrast(hex(tinted, 0), text) > 3, `${contrast(hex(tinted, 0), text)}`);
  });
}

test("without ink gray is gray, colors are true, and a hidden patch is faint", () => {
  const look = { ink: false, page: "#ffffff", text: "#000000" };
  const none = () => ["#000000", 0];
  const gray = painted(
    new Uint8Array([0, 255]),
    2,
    1,
    1,
    255,
    look,
    () => 0,
    none,
    () => false,
  );
  assert.deepEqual([hex(gray, 0), hex(gray, 1)], ["#000000", "#ffffff"]);
  const color = painted(
    new Uint8Array([10, 20, 30, 200, 100, 0]),
    2,
    1,
    3,
    255,
    look,
    (r, c) => c,
    none,
    (patch) => patch === 1,
  );
  assert.equal(hex(color, 0), "#0a141e");
  assert.ok(color[4] > 235 && color[6] > 190);
});

test("hatching stays inside its rectangle", () => {
  for (const [[x0, y0], [x1, y1]] of hatching(10, 20, 30, 12, 5)) {
    for (const x of [x0, x1]) assert.ok(x >= 10 && x <= 40);
    for (const y of [y0, y1]) assert.ok(y >= 20 && y <= 32);
    assert.ok(Math.abs(x1 - x0 - (y0 - y1)) < 1e-9, "at 45 degrees");
  }
});

test("arrow keys move by pixels or whole patches and stop at the edge", () => {
  assert.deepEqual(moved([0, 0], [0, 1], [2, 2], [8, 8]), [0, 2]);
  assert.deepEqual(moved([3, 5], [1, 0], [2, 2], [8, 8]), [4, 4]);
  assert.deepEqual(moved([7, 7], [1, 0], [1, 1], [8, 8]), [7, 7]);
  assert.deepEqual(moved([0, 0], [-1, 0], [2, 2], [8, 8]), [0, 0]);
});

test("pixels are told in words", () => {
  assert.equal(pixelWords([12], 16, true), "ink 12 of 16");
  assert.equal(pixelWords([255], 255, false), "gray 255 of 255");
  assert.equal(pixelWords([1, 2, 3], 255, true), "red 1, green 2, blue 3");
});

test("a picture in an SVG file is an image of its own pixels", () => {
  const p = new SvgPainter(10, 10);
  p.image({ toDataURL: () => 'data:image/png;base64,"<' }, 1, 2, 8, 8);
  assert.ok(
    p.toString().includes('<image x="1" y="2" width="8" height="8"') &&
      p.toString().includes("&quot;&lt;") &&
      p.toString().includes("pixelated"),
  );
});
