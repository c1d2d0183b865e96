// Reads a safetensors file: u64 header length | JSON header | numbers. Pure; tested with node.
// Source: the format's description, huggingface/safetensors, README.
import { sizeOf } from "./tensor.js";

const MOST_HEADER = 10_000_000;

/**
 * All tensors of a file by name, as float32.
 *
 * @param {ArrayBuffer} buffer
 * @returns {Map<string, import("./tensor.js").Tensor>}
 */
export function parseSafetensors(buffer) {
  const { begin, header } = headerOf(buffer);
  const found = new Map();
  for (const [name, told] of Object.entries(header)) {
    if (name !== "__metadata__") found.set(name, tensorOf(buffer, begin, name, told));
  }
  return found;
}

/** What the file says of itself: texts by their names. */
export const metadata = (buffer) => headerOf(buffer).header.__metadata__ ?? {};

function headerOf(buffer) {
  if (buffer.byteLength < 8) throw new Error("the weights are cut off");
  const length = Number(new DataView(buffer).getBigUint64(0, true));
  const begin = 8 + length;
  if (length > MOST_HEADER || begin > buffer.byteLength) throw new Error("the weights' header is longer than the file");
  return { begin, header: JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length))) };
}

function tensorOf(buffer, begin, name, { dtype, shape, data_offsets: [from, to] }) {
  const read = READ[dtype];
  if (!read) throw new Error(`${name} is of type ${dtype}; weights are ${Object.keys(READ).join(", ")}`);
  if (!(from >= 0 && from <= to && begin + to <= buffer.byteLength)) {
    throw new Error(`${name} lies outside of the file`);
  }
  if (to - from !== read.size * sizeOf(shape)) throw new Error(`${name} is not as long as its shape says`);
  return { shape, data: read.numbers(buffer, begin + from, sizeOf(shape)) };
}

const READ = {
  U8: { size: 1, numbers: (buffer, at, n) => Float32Array.from(new Uint8Array(buffer, at, n)) },
  F32: {
    size: 4,
    // In place where it lies at a multiple of four, as our own files do.
    numbers: (buffer, at, n) =>
      at % 4 ? new Float32Array(buffer.slice(at, at + 4 * n)) : new Float32Array(buffer, at, n),
  },
  F16: { size: 2, numbers: (buffer, at, n) => widened(buffer, at, n, half) },
  BF16: { size: 2, numbers: (buffer, at, n) => upper(buffer, at, n) },
};

function widened(buffer, at, n, each) {
  const view = new DataView(buffer, at, 2 * n);
  return Float32Array.from({ length: n }, (_, i) => each(view.getUint16(2 * i, true)));
}

/** The upper half of a float32 each. */
function upper(buffer, at, n) {
  const out = new Uint32Array(n);
  const view = new DataView(buffer, at, 2 * n);
  for (let i = 0; i < n; i++) out[i] = view.getUint16(2 * i, true) << 16;
  return new Float32Array(out.buffer);
}

/** A float16 from its bits: sign, five of exponent, ten of fraction. */
function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
}
