import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = {
  createElement: () => ({ getContext: () => ({ measureText: (text) => ({ width: 7 * text.length }) }) }),
};
const { paintNames } = await import("../../../assets/widgets/model_map/map_paint.js");

/** What is painted of two layers, in its order: [what, its own arguments]. */
function painted(isNarrow) {
  const done = [];
  const p = { rect: (...box) => done.push(["rect", ...box]), text: (...at) => done.push(["text", ...at]) };
  const blocks = [0, 200].map((p0) => ({ p0, p1: p0 + 180, z0: p0, f1: p0 + 170 }));
  const g = { isNarrow, width: 360, unit: 1, blocks, top: { name: 12 } };
  paintNames(p, { g, pass: {}, theme: { panel: "panel", font: "font" }, isOff: () => false });
  return done;
}

test("on a phone no line of a token runs through a layer's name: it stands on a piece of its panel", () => {
  const [ground, name] = painted(true);
  const [, x, y, width, height, { fill }] = ground;
  assert.deepEqual([ground[0], fill, ...name.slice(0, 2)], ["rect", "panel", "text", "Layer 0"]);
  assert.ok(x < name[2] && x + width > name[2] + 7 * "Layer 0".length && y < name[3] && y + height > name[3]);
  assert.deepEqual(
    painted(false).map(([what]) => what),
    ["text", "text"],
  );
});
