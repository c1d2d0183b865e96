import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as rest } from "node:timers/promises";

globalThis.location = new URL("http://host/heads");
globalThis.history = { state: null, replaceState: () => {} };
globalThis.requestAnimationFrame = (act) => setTimeout(act);
globalThis.document = new EventTarget();
const choices = await import("../../../assets/widgets/page/choices.js");
const { default: tell } = await import("../../../assets/widgets/page/tell.js");

const LAYER = { name: "layer", low: 0, high: 3, step: 1, value: 1, default: 1, begins: "0 a", fixed: null, of: null };

function packed(header) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const message = new Uint8Array(4 + text.length);
  new DataView(message.buffer).setUint32(0, text.length, true);
  message.set(text, 4);
  return message;
}

test("what stood before a chip's setting has come is not told; what is chosen after it is", async () => {
  const parentElement = { querySelectorAll: () => [], isConnected: true };
  const told = [];
  const setStateValue = (_, text) => told.push(JSON.parse(text).values);
  choices.declare(LAYER);
  const data = packed({ values: { layer: 3 }, begins: { layer: 1 }, unless: null }); // a chip has set it to 3
  tell({ data, parentElement, setStateValue });
  await rest(300);
  assert.deepEqual(told, []); // here it still stands at 1: once the server took that for a move, and the chip let go
  choices.declare({ ...LAYER, value: 3, begins: "1 a" });
  await rest(300);
  assert.deepEqual(told, []);
  choices.choose({ layer: 2 });
  await rest(300);
  assert.deepEqual(told, [{ layer: 2 }]);
});
