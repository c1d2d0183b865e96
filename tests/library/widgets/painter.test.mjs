import assert from "node:assert/strict";
import { test } from "node:test";
import { paintCells, SvgPainter } from "../../../assets/widgets/drawing/painter.js";

test("text in an SVG file is escaped", () => {
  const p = new SvgPainter(10, 10);
  p.text('</text><script>"&\u0000', 0, 0, { fill: "#000" });
  const svg = p.toString();
  assert.ok(svg.includes("&lt;/text&gt;&lt;script&gt;&quot;&amp;\ufffd"));
  assert.ok(!svg.includes("<script"));
});

test("neighbours of one color become one rectangle and empty cells none", () => {
  const drawn = [];
  const colors = [
    ["a", "a", "b"],
    [null, "b", "b"],
  ];
  paintCells({ rect: (...args) => drawn.push(args) }, 10, 20, 5, 2, 3, (r, c) => colors[r][c]);
  assert.deepEqual(
    drawn.map(([x, y, w, , { fill }]) => [x, y, w, fill]),
    [
      [10, 20, 10, "a"],
      [20, 20, 5, "b"],
      [15, 25, 10, "b"],
    ],
  );
});
