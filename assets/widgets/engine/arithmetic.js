// How one number of a pass came about: which numbers it was made of, and how. Pure; tested with node.
//
//   arithmetic(model, taps, ids, "blocks.0.attn.scores", [1, 4, 2])
//   // {kind: "products", terms: [{label: "3", a, b, value}, ...], steps: [{label: "÷ √24", value}, ...], value}
import { fixed } from "../page/numbers.js";
import { GATED, NONLINEARITY, tokenShift } from "./feed_forward.js";
import { linear } from "./linear.js";
import { norm, rmsNorm } from "./norms.js";
import { alibiBias, alibiSlopes, placesOf, relativeBias, rotate, sinusoidal } from "./positions.js";
import { Run } from "./tap.js";
import { tensor } from "./tensor.js";
import { labels } from "./labels.js";

/**
 * @typedef {{label: string, token?: number, a?: number, b?: number, value: number, from?: [string, number[]],
 *   isAsked?: boolean}} Term
 *   `token`: its position; `from`: the tap and the place that `a` was read at, or the value where there is no `a`
 * @typedef {{kind: "products" | "sum" | "share" | "function", terms: Term[], steps: {label: string, value: number}[],
 *   value: number, weight?: string, factors?: [string, string], top?: number}} Arithmetic
 *   the terms' values together, then step by step; `value` is the last; factors: what `a` and `b` are; top: the
 *   largest, taken off before exp
 */

/**
 * @param {import("./forward.js").Model} model a decoder, kind "gpt"
 * @param {Map<string, import("./tensor.js").Tensor>} taps of its pass
 * @param {number[]} ids
 * @param {string} name of a tap, or "probabilities": the softmax of each row of the logits
 * @param {number[]} place in it
 * @returns {Arithmetic}
 */
export function arithmetic(model, taps, ids, name, place) {
  const [, layer, part] = name.match(/^blocks\.(\d+)\.(.+)$/) ?? [null, null, name];
  const given = { ...model, taps, ids, layer: Number(layer), path: `blocks.${layer}`, run: new Run(model.weights) };
  return RULES[part](given, ...place);
}

const sum = (terms) => terms.reduce((total, { value }) => total + value, 0);

/**
 * Terms one after the other, and what is done with their sum.
 *
 * @returns {Arithmetic}
 */
function made(kind, terms, steps = [], more = {}) {
  let value = sum(terms);
  const told = [];
  for (const [label, change] of steps) told.push({ label, value: (value = change(value)) });
  return { kind, terms, steps: told, value, ...more };
}

const of = ({ taps }, name, ...place) => {
  const { shape, data } = taps.get(name);
  return data[place.reduce((at, i, axis) => at * shape[axis] + i, 0)];
};
const row = (x, t) => x.data.subarray(t * x.shape.at(-1), (t + 1) * x.shape.at(-1));
/** A number that a step adds: its label names it, since the step's value is the sum. */
const signed = (v) => `${v < 0 ? "−" : "+"}${fixed(Math.abs(v), 4)}`;
const withBias = (v) => labels("with_bias", { number: signed(v) });
const added = (b, i) => (b ? [[withBias(b.data[i]), (x) => x + b.data[i]]] : []);

/** Number i of a layer's output for one row of what it reads. */
function through({ run }, weight, read, i, from = null) {
  const w = row(run.need(`${weight}.weight`), i);
  const terms = Array.from(read, (a, j) => ({
    label: `${j}`,
    a,
    b: w[j],
    value: a * w[j],
    ...(from && { from: from(j) }),
  }));
  return made("products", terms, added(run.get(`${weight}.bias`), i), {
    weight,
    factors: [labels("read"), labels("weight")],
  });
}

/** What a part of a block reads: the stream, normed where the model norms first. */
function read({ run, config, taps, path }, stream, name) {
  const x = taps.get(`${path}.${stream}`);
  return config.block.norm_first ? norm(run, `${path}.${name}`, x, config.block) : x;
}

/** One row of two that are added, then normed where the model norms last. */
function beside(given, before, change, name, t, i) {
  const { run, config, path } = given;
  const { norm_first, residual } = config.block;
  const parts = residual === false ? [change] : [before, change];
  const terms = parts.map((one) => ({
    label: one,
    value: of(given, `${path}.${one}`, t, i),
    from: [`${path}.${one}`, [t, i]],
  }));
  if (norm_first) return made("sum", terms);
  const rows = parts.map((one) => row(given.taps.get(`${path}.${one}`), t));
  const whole = Float32Array.from(rows[0], (_, j) => rows.reduce((total, one) => total + one[j], 0));
  const normed = norm(run, `${path}.${name}`, tensor([1, whole.length], whole), config.block);
  return made("sum", terms, [[labels("normed"), () => normed.data[i]]]);
}

