// Heads switched off, as in core/inspect/patch.py: the edits under which they say nothing.
import { copy } from "./tensor.js";

/** What a head writes, (H, T, K): nothing, or its mean over the positions. In place. */
export function silence(x, head, mode = "zero") {
  const [, n, size] = x.shape;
  const own = x.data.subarray(head * n * size, (head + 1) * n * size);
  if (mode === "zero") own.fill(0);
  else {
    for (let k = 0; k < size; k++) {
      let sum = 0;
      for (let t = 0; t < n; t++) sum += own[t * size + k];
      for (let t = 0; t < n; t++) own[t * size + k] = sum / n;
    }
  }
  return x;
}

/** Edits for `forward`. heads: [[layer, head], …] */
export function silenced(heads, mode) {
  const edits = {};
  for (const [layer, head] of heads) {
    const before = edits[`blocks.${layer}.attn.heads`] ?? copy;
    edits[`blocks.${layer}.attn.heads`] = (x) => silence(before(x), head, mode);
  }
  return edits;
}
