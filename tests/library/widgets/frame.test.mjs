// Reads the messages that test_widget_scripts.py writes with core.browser.message_packing: both halves in one test.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { halfToNumber, readFrame, readHeader } from "../../../assets/widgets/drawing/frame.js";

const folder = process.env.FRAMES;

const read = async (name) => {
  const bytes = new Uint8Array(readFileSync(`${folder}/${name}`));
  const shifted = new Uint8Array(bytes.length + 3); // in the browser a message starts anywhere in a larger buffer
  shifted.set(bytes, 3);
  return readFrame(shifted.subarray(3));
};

for (const name of ["plain.bin", "deflated.bin"]) {
  test(`arrays and header arrive as they were sent: ${name}`, { skip: !folder && "needs FRAMES" }, async () => {
    const { header, arrays } = await read(name);
    assert.equal(header.label, "Größe 語 🙂 \u2028");
    assert.equal(header.id.length, 16);
    assert.deepEqual([...arrays.bytes.data], [0, 1, 254, 255, 7]);
    assert.deepEqual(arrays.floats.shape, [2, 3]);
    assert.deepEqual([...arrays.floats.data], [0, 0.5, 1, -1, 2.25, 1e10]);
    assert.deepEqual([...arrays.halves.data], [0.5, -2, 65504]);
    assert.deepEqual([...arrays.integers.data], [-1, 2147483647]);
    assert.equal(arrays.none.data.length, 0);
  });
}

test("the header can be read without the arrays", { skip: !folder && "needs FRAMES" }, () => {
  const [header] = readHeader(new Uint8Array(readFileSync(`${folder}/plain.bin`)));
  assert.equal(header.answer, 42);
});

test("half precision: zero, the smallest, infinity, not a number", () => {
  assert.equal(halfToNumber(0), 0);
  assert.equal(halfToNumber(1), 2 ** -24);
  assert.equal(halfToNumber(0x7c00), Infinity);
  assert.ok(Number.isNaN(halfToNumber(0x7e00)));
});
