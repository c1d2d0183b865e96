// The names of a vocabulary: a list in the header; or of a large one deflated, which `message.names_of` packs. Pure;
// tested with node.

/** @type {WeakMap<Uint8Array, string[]>} */
const read = new WeakMap();

/** Every token's name, by its number. */
export function names({ header, arrays }) {
  const data = arrays.names?.data;
  if (!data) return header.tokens;
  if (!read.has(data)) read.set(data, new TextDecoder().decode(data).split("\0"));
  return read.get(data);
}
