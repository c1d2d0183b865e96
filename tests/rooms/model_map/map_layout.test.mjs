// Where everything lies on the map, at any size, and the words over its layers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { along, layout, thread } from "../../../assets/widgets/model_map/map_layout.js";
import { paintMap } from "../../../assets/widgets/model_map/map_paint.js";
import { asked, opened } from "./opened.mjs";

test("everything lies in the picture, in its order, at any size", () => {
  for (const width of [320, 390, 640, 760, 1100, 1600]) {
    for (const nToken of [1, 2, 15, 64]) {
      for (const [nLayer, nHead] of [
        [1, 1],
        [2, 4],
        [4, 8],
        [12, 12],
      ]) {
        for (const open of [null, nLayer - 1]) {
          const g = layout({ ...asked({ nToken, nLayer, nHead }), width, open });
          const end = g.isNarrow ? g.height : g.width;
          const across = g.isNarrow ? g.width : g.height;
          let before = g.emb + g.tile;
          for (const b of g.blocks) {
            for (const u of [b.p0, b.z0, b.z1, b.add1, b.f0, b.f1, b.add2, b.p1]) {
              assert.ok(
                u >= before - 1e-6,
                `${JSON.stringify({ width, nToken, nLayer, nHead, open })}: ${u} < ${before}`,
              );
              before = u;
            }
            for (const { x, y, size } of b.thumbs) {
              assert.ok(size > 1.5 && x >= 0 && x + size <= g.width + 1 && y + size <= g.height);
            }
          }
          assert.ok(g.final >= before && g.final + g.tile < end);
          for (const t of [0, nToken - 1]) {
            assert.ok(g.row(t) - g.rowHeight / 2 >= 0 && g.row(t) + g.rowHeight / 2 <= across);
          }
          const way = thread(g, 0, 0, nHead, 0, nToken - 1);
          assert.deepEqual(along(way, 0), way[0]);
          assert.deepEqual(along(way, 1), way[3]);
        }
      }
    }
  }
});

test("no two words over the layers lie on one another, whatever is off", () => {
  const { pass, focus } = opened();
  const context = { measureText: (words) => ({ width: 7 * words.length }) };
  globalThis.document ??= /** @type {any} */ ({ createElement: () => ({ getContext: () => context }) });
  const theme = { categorical: Array(8).fill("#000"), text: "#000", page: "#fff", font: "sans-serif" };
  for (const width of [640, 760, 1000, 1400]) {
    for (const off of [[], ["attn"], ["mlp"], ["attn", "mlp"]]) {
      const g = layout({ ...asked({ nToken: pass.nToken, nLayer: 2, nHead: 4 }), width });
      const said = [];
      const text = (words, x, y, { size, align = "left" }) => {
        const wide = 0.58 * size * words.length; // wider than the letters of the page's font
        if (y === g.top.name) {
          said.push([align === "right" ? x - wide : align === "center" ? x - wide / 2 : x, wide, words]);
        }
      };
      const painter = new Proxy({ text }, { get: (known, name) => known[name] ?? (() => {}) });
      const images = { streams: [], mlps: [], heads: Array(2).fill(Array(4).fill(null)) };
      paintMap(painter, { g, pass, images, focus, theme, only: null, differs: () => false,
        isOff: ({ part, head }) => head === undefined && off.includes(part) }); // prettier-ignore
      said.sort(([a], [b]) => a - b);
      said.slice(1).forEach(([x, , words], i) => {
        const [left, wide, other] = said[i];
        assert.ok(left + wide <= x, `${width} px, off: ${off}: “${other}” lies over “${words}”`);
      });
      assert.ok(said.length >= 4);
    }
  }
});
