// A model's whole pass in the browser: the models of core/models that are small enough, each with the same tap names.
//
//   forward({config, weights}, {ids: [3, 1, 4]}).get("blocks.0.attn.weights")   // {shape: [H, T, S], data}
import { causal } from "./attention.js";
import { stack } from "./block.js";
import { NONLINEARITY } from "./feed_forward.js";
import { linear } from "./linear.js";
import { norm } from "./norms.js";
import { alibiBias, alibiSlopes, placesOf, relativeBias, sinusoidal } from "./positions.js";
import { Run } from "./tap.js";
import { add, concat, map, pick, tensor } from "./tensor.js";

/** @typedef {import("./tensor.js").Tensor} Tensor */
/** @typedef {{config: any, weights: Map<string, Tensor>}} Model the config as its JSON has it, with its "kind" */

/**
 * Every tapped tensor of one text, or picture, by its name.
 *
 * @param {Model} model
 * @param {{ids?: number[], segments?: number[], image?: Tensor, mask?: Uint8Array}} given an image is (C, Y, X); a mask
 *   (T, T), 1 where may be read, stands in place of the model's own
 * @param {{edits?: Object<string, (x: Tensor) => Tensor>, keep?: (name: string) => boolean,
 *   cache?: import("./cache.js").Cache}} options with a cache, `ids` are the new ones only
 * @returns {Map<string, Tensor>}
 */
export function forward({ config, weights }, given, { edits, keep, cache } = {}) {
  const run = new Run(weights, { edits, keep });
  KINDS[config.kind](run, config, given, cache);
  run.check();
  return run.taps;
}

function gpt(run, config, { ids, mask }, cache) {
  const { positions, n_head, d_model, block: style } = config;
  const start = cache?.ids.length ?? 0;
  const n = ids.length;
  const nKey = start + n;
  let x = pick(run.need("tok_emb.weight"), ids); // (T, D)
  if (config.d_embed) x = linear(x, run.need("tok_proj.weight"), run.get("tok_proj.bias"));
  if (positions === "learned") x = add(x, positioned(run, nKey, start));
  if (positions === "sinusoidal") x = add(x, sinusoidal(n, d_model, start));
  if (config.embed_norm) x = norm(run, "embed_norm", x, style);
  x = run.tap("embed", x);
  const isCausal = config.causal !== false;
  let bias;
  if (positions === "alibi") bias = alibiBias(config.slopes ?? alibiSlopes(n_head), n, nKey);
  if (positions === "relative") bias = relativeBias(run.need("pos_emb.table.weight"), n, nKey, !isCausal);
  x = stack(run, config, x, {
    mask: mask ?? (isCausal ? causal(n, nKey) : null),
    bias,
    rotary: positions === "rotary" ? (config.rotary ?? {}) : null,
    shifted: config.token_shift,
    start,
    cache,
  });
  cache?.ids.push(...ids);
  unembed(run, "unembed", x);
}

function bert(run, config, { ids, segments, mask }) {
  const style = config.block;
  if (ids.length > config.context_length) throw new Error(`${ids.length} tokens do not fit the positions`);
  const places = pick(run.need("pos_emb.weight"), placesOf(ids, config));
  let x = add(pick(run.need("tok_emb.weight"), ids), places); // (T, D)
  if (config.n_segment) x = add(x, pick(run.need("seg_emb.weight"), segments ?? ids.map(() => 0)));
  x = run.tap("embed", norm(run, "embed_norm", x, style));
  x = stack(run, config, x, { mask });
  const through = (name, from) => linear(from, run.need(`head.${name}.weight`), run.get(`head.${name}.bias`));
  if (config.head === "masked") {
    unembed(run, "head.unembed", norm(run, "head.norm", map(through("dense", x), NONLINEARITY.gelu), style));
  } else if (config.head === "sequence") {
    const bend = config.pool === "relu" ? NONLINEARITY.relu : Math.tanh;
    const first = tensor([1, x.shape[1]], x.data.slice(0, x.shape[1]));
    const pooled = run.tap("head.pooled", vector(map(through("pooler", first), bend))); // (D,)
    run.tap("logits", vector(through("classify", tensor([1, pooled.shape[0]], pooled.data)))); // (C,)
  } else {
    run.tap("logits", config.head === "tokens" ? through("classify", x) : x);
  }
}

function vit(run, config, { image, mask }) {
  const cut = run.tap("patches", patches(image, config.patch_size)); // (P, C p p)
  let x = linear(cut, run.need("patch_emb.weight"), run.get("patch_emb.bias"));
  x = add(concat(run.need("class_emb.weight"), x), run.need("pos_emb.weight")); // (1 + P, D)
  x = stack(run, config, run.tap("embed", x), { mask });
  const first = tensor([1, x.shape[1]], x.data.slice(0, x.shape[1]));
  const scored = config.n_class ? linear(first, run.need("unembed.weight"), run.get("unembed.bias")) : first;
  run.tap("logits", vector(scored)); // (N,)
}

const KINDS = { gpt, bert, vit };

/** (T, D) of learned positions, from `start` on. */
function positioned(run, n, start = 0) {
  const table = run.need("pos_emb.weight");
  const [most, d] = table.shape;
  if (n > most) throw new Error(`${n} tokens do not fit ${most} positions`);
  return tensor([n - start, d], table.data.subarray(start * d, n * d));
}

/** (T, V) logits; a tied output layer is the table of embeddings, and the file holds it under that name alone. */
function unembed(run, path, x) {
  run.tap("logits", linear(x, run.get(`${path}.weight`) ?? run.need("tok_emb.weight"), run.get(`${path}.bias`)));
}

const vector = (x) => tensor([x.data.length], x.data);

/** (C, Y, X) -> (P, C p p): squares in reading order, each laid in one row, channel by channel. */
export function patches(image, p) {
  const [nChannel, height, width] = image.shape;
  const [rows, columns] = [height / p, width / p];
  const out = tensor([rows * columns, nChannel * p * p]);
  let at = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let c = 0; c < nChannel; c++) {
        for (let y = 0; y < p; y++) {
          const from = (c * height + row * p + y) * width + column * p;
          out.data.set(image.data.subarray(from, from + p), at);
          at += p;
        }
      }
    }
  }
  return out;
}
