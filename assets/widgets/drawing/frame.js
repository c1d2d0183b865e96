// Reads one message of core/browser/message_packing.py: u32 header length | JSON header | arrays. Tested with node.

const READERS = { u1: Uint8Array, i4: Int32Array, u4: Uint32Array, f4: Float32Array, f2: Uint16Array };

/** The bytes that zlib deflated. */
export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The number behind 16 bits of an IEEE half. */
export function halfToNumber(h) {
  const sign = h & 0x8000 ? -1 : 1;
  const exponent = (h >> 10) & 31;
  const fraction = h & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The JSON header alone: cheap, and enough to see by its `id` that nothing changed. */
export function readHeader(message) {
  const length = new DataView(message.buffer, message.byteOffset, 4).getUint32(0, true);
  return [JSON.parse(new TextDecoder().decode(message.subarray(4, 4 + length))), 4 + length];
}

/**
 * @param {Uint8Array} message
 * @returns {Promise<{header: any, arrays: Object<string, {data: any, shape: number[]}>}>}
 */
export async function readFrame(message) {
  const [header, start] = readHeader(message);
  const arrays = {};
  for (const [name, about] of Object.entries(header.arrays)) {
    // A copy: the message may begin at any byte of a larger buffer, and typed arrays want alignment.
    let block = message.slice(start + about.offset, start + about.offset + about.bytes);
    if (about.zlib) block = await inflate(block);
    let data = new READERS[about.dtype](block.buffer);
    if (about.dtype === "f2") data = Float32Array.from(data, halfToNumber);
    arrays[name] = { data, shape: about.shape, along: about.along, computed: about.computed };
  }
  return { header, arrays };
}