/** Query, key or value: a layer of what is read, then maybe normed and turned by the position. */
function projected(given, which, h, t, j) {
  const { run, config, path } = given;
  const { n_head: nHead, n_kv_head: nKeyHead, block: style } = config;
  const weight = `${path}.attn.w_${which}`;
  const group = which === "q" ? h : Math.floor((h * (nKeyHead ?? nHead)) / nHead);
  const x = row(read(given, "resid_in", "norm_1"), t);
  const k = given.taps.get(`${path}.attn.${which}`).shape[2];
  const found = through(given, weight, x, group * k + j);
  if (which === "v") return found;
  const all = linear(tensor([1, x.length], x), run.need(`${weight}.weight`), run.get(`${weight}.bias`));
  let head = tensor([1, 1, k], all.data.slice(group * k, (group + 1) * k));
  const then = (label, next) => {
    head = next;
    found.steps.push({ label, value: (found.value = head.data[j]) });
  };
  if (style.qk_norm) {
    then(labels("normed"), rmsNorm(head, run.get(`${path}.attn.norm_${which}.weight`), style.eps ?? 1e-6));
  }
  if (config.positions === "rotary") then(labels("turned", { position: t }), rotate(head, config.rotary ?? {}, t));
  return found;
}

function bias({ run, config }, n) {
  const { positions, n_head } = config;
  if (positions === "alibi") return alibiBias(config.slopes ?? alibiSlopes(n_head), n, n);
  if (positions !== "relative") return null;
  return relativeBias(run.need("pos_emb.table.weight"), n, n, config.causal === false);
}

function scores(given, h, t, s) {
  const { taps, path } = given;
  const [q, k] = ["q", "k"].map((one) => taps.get(`${path}.attn.${one}`));
  const [, n, size] = q.shape;
  const terms = Array.from({ length: size }, (_, j) => {
    const [a, b] = [q.data[(h * n + t) * size + j], k.data[(h * n + s) * size + j]];
    return { label: `${j}`, a, b, value: a * b, from: [`${path}.attn.q`, [h, t, j]] };
  });
  const added = bias(given, n);
  const steps = [[`÷ √${size}`, (x) => x / Math.sqrt(size)]];
  const far = added?.data[(h * n + t) * n + s];
  if (added) steps.push([labels("with_distance_bias", { number: signed(far) }), (x) => x + far]);
  return made("products", terms, steps, { factors: [labels("query"), labels("key")] });
}

/** exp of one number as a share of all: those that may be read. The terms are theirs, the one that is asked marked. */
function share(values, i, from) {
  const top = Math.max(...values);
  const exps = values.map((v) => Math.exp(v - top));
  const total = exps.reduce((all, one) => all + one, 0);
  const terms = values.flatMap((a, at) =>
    a === -Infinity ? [] : [{ label: `${at}`, a, value: exps[at], isAsked: at === i, from: from(at) }],
  );
  const steps = [
    { label: labels("divided_by_sum", { sum: fixed(total, 3), n: terms.length }), value: exps[i] / total },
  ];
  return { kind: "share", terms, top, steps, value: exps[i] / total };
}

function weights(given, h, t, s) {
  const { taps, path, config } = given;
  const from = `${path}.attn.scores`;
  const nKey = taps.get(from).shape[2];
  const isCausal = config.causal !== false;
  if (isCausal && s > t) return made("function", [{ label: labels("later_token"), value: 0 }]);
  const all = Array.from({ length: nKey }, (_, key) => (isCausal && key > t ? -Infinity : of(given, from, h, t, key)));
  return share(all, s, (key) => [from, [h, t, key]]);
}

function heads(given, h, t, j) {
  const { taps, path } = given;
  const n = taps.get(`${path}.attn.v`).shape[1];
  const terms = Array.from({ length: n }, (_, s) => {
    const [a, b] = [of(given, `${path}.attn.weights`, h, t, s), of(given, `${path}.attn.v`, h, s, j)];
    return {
      label: labels("token", { position: s }),
      token: s,
      a,
      b,
      value: a * b,
      from: [`${path}.attn.weights`, [h, t, s]],
    };
  });
  return made("products", terms, [], { factors: [labels("weight"), labels("value")] });
}

/** All heads' numbers of one token side by side, through the output layer. */
function out(given, t, i) {
  const { taps, path } = given;
  const { shape, data } = taps.get(`${path}.attn.heads`);
  const [nHead, n, k] = shape;
  const side = Float32Array.from({ length: nHead * k }, (_, at) => data[(Math.floor(at / k) * n + t) * k + (at % k)]);
  return through(given, `${path}.attn.w_o`, side, i, (at) => [`${path}.attn.heads`, [Math.floor(at / k), t, at % k]]);
}

