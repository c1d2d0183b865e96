// What a change inside a model does to the next token and to the loss of a text, as core/rooms/heads/effect.py has it.
import { softmax } from "../engine/filters.js";
import { forward } from "../engine/forward.js";
import { silenced } from "../engine/knockouts.js";
import { copy } from "../engine/tensor.js";

const MOST_TOKENS = 6; // of the next token, before and after
const LEAST = 0.001; // less than a pixel of the bar

/** Heads switched off: ["1.0", …]. */
export function knockOut(model, { ids, vocabulary, off, instead }) {
  const heads = off.map((name) => name.split(".").map(Number));
  return effect(model, ids, vocabulary, silenced(heads, instead));
}

/** One row of attention set by hand: "layer.head.query:weights", of which only that of the open head holds. */
export function setRow(model, { ids, vocabulary, layer, head, row }) {
  const [, l, h, query, given] = row.match(/^(\d+)[.](\d+)[.](\d+):(.+)$/) ?? [];
  const weights = given?.split(",").map(Number) ?? [];
  const total = weights.reduce((sum, one) => sum + one, 0);
  const fits = weights.every((one) => one >= 0 && one <= 1) && weights.length <= Number(query) + 1;
  const holds = Number(l) === layer && Number(h) === head && fits && Number(query) < ids.length && total > 0;
  const set = (x) => {
    const [, n, nKey] = x.shape;
    const out = copy(x);
    const own = out.data.subarray((head * n + Number(query)) * nKey, (head * n + Number(query) + 1) * nKey);
    own.fill(0);
    weights.forEach((one, s) => (own[s] = one / total));
    return out;
  };
  const name = `blocks.${layer}.attn.weights`;
  const found = effect(model, ids, vocabulary, holds ? { [name]: set } : {}, name);
  const [, n, nKey] = found.kept.shape;
  const isDivided = holds && Math.abs(total - 1) >= 1e-3;
  const shown = { shape: [n, nKey], data: found.kept.data.subarray(head * n * nKey, (head + 1) * n * nKey) };
  const edited = holds ? Number(query) : null;
  return {
    ...found,
    weights: shown,
    is_edited: holds,
    edited,
    divided: isDivided ? "divided" : "",
    total: holds ? total : 0,
  };
}

const untouched = new WeakMap(); // model -> {ids, logits}

function effect(model, ids, vocabulary, edits, keep = "logits") {
  const pass = (changes) =>
    forward(model, { ids }, { edits: changes, keep: (name) => [keep, "logits"].includes(name) });
  const key = `${keep} ${ids}`;
  if (untouched.get(model)?.key !== key) untouched.set(model, { key, taps: pass({}) });
  const { taps: first } = untouched.get(model);
  const isChanged = Object.keys(edits).length > 0;
  const then = isChanged ? pass(edits) : first;
  const [before, after] = [first, then].map((taps) => nextToken(taps.get("logits")));
  const [lossBefore, lossAfter] = [first, then].map((taps) => losses(taps.get("logits"), ids));
  const [top, now] = [before, after].map(likeliest);
  const shown = topOfEither(before, after);
  const change = lossAfter.map((loss, t) => loss - lossBefore[t]);
  const rise = mean(lossAfter) - mean(lossBefore);
  const limit = Math.max(0.5, ...change.map(Math.abs).filter((one) => !Number.isNaN(one)));
  return {
    first: vocabulary[top],
    then: vocabulary[now],
    had: before[top],
    left: after[top],
    likeliest: after[now],
    outcome: !isChanged ? "nothing" : top === now ? "stays" : "moved",
    labels: shown.map((id) => vocabulary[id]),
    before: shown.map((id) => before[id]),
    after: shown.map((id) => after[id]),
    loss: mean(lossAfter),
    rise: Math.abs(rise) >= 5e-4 ? rise : 0,
    moved: divergence(before, after),
    change: { shape: [ids.length], data: Float32Array.from(change) },
    low: -limit,
    high: limit,
    kept: then.get(keep),
  };
}

const row = ({ data, shape: [, n] }, t) => data.subarray(t * n, (t + 1) * n);
const nextToken = (logits) => softmax(row(logits, logits.shape[0] - 1));
const likeliest = (p) => p.indexOf(Math.max(...p));

/** (T,) of each token, given those before; nothing predicts the first. In nats. */
function losses(logits, ids) {
  return ids.map((id, t) => (t ? -Math.log(softmax(row(logits, t - 1))[id]) : NaN));
}

const mean = ([, ...all]) => all.reduce((sum, one) => sum + one, 0) / all.length;

/** Of after from before, in nats. */
const divergence = (before, after) =>
  Math.max(
    0,
    before.reduce((sum, p, id) => sum + (p ? p * Math.log(p / after[id]) : 0), 0),
  );

/** Tokens that are likely in one of two distributions at least, the likeliest before first. */
export function topOfEither(before, after, most = MOST_TOKENS) {
  const either = before.map((p, id) => Math.max(p, after[id]));
  const ranked = Array.from(either.keys()).sort((a, b) => either[b] - either[a] || a - b);
  const top = ranked.slice(0, most).filter((id) => either[id] >= LEAST);
  return (top.length ? top : ranked.slice(0, 1)).sort((a, b) => before[b] - before[a]);
}
