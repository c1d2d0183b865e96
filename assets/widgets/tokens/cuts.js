// A text that merges glue together, step by step. Pure; tested with node.
// `gone[i]` is the merge that glues byte i to byte i + 1: after `step` merges the borders with gone > step are left.

const NEVER = 2 ** 31 - 1; // of a border that stays

/** Where the tokens lie after `step` merges: [[start, end], ...] in bytes. */
export function cutAt(gone, step) {
  const out = [];
  for (let start = 0, i = 0; i < gone.length; i++) {
    if (gone[i] > step) {
      out.push([start, i + 1]);
      start = i + 1;
    }
  }
  return out;
}

/** The bytes of a token as a string with one letter per byte, as Python's Latin-1 writes them. */
export const spell = (content, [start, end]) => String.fromCharCode(...content.subarray(start, end));

/**
 * What the next merge will glue: for each token 1 if it is the left half of a pair, 2 if the right half, else 0.
 * The border between the two halves is the one that goes at `step + 1`.
 */
export function halves(gone, cut, step) {
  const out = new Uint8Array(cut.length);
  cut.forEach(([, end], i) => {
    if (gone[end - 1] === step + 1) {
      out[i] = 1;
      out[i + 1] = 2;
    }
  });
  return out;
}

/** Which neighboring tokens become one in the end: [[first, after], ...]. No line may break within them. */
export function whole(gone, cut) {
  const out = [];
  for (let start = 0, i = 0; i < cut.length; i++) {
    if (gone[cut[i][1] - 1] < NEVER && i + 1 < cut.length) continue;
    out.push([start, i + 1]);
    start = i + 1;
  }
  return out;
}