function fed(given) {
  const x = read(given, "resid_mid", "norm_2");
  return given.config.token_shift ? tokenShift(x) : x;
}

function act(given, t, i) {
  const { config, path } = given;
  const gate = GATED[config.block.activation];
  const pre = of(given, `${path}.mlp.pre`, t, i);
  const name = gate ?? config.block.activation;
  const terms = [{ label: "pre", value: pre, from: [`${path}.mlp.pre`, [t, i]] }];
  const steps = [[name, NONLINEARITY[name]]];
  if (gate) {
    const wide = through(given, `${path}.mlp.w_in`, row(fed(given), t), i).value;
    steps.push([labels("times_gated", { factor: wide.toPrecision(4) }), (x) => x * wide]);
  }
  return made("function", terms, steps);
}

function embed(given, t, i) {
  const { run, config, ids } = given;
  const { positions, d_embed, embed_norm, d_model, block } = config;
  const token = row(run.need("tok_emb.weight"), ids[t]);
  const learned = () => row(run.need("pos_emb.weight"), placesOf(ids, config)[t]);
  const place = { learned, sinusoidal: () => row(sinusoidal(t + 1, d_model), t) }[positions]?.();
  const number = (j) => (d_embed ? through(given, "tok_proj", token, j).value : token[j]);
  const found = d_embed
    ? through(given, "tok_proj", token, i)
    : made("sum", [{ label: labels("token_row", { row: ids[t] }), value: token[i] }]);
  if (place && d_embed) {
    const label = labels("with_position", { position: t, number: signed(place[i]) });
    found.steps.push({ label, value: (found.value += place[i]) });
  } else if (place) {
    found.terms.push({ label: labels("position", { position: t }), value: place[i] });
    found.value += place[i];
  }
  if (embed_norm) {
    const whole = Float32Array.from({ length: d_model }, (_, j) => number(j) + (place?.[j] ?? 0));
    const normed = norm(run, "embed_norm", tensor([1, d_model], whole), block);
    found.steps.push({ label: labels("normed"), value: (found.value = normed.data[i]) });
  }
  return found;
}

function same(given, name, t, i) {
  return made("sum", [{ label: name, value: of(given, name, t, i), from: [name, [t, i]] }]);
}

function final(given, t, i) {
  const { run, config } = given;
  const name = `blocks.${config.n_layer - 1}.resid_out`;
  const found = same(given, name, t, i);
  if (!config.block.norm_first) return found;
  const x = row(given.taps.get(name), t);
  const normed = norm(run, "norm", tensor([1, x.length], x), config.block);
  found.steps.push({ label: labels("normed"), value: (found.value = normed.data[i]) });
  return found;
}

function logits(given, t, i) {
  const { run, taps } = given;
  const weight = run.get("unembed.weight") ? "unembed" : "tok_emb"; // one table for both where they are tied
  const found = through(given, weight, row(taps.get("final"), t), i, (j) => ["final", [t, j]]);
  return found.weight === "unembed" || !run.get("unembed.bias") ? found : biased(found, run.get("unembed.bias"), i);
}

function biased(found, b, i) {
  found.steps.push({ label: withBias(b.data[i]), value: (found.value += b.data[i]) });
  return found;
}

/** For each tap what made it, by its name after that of its block. */
const RULES = {
  embed,
  resid_in: (given, t, i) => same(given, given.layer ? `blocks.${given.layer - 1}.resid_out` : "embed", t, i),
  "attn.q": (given, ...at) => projected(given, "q", ...at),
  "attn.k": (given, ...at) => projected(given, "k", ...at),
  "attn.v": (given, ...at) => projected(given, "v", ...at),
  "attn.scores": scores,
  "attn.weights": weights,
  "attn.heads": heads,
  "attn.out": out,
  resid_mid: (given, t, i) => beside(given, "resid_in", "attn.out", "norm_1", t, i),
  "mlp.pre": (given, t, i) => {
    const gate = GATED[given.config.block.activation];
    return through(given, `${given.path}.mlp.${gate ? "w_gate" : "w_in"}`, row(fed(given), t), i);
  },
  "mlp.act": act,
  "mlp.out": (given, t, i) => {
    const name = `${given.path}.mlp.act`;
    return through(given, `${given.path}.mlp.w_out`, row(given.taps.get(name), t), i, (j) => [name, [t, j]]);
  },
  resid_out: (given, t, i) =>
    given.taps.has(`${given.path}.mlp.out`)
      ? beside(given, "resid_mid", "mlp.out", "norm_2", t, i)
      : same(given, `${given.path}.resid_mid`, t, i),
  final,
  logits,
  probabilities: (given, t, i) => share(Array.from(row(given.taps.get("logits"), t)), i, (id) => ["logits", [t, id]]),
};
