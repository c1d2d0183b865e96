// Not run by itself: it needs the cases in $REACH.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromAddress, layersNeeded, PRESETS, preset, toAddress, toHex } from "../../../assets/widgets/masks/reach.js";

// tests/rooms/masks/test_reach_script.py writes what Python makes of random masks and of all presets.
test("powers, presets and digits agree with Python", () => {
  const { drawn, presets } = JSON.parse(readFileSync(process.env.REACH, "utf8"));
  assert.ok(drawn.length >= 30);
  for (const { n, cells, needed, hex } of drawn) {
    assert.deepEqual([...layersNeeded(Uint8Array.from(cells), n)], needed);
    assert.equal(toHex(Uint8Array.from(cells), n), hex);
    const { mask, nLayer } = fromAddress(toAddress(Uint8Array.from(cells), n, 3), n);
    assert.deepEqual([[...mask], nLayer], [cells, 3]);
  }
  assert.deepEqual(new Set(presets.map((one) => one.name)), new Set(Object.keys(PRESETS)));
  for (const { name, n, size, cells } of presets) {
    assert.deepEqual([...preset(name, n, size)], cells, `${name} ${n} ${size}`);
  }
});
