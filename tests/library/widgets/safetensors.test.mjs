import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSafetensors } from "../../../assets/widgets/engine/safetensors.js";

/** A file of these header entries and bytes. */
function file(header, bytes, length = null) {
  const text = new TextEncoder().encode(JSON.stringify(header));
  const out = new Uint8Array(8 + text.length + bytes.length);
  new DataView(out.buffer).setBigUint64(0, BigInt(length ?? text.length), true);
  out.set(text, 8);
  out.set(bytes, 8 + text.length);
  return out.buffer;
}
const one = (dtype, bytes, shape = [1]) => file({ x: { dtype, shape, data_offsets: [0, bytes.length] } }, bytes);

test("all three types of numbers, wherever they lie", () => {
  assert.deepEqual([...parseSafetensors(one("F32", [0, 0, 128, 63])).get("x").data], [1]);
  const halves = [0x00, 0x3c, 0x00, 0xc0, 0x01, 0x00, 0x00, 0x7c, 0xff, 0x7b]; // 1, -2, 2^-24, infinity, 65504
  assert.deepEqual([...parseSafetensors(one("F16", halves, [5])).get("x").data], [1, -2, 2 ** -24, Infinity, 65504]);
  assert.deepEqual([...parseSafetensors(one("BF16", [0x80, 0x3f, 0x00, 0xc0], [2])).get("x").data], [1, -2]);
  for (const pad of ["", "a", "ab", "abc"]) {
    const header = { __metadata__: { pad }, x: { dtype: "F32", shape: [1], data_offsets: [0, 4] } };
    assert.deepEqual([...parseSafetensors(file(header, [0, 0, 128, 63])).get("x").data], [1]);
  }
});

test("what is damaged is refused in words", () => {
  assert.throws(() => parseSafetensors(new ArrayBuffer(3)), /cut off/);
  assert.throws(() => parseSafetensors(file({}, [], 1e6)), /longer than the file/);
  assert.throws(() => parseSafetensors(one("I64", [0, 0, 0, 0, 0, 0, 0, 0])), /is of type I64/);
  assert.throws(() => parseSafetensors(one("F32", [0, 0, 0, 0], [2])), /not as long as its shape/);
  const beyond = { x: { dtype: "F32", shape: [2], data_offsets: [0, 8] } };
  assert.throws(() => parseSafetensors(file(beyond, [0, 0, 0, 0])), /outside of the file/);
});
