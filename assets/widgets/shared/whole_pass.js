// One pass of a text through a whole model, in the browser, as its pictures need it. Pure; tested with node.
import { ranking } from "../drawing/sampling.js";
import { softmax } from "../engine/filters.js";
import { forward } from "../engine/forward.js";

/**
 * @param {import("../engine/forward.js").Model} model
 * @param {{ids: number[], tokens: string[]}} read T of each
 * @param {Object<string, (x: import("../engine/tensor.js").Tensor) => import("../engine/tensor.js").Tensor>} edits
 */
export function wholePass(model, { ids, tokens }, edits = {}) {
  const taps = forward(model, { ids }, { edits });
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
