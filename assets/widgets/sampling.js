// From logits to the distribution that is sampled: temperature, then top-k, then top-p, then renormalise.
// The same order and the same ties as core/generate/filters.py and Hugging Face. Pure; tested with node.

/** exp(z / T) / sum of exp(z / T). T = 0 is greedy: everything on the first largest logit. */
export function softmax(logits, temperature = 1) {
  const n = logits.length, out = new Float64Array(n);
  let best = 0;
  for (let i = 1; i < n; i++) if (logits[i] > logits[best]) best = i;
  if (temperature <= 0) {
    out[best] = 1;
    return out;
  }
  let total = 0;
  for (let i = 0; i < n; i++) total += out[i] = Math.exp((logits[i] - logits[best]) / temperature);
  for (let i = 0; i < n; i++) out[i] /= total;
  return out;
}

/** Token numbers from the most to the least probable; equal ones in the order of the vocabulary. */
export function ranking(values) {
  return Uint32Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b);
}

export function entropy(probabilities) {
  let sum = 0;
  for (const p of probabilities) if (p > 0) sum -= p * Math.log(p);
  return sum;
}

/**
 * @param {Float32Array} logits (V,)
 * @param {{temperature: number, topK: number, topP: number}} settings topK 0 and topP 1 cut nothing
 * @returns {{before: Float64Array, tempered: Float64Array, after: Float64Array, kept: Uint8Array,
 *            nKept: number, order: Uint32Array}} before = softmax at T = 1
 */
export function distribution(logits, { temperature = 1, topK = 0, topP = 1 } = {}) {
  const n = logits.length;
  const before = softmax(logits), tempered = softmax(logits, temperature), order = ranking(logits);
  const kept = new Uint8Array(n).fill(1);
  if (topK > 0 && topK < n) {
    const threshold = logits[order[topK - 1]];  // ties with the k-th are all kept
    for (let i = 0; i < n; i++) if (logits[i] < threshold) kept[i] = 0;
  }
  if (topP < 1) {
    let mass = 0, seen = 0;
    for (let i = 0; i < n; i++) if (kept[i]) mass += tempered[i];
    for (const i of order) {
      if (!kept[i]) continue;
      if (seen >= topP && seen > 0) kept[i] = 0;  // the token that crosses p stays
      seen += tempered[i] / mass;
    }
  }
  let mass = 0, nKept = 0;
  for (let i = 0; i < n; i++) if (kept[i]) (mass += tempered[i]), nKept++;
  const after = Float64Array.from(tempered, (p, i) => (kept[i] ? p / mass : 0));
  return { before, tempered, after, kept, nKept, order };
}
