// The mask editor must say of masks and their powers what core.nn.masks and core.rooms.masks.compute.reach say.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LATER, OPEN, PADDED, state } from "../../../assets/widgets/masks/batch_cells.js";
import { emptyRows, layersNeeded, NEVER, path, preset, toHex } from "../../../assets/widgets/masks/reach.js";
import { History } from "../../../assets/widgets/shared/undo.js";

test("a window of w through L layers reaches L (w - 1) back", () => {
  const n = 12;
  const w = 3;
  const needed = layersNeeded(preset("window", n, w), n);
  for (let t = 0; t < n; t++) {
    for (let s = 0; s < n; s++) assert.equal(needed[t * n + s], s > t ? NEVER : Math.ceil((t - s) / (w - 1)));
  }
});

test("blocks never meet, nothing stays with itself, everything is one layer away in full", () => {
  const blocks = layersNeeded(preset("blocks", 6, 3), 6);
  assert.equal(blocks[2], 1);
  assert.equal(blocks[3], NEVER);
  assert.deepEqual([...layersNeeded(preset("none", 2, 1), 2)], [0, NEVER, NEVER, 0]);
  assert.deepEqual([...layersNeeded(preset("full", 2, 1), 2)], [0, 1, 1, 0]);
});

test("a path has as many steps as layers are needed, and each step is allowed", () => {
  const n = 9;
  const mask = preset("window", n, 3);
  const needed = layersNeeded(mask, n);
  for (let t = 0; t < n; t++) {
    for (let s = 0; s < n; s++) {
      const way = path(mask, n, t, s);
      if (needed[t * n + s] === NEVER) {
        assert.equal(way, null);
        continue;
      }
      assert.equal(way[0], s);
      assert.equal(way.at(-1), t);
      assert.equal(way.length - 1, needed[t * n + s]);
      for (let i = 1; i < way.length; i++) assert.ok(mask[way[i] * n + way[i - 1]]);
    }
  }
});

test("rows with nothing to read are named", () => {
  assert.deepEqual(emptyRows(preset("none", 3, 1), 3), [0, 1, 2]);
  const mask = preset("causal", 3, 1);
  mask.fill(0, 3, 6);
  assert.deepEqual(emptyRows(mask, 3), [1]);
});

test("undo, redo, and a new stroke forgets what was undone", () => {
  const at = (...cells) => Uint8Array.from(cells);
  const history = new History(at(0, 0));
  assert.ok(!history.push(at(0, 0)), "the same mask is no step");
  history.push(at(1, 0));
  history.push(at(1, 1));
  assert.deepEqual([...history.undo()], [1, 0]);
  assert.deepEqual([...history.undo()], [0, 0]);
  assert.deepEqual([...history.undo()], [0, 0]);
  assert.deepEqual([...history.redo()], [1, 0]);
  assert.ok(history.push(at(0, 1)));
  assert.ok(!history.canRedo && history.canUndo);
  const held = history.undo();
  held[0] = 9;
  assert.deepEqual([...history.redo()], [0, 1]);
  assert.deepEqual([...history.undo()], [1, 0], "what is handed out is a copy");
  for (let i = 0; i < 500; i++) history.push(at(i % 2, i % 3 ? 1 : 0));
  assert.ok(history.states.length <= 200);
});

test("hexadecimal rows are filled up with zeros", () => assert.equal(toHex(preset("causal", 5, 1), 5), "80c0e0f0f8"));

test("a cell of a batch is closed for one reason, the other, or both", () => {
  const both = { causal: true, padding: true };
  assert.deepEqual(
    [state(both, 2, 1, 0), state(both, 2, 0, 1), state(both, 2, 3, 2), state(both, 2, 0, 2)],
    [OPEN, LATER, PADDED, LATER | PADDED],
  );
  assert.equal(state({ causal: false, padding: true }, 2, 0, 1), OPEN);
  assert.equal(state({ causal: true, padding: false }, 2, 3, 2), OPEN);
});
