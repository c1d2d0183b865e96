// A text written on, step by step, as core/rooms/next_token/write.py has it.
import { chance } from "../drawing/elements.js";
import * as filters from "../engine/filters.js";
import { generate } from "../engine/generate.js";
import { labels } from "./labels.js";

const LEAST_WIDTH = 5e-4; // narrower tokens are no pixel wide
const NO_TOKEN = -1; // pads the lines of steps that have fewer
const written = new WeakMap(); // model -> what was written last: {key, steps}

/**
 * @param {import("../engine/forward.js").Model} model
 * @param {{ids: number[], given: string[], vocabulary: string[], n: number, seed: number, temperature: number,
 *   top_k: number, top_p: number}} asked
 */
export function writeOn(model, asked) {
  const { given, vocabulary } = asked;
  const steps = stepsOf(model, asked);
  const used = [...new Set(steps.flatMap(({ pieces }) => pieces.map(({ id }) => id)))].sort((a, b) => a - b);
  const at = new Map(used.map((id, i) => [id, i]));
  const most = Math.max(0, ...steps.map(({ pieces }) => pieces.length));
  const sideBySide = (Kind, what) => ({
    shape: [steps.length, most],
    data: Kind.from(steps.flatMap(({ pieces }) => Array.from({ length: most }, (_, i) => what(pieces[i])))),
  });
  return {
    tokens: [...given, ...steps.map(({ token }) => vocabulary[token])],
    surprise: array(Float32Array, [...given.map(() => NaN), ...steps.map(({ p }) => -Math.log(p))]),
    details: [...given.map(() => labels("given")), ...steps.map(detail)],
    in_words: inWords(asked),
    names: used.map((id) => vocabulary[id]),
    taken: array(
      Int32Array,
      steps.map(({ token }) => at.get(token)),
    ),
    draws: array(
      Float32Array,
      steps.map(({ draw }) => draw ?? NaN),
    ),
    pieces: sideBySide(Int32Array, (one) => (one ? at.get(one.id) : NO_TOKEN)),
    from: sideBySide(Float32Array, (one) => one?.low ?? 0),
    to: sideBySide(Float32Array, (one) => one?.high ?? 0),
  };
}

const array = (kind, values) => ({ shape: [values.length], data: kind.from(values) });

function stepsOf(model, { ids, n, seed, temperature: t, top_k: k, top_p: p }) {
  const key = JSON.stringify([ids, n, seed, t, k, p]);
  if (written.get(model)?.key !== key) {
    const cuts = [
      ...(t && t !== 1 ? [(z) => filters.temperature(z, t)] : []),
      ...(k ? [(z) => filters.topK(z, k)] : []),
      ...(p < 1 ? [(z) => filters.topP(z, p)] : []),
    ];
    const steps = Array.from(generate(model, ids, n, { filters: cuts, greedy: t === 0, seed }), (step) => ({
      token: step.token,
      draw: step.draw,
      p: step.probabilities[step.token],
      nKept: step.probabilities.reduce((sum, one) => sum + Number(one > 0), 0),
      pieces: piecesOf(step, t === 0),
    }));
    written.set(model, { key, steps });
  }
  return written.get(model).steps;
}

/** The tokens side by side between 0 and 1, in the order of their ids; those that can be seen, and the one taken. */
function piecesOf({ probabilities, token }, greedy) {
  const total = probabilities.reduce((sum, p) => sum + p, 0);
  const pieces = [];
  let low = 0;
  probabilities.forEach((p, id) => {
    const width = greedy ? Number(id === token) : p / total;
    if (width > LEAST_WIDTH || id === token) pieces.push({ id, low, high: low + width });
    low += width;
  });
  return pieces;
}

function detail({ p, nKept }) {
  return nKept > 1
    ? labels("one_of_tokens_left", { chance: chance(p), tokens: nKept.toLocaleString("en-US") })
    : labels("only_token_left");
}

function inWords({ temperature: t, top_k: k, top_p: p }) {
  if (t === 0) return labels("greedy");
  const cuts = [...(k ? [labels("top_k", { k })] : []), ...(p < 1 ? [labels("top_p", { p })] : [])];
  return [labels("temperature", { temperature: t }), ...cuts].join(", ");
}
