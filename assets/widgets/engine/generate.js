// Writing on, as core/generate/decode.py does: ask the model, filter, draw one token, append it, ask again.
import { Cache } from "./cache.js";
import { inverseCdf, uniform } from "./draws.js";
import { softmax } from "./filters.js";
import { forward } from "./forward.js";

/** @typedef {{token: number, logits: Float32Array, probabilities: Float64Array, draw: number | null}} Step */

/** The logits after the last token of a growing text: only what is new is computed, while it fits the context. */
export class NextLogits {
  /** @param {import("./forward.js").Model} model one that predicts the next token */
  constructor(model) {
    this.model = model;
    this.cache = new Cache();
  }

  /** (V,) for the last of the tokens. */
  after(ids) {
    const most = this.model.config.context_length;
    const seen = ids.length > most ? ids.slice(-most) : ids;
    let n = 0; // tokens that are known already
    while (n < this.cache.ids.length && n < seen.length - 1 && this.cache.ids[n] === seen[n]) n++;
    this.cache.cut(n);
    const options = { cache: this.cache, keep: (name) => name === "logits" };
    const logits = forward(this.model, { ids: seen.slice(n) }, options).get("logits");
    return logits.data.slice(-logits.shape[1]);
  }
}

/**
 * Continue a text by n tokens, one after the other.
 *
 * @param {import("./forward.js").Model} model
 * @param {number[]} ids at least one
 * @param {number} n
 * @param {{filters?: ((z: ArrayLike<number>, ids: number[]) => Float64Array)[], greedy?: boolean,
 *   seed?: number | string}} how
 *   the same seed draws the same numbers as torch does
 * @returns {Generator<Step>}
 */
export function* generate(model, ids, n, { filters = [], greedy = false, seed = 0 } = {}) {
  const next = new NextLogits(model);
  const draws = uniform(seed);
  const text = [...ids];
  for (let i = 0; i < n; i++) {
    const logits = next.after(text);
    /** @type {Float64Array} */
    let z = Float64Array.from(logits);
    for (const filter of filters) z = filter(z, text);
    const probabilities = softmax(z);
    const draw = greedy ? null : draws();
    const token = draw === null ? z.indexOf(Math.max(...z)) : inverseCdf(probabilities, draw).token;
    text.push(token);
    yield { token, logits, probabilities, draw };
  }
}
