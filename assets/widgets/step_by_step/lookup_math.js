// Soft and hard lookup in a small dictionary. Pure; tested with node against core.nn.attention.attend.
import { percent } from "../drawing/elements.js";
import { labels } from "./labels.js";

/** The flat list of numbers as parts. */
export function unflatten(numbers, dKey, nEntry) {
  const [temperature, ...rest] = numbers;
  const rows = [];
  for (let i = 0; i < rest.length; i += dKey) rows.push(rest.slice(i, i + dKey));
  return { temperature, query: rows[0], keys: rows.slice(1, 1 + nEntry), values: rows.slice(1 + nEntry) };
}

export const flatten = ({ temperature, query, keys, values }) => [
  temperature,
  ...query,
  ...keys.flat(),
  ...values.flat(),
];

const dot = (a, b) => a.reduce((sum, v, i) => sum + v * b[i], 0);

/**
 * exps are e^((score - shift) / T), `shift` 0 where the plain numbers can be printed, else the largest score; best
 * lists all entries that tie.
 */
export function lookUp({ temperature, query, keys, values }) {
  const scores = keys.map((k) => dot(query, k));
  const top = Math.max(...scores);
  const shift = Math.abs(top / temperature) > 9 ? top : 0;
  const stable = scores.map((s) => Math.exp((s - top) / temperature));
  const sum = stable.reduce((a, b) => a + b, 0);
  const weights = stable.map((v) => v / sum);
  const exps = scores.map((s) => Math.exp((s - shift) / temperature));
  const mix = (shares) => query.map((_, i) => values.reduce((total, v, s) => total + shares[s] * v[i], 0));
  const best = scores.flatMap((s, i) => (s === top ? [i] : []));
  return {
    scores,
    shift,
    exps,
    total: exps.reduce((a, b) => a + b, 0),
    weights,
    soft: mix(weights),
    hard: values[best[0]],
    mean: mix(values.map(() => 1 / values.length)),
    best,
  };
}

/** Numbers on the way from some to others, 0 to 1; the temperature goes by its logarithm. */
export const between = (from, to, share) =>
  to.map((v, i) => (i ? from[i] + (v - from[i]) * share : from[0] * (v / from[0]) ** share));

const NEARLY_ALL = 0.995;
const NEARLY_EQUAL = 1.08; // times an equal share

/** The sentence of an answer. */
export function told({ best, weights }, names) {
  const named = best.map((s) => names[s]).reduce((first, second) => labels("both", { first, second }));
  const weight = weights[best[0]];
  const share = percent(weight);
  if (best.length > 1) return labels("story_of_tie", { best: named, share });
  if (weight > NEARLY_ALL) return labels("story_of_all", { best: named });
  return labels(weight * names.length < NEARLY_EQUAL ? "story_of_equals" : "story", { best: named, share });
}
