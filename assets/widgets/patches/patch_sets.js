// Hidden patches as an address has them, as core/rooms/patches/hide.py reads and writes them. Pure.
import { fixed } from "../page/numbers.js";

/** "16.5": of 16 patches the first and the third are hidden; the digits after the point are bits, one hex number. */
export function toAddress(hidden) {
  let bits = 0n;
  hidden.forEach((one, i) => (bits |= one ? 1n << BigInt(i) : 0n));
  return `${hidden.length}.${bits.toString(16)}`;
}

/** 1 for each hidden patch; none is, where the text tells of another picture. */
export function fromAddress(text, n) {
  const [, count, digits] = text.match(/^(\d+)[.]([0-9a-f]+)$/) ?? [];
  const bits = Number(count) === n ? BigInt(`0x${digits}`) : 0n;
  return Uint8Array.from({ length: n }, (_, i) => Number((bits >> BigInt(i)) & 1n));
}

/** A probability with one decimal; what is not quite 100% does not say so. */
export const inPercent = (p) => (p >= 0.9995 && p < 1 ? "> 99.9%" : `${fixed(100 * p, 1)}%`);
