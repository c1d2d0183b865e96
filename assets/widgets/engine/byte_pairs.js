// Byte-pair encoding with merges that were learned, as core/data/tokenizers/bpe.py. Pure; tested with node.

// The same pieces as there; \s is what Rust's tiktoken takes for white space.
const S = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
const PIECES = new RegExp(
  [
    "'(?:[sdmt]|ll|ve|re)",
    " ?\\p{L}{1,64}",
    " ?\\p{N}{1,64}",
    ` ?[^${S}\\p{L}\\p{N}]{1,64}`,
    `[${S}]{1,64}(?![^${S}])`,
    `[${S}]{1,64}`,
  ].join("|"),
  "gu",
);

const key = (bytes) => String.fromCharCode(...bytes); // one character a byte

/** From the merges of the file, as pairs of hexadecimal bytes. */
export function bytePairs(merges) {
  const ranks = new Map(Array.from({ length: 256 }, (_, b) => [String.fromCharCode(b), b]));
  for (const [left, right] of merges) {
    const both = fromHex(left) + fromHex(right);
    if (!ranks.has(both)) ranks.set(both, ranks.size);
  }
  return {
    bytes: [...ranks.keys()].map((one) => Uint8Array.from(one, (c) => c.charCodeAt(0))),
    /** The ids of a text. */
    encode(text) {
      const encoder = new TextEncoder();
      return (text.match(PIECES) ?? []).flatMap((piece) => merged(key(encoder.encode(piece)), ranks));
    },
  };
}

const fromHex = (hex) => key((hex.match(/../g) ?? []).map((one) => parseInt(one, 16)));

/** Joins the pair that was learned first, the leftmost of several, until none is left. */
function merged(piece, ranks) {
  if (ranks.has(piece)) return [ranks.get(piece)];
  const parts = [...piece];
  while (parts.length > 1) {
    let best = -1;
    let least = Infinity;
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(parts[i] + parts[i + 1]) ?? Infinity;
      if (rank < least) [best, least] = [i, rank];
    }
    if (best < 0) break;
    parts.splice(best, 2, parts[best] + parts[best + 1]);
  }
  return parts.map((part) => ranks.get(part));
}
