// Attention, as in core/nn/attention.py: every query reads a weighted mixture of the values.
import { linear, products } from "./linear.js";
import { rmsNorm } from "./norms.js";
import { rotate } from "./positions.js";
import { join, split, tensor, transpose } from "./tensor.js";

/** (H, T, S) how well each key matches each query: their dot product, scaled, and a bias if there is one. */
export function attentionScores(q, k, bias) {
  const scale = 1 / Math.sqrt(q.shape[2]);
  const scores = products(q, k);
  for (let i = 0; i < scores.data.length; i++) scores.data[i] = scores.data[i] * scale + (bias ? bias.data[i] : 0);
  return scores;
}

/** Softmax over the keys that may be read, the others get 0; so do all of a row that may read nothing. */
export function maskedSoftmax(scores, mask) {
  const [nHead, n, nKey] = scores.shape;
  const out = tensor(scores.shape);
  for (let row = 0; row < nHead * n; row++) {
    const at = row * nKey;
    const open = (row % n) * nKey;
    let top = -Infinity;
    for (let s = 0; s < nKey; s++) if (!mask || mask[open + s]) top = Math.max(top, scores.data[at + s]);
    let total = 0;
    for (let s = 0; s < nKey; s++) {
      if (!mask || mask[open + s]) total += out.data[at + s] = Math.exp(scores.data[at + s] - top);
    }
    if (total) for (let s = 0; s < nKey; s++) out.data[at + s] /= total;
  }
  return out;
}

/** (T, S) who may read whom: each position itself and what came before; the last query stands at the last key. */
export function causal(nQuery, nKey = nQuery) {
  const mask = new Uint8Array(nQuery * nKey);
  for (let t = 0; t < nQuery; t++) mask.fill(1, t * nKey, t * nKey + nKey - nQuery + t + 1);
  return mask;
}

/** Heads of keys (G, S, K), each repeated for the heads of queries that share it. */
function repeated(x, nHead) {
  const [g, n, k] = x.shape;
  if (g === nHead) return x;
  const out = tensor([nHead, n, k]);
  for (let h = 0; h < nHead; h++) {
    const from = Math.floor((h * g) / nHead) * n * k;
    out.data.set(x.data.subarray(from, from + n * k), h * n * k);
  }
  return out;
}

/**
 * Self-attention of the layer at that path: (T, D) -> (T, D).
 *
 * @param {{n_head: number, n_kv_head?: number, rotary?: object, style: any, mask?: Uint8Array, bias?: object,
 *   start?: number, cache?: import("./cache.js").Cache}} asks the mask (T, S) says who may read whom; positions begin
 *   at `start`, behind what the cache holds
 */
export function attention(run, path, x, asks) {
  const { n_head, n_kv_head, rotary, style, mask, bias, start = 0, cache } = asks;
  const project = (name, from) => linear(from, run.need(`${path}.${name}.weight`), run.get(`${path}.${name}.bias`));
  const ready = (name, nHead) => {
    let heads = split(project(`w_${name}`, x), nHead);
    if (style.qk_norm) heads = rmsNorm(heads, run.get(`${path}.norm_${name}.weight`), style.eps ?? 1e-6);
    return rotary ? rotate(heads, rotary, start) : heads;
  };
  const nKeyHead = n_kv_head ?? n_head;
  const own = { k: ready("k", nKeyHead), v: split(project("w_v", x), nKeyHead) };
  const { k: keys, v: values } = cache ? cache.extend(path, own) : own; // (G, S, K)
  const q = run.tap(`${path}.q`, ready("q", n_head)); // (H, T, K)
  const k = run.tap(`${path}.k`, repeated(keys, n_head)); // (H, S, K)
  const v = run.tap(`${path}.v`, repeated(values, n_head));
  const scores = run.tap(`${path}.scores`, attentionScores(q, k, bias)); // (H, T, S)
  const weights = run.tap(`${path}.weights`, maskedSoftmax(scores, mask)); // (H, T, S), rows sum to 1
  const heads = run.tap(`${path}.heads`, products(weights, transpose(v))); // (H, T, K)
  return run.tap(`${path}.out`, project("w_o", join(heads))); // (T, D)
}
