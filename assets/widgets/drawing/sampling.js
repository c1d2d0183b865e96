// From logits to the distribution that is sampled: temperature, then top-k, then top-p, then renormalise.
// The same order and the same ties as core/generate/filters.py and Hugging Face. Pure; tested with node.
export { entropy } from "../engine/filters.js";

/** exp(z / T) / sum of exp(z / T). T = 0 is greedy: everything on the first largest logit. */
export function softmax(logits, temperature = 1) {
  const n = logits.length;
  const out = new Float64Array(n);
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

export const KEPT = 0;
export const CUT_BY_K = 1;
export const CUT_BY_P = 2;

/**
 * @param {Float32Array} logits (V,)
 * @param {{temperature?: number, topK?: number, topP?: number}} settings topK 0 and topP 1 cut nothing
 * @param {Uint32Array} order ranking(logits), for a caller who moves a slider and has it already
 * @returns {{tempered: Float64Array, after: Float64Array, cut: Uint8Array, nKept: number, mass: number, order:
 *   Uint32Array}}
 *   tempered = softmax(z / T); cut says what removed a token; mass = what the kept ones had before renormalising
 */
export function distribution(logits, { temperature = 1, topK = 0, topP = 1 } = {}, order = ranking(logits)) {
  const n = logits.length;
  const tempered = softmax(logits, temperature);
  const cut = new Uint8Array(n);
  if (topK > 0 && topK < n) {
    const threshold = logits[order[topK - 1]]; // ties with the k-th are all kept
    for (let i = 0; i < n; i++) if (logits[i] < threshold) cut[i] = CUT_BY_K;
  }
  if (topP < 1) {
    const slack = 1e-6; // logits are float32: masses that reach p but for their rounding count as p
    let total = 0;
    let seen = 0;
    for (let i = 0; i < n; i++) if (!cut[i]) total += tempered[i];
    for (const i of order) {
      if (cut[i]) continue;
      if (seen >= (topP - slack) * total && seen > 0) cut[i] = CUT_BY_P; // the token that crosses p stays
      seen += tempered[i];
    }
  }
  let mass = 0;
  let nKept = 0;
  for (let i = 0; i < n; i++) {
    if (!cut[i]) {
      mass += tempered[i];
      nKept++;
    }
  }
  const after = Float64Array.from(tempered, (p, i) => (cut[i] ? 0 : p / mass));
  return { tempered, after, cut, nKept, mass, order };
}
