// One pass of a text through a whole model, in the browser, as its pictures need it. Pure; tested with node.
import { ranking } from "../drawing/sampling.js";
import { softmax } from "../engine/filters.js";
import { forward } from "../engine/forward.js";

/**
 * @param {import("../engine/forward.js").Model} model
 * @param {{ids: number[], tokens: string[]}} read T of each
 * @param {Object<string, (x: import("../engine/tensor.js").Tensor) => import("../engine/tensor.js").Tensor>} edits
 */
export const wholePass = (model, read, edits = {}) => passOf(model, read, forward(model, { ids: read.ids }, { edits }));

/**
 * The same of a pass that the server has made: it is there before the weights are.
 *
 * @param {{config: any}} model without its weights
 * @param {{ids: number[], tokens: string[]}} read T of each
 * @param {Object<string, {data: Float32Array, shape: number[]}>} arrays embed (T, d), weights (L, H, T, T),
 *   logits (T, V)
 */
export function sentPass(model, read, { embed, weights, logits }) {
  const [n, ...shape] = weights.shape;
  const size = weights.data.length / n;
  const taps = new Map(Object.entries({ embed, logits }));
  for (let l = 0; l < n; l++) {
    taps.set(`blocks.${l}.attn.weights`, { data: weights.data.subarray(l * size, (l + 1) * size), shape });
  }
  return passOf(model, read, taps);
}

function passOf(model, { ids, tokens }, taps) {
  const { n_layer: nLayer, n_head: nHead } = model.config;
  const logits = taps.get("logits");
  const vocabSize = logits.shape[1];
  const known = [];
  return {
    model,
    ids,
    tokens,
    taps,
    nToken: ids.length,
    nLayer,
    nHead,
    vocabSize,
    /** (H, T, T) of a layer */
    weights: (layer) => taps.get(`blocks.${layer}.attn.weights`).data,
    /** (V,) after token t */
    probabilities: (t) => (known[t] ??= softmax(logits.data.subarray(t * vocabSize, (t + 1) * vocabSize))),
    logit: (t, id) => logits.data[t * vocabSize + id],
  };
}

/** The likeliest of some probabilities: [{id, p}, ...]. */
export const likeliest = (probabilities, n) =>
  Array.from(ranking(probabilities).slice(0, n), (id) => ({ id, p: probabilities[id] }));

/** The tokens that are expected most after token t. */
export const expected = (pass, t, n) => likeliest(pass.probabilities(t), n);
