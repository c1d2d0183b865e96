// Every knob of sampling, stage by stage, with the rules of core/generate/filters.py. Pure; tested with node.
import { sized } from "../drawing/ngram_words.js";

const SLACK = 1e-6; // logits are float32: a mass that reaches a threshold but for its rounding counts as reaching it

/** (V,) probabilities; removed tokens (-Infinity) get 0. */
export function softmax(z) {
  let top = -Infinity;
  let total = 0;
  for (const v of z) if (v > top) top = v;
  const out = Float64Array.from(z, (v) => Math.exp(v - top));
  for (const v of out) total += v;
  return out.map((v) => v / total);
}

const keep = (z, test) => Float64Array.from(z, (v, i) => (test(i) ? v : -Infinity));

/** -sum p log p in nats. */
export function entropy(p) {
  let sum = 0;
  for (const v of p) if (v > 0) sum -= v * Math.log(v);
  return sum;
}

/** Token numbers by ascending key, equal ones in the order of the vocabulary. */
const order = (key) => Uint32Array.from(key.keys()).sort((a, b) => key[a] - key[b] || a - b);

/** The fewest tokens, by ascending key, whose probabilities add up to `share`: the one that crosses it stays. */
function smallestSet(z, p, key, share) {
  const kept = new Uint8Array(z.length);
  let before = 0;
  let first = true;
  for (const i of order(key)) {
    if (first || before < share - SLACK) kept[i] = 1;
    first = false;
    before += p[i];
  }
  return keep(z, (i) => kept[i]);
}

function atLeast(z, p, least) {
  const threshold = Math.min(least, Math.max(...p)) * (1 - SLACK);
  return keep(z, (i) => p[i] >= threshold);
}

/**
 * Nearest to the expected surprise first, until their probabilities add up to `share`; equally near ones stay together.
 */
function typical(z, share) {
  const p = softmax(z);
  const h = entropy(p);
  const distance = Float64Array.from(p, (v) => (v > 0 ? Math.abs(-Math.log(v) - h) : Infinity));
  let last = Math.min(...distance);
  let before = 0;
  for (const i of order(distance)) {
    if (before >= share - SLACK) break;
    last = distance[i];
    before += p[i];
  }
  return keep(z, (i) => distance[i] <= last + SLACK);
}

function noRepeat(z, n, ids) {
  if (ids.length < n) return Float64Array.from(z);
  const tail = ids.slice(ids.length - n + 1).join();
  const banned = new Set();
  for (let i = 0; i + n <= ids.length; i++) {
    if (n === 1 || ids.slice(i, i + n - 1).join() === tail) banned.add(ids[i + n - 1]);
  }
  return keep(z, (i) => !banned.has(i));
}

/** By letter, in the order in which they are applied: name, the number that changes nothing, what it does. */
export const KNOBS = {
  r: {
    name: "repetition penalty",
    neutral: 1,
    apply: (z, v, ids) => {
      const seen = new Set(ids);
      return Float64Array.from(z, (x, i) => (seen.has(i) ? (x < 0 ? x * v : x / v) : x));
    },
  },
  n: { name: "no repeated n-gram", neutral: 0, apply: noRepeat },
  t: { name: "temperature", neutral: 1, apply: (z, v) => Float64Array.from(z, (x) => x / v) },
  k: {
    name: "top-k",
    neutral: 0,
    apply: (z, v) => {
      const least = Float64Array.from(z).sort()[Math.max(0, z.length - v)];
      return keep(z, (i) => z[i] >= least);
    },
  },
  p: {
    name: "top-p",
    neutral: 1,
    apply: (z, v) => {
      const p = softmax(z);
      return smallestSet(
        z,
        p,
        p.map((x) => -x),
        v,
      );
    },
  },
  m: {
    name: "min-p",
    neutral: 0,
    apply: (z, v) => {
      const p = softmax(z);
      const least = v * Math.max(...p) * (1 - SLACK);
      return keep(z, (i) => p[i] >= least);
    },
  },
  y: { name: "typical", neutral: 1, apply: typical },
  e: {
    name: "epsilon",
    neutral: 0,
    apply: (z, v) => {
      const p = softmax(z);
      return atLeast(z, p, v);
    },
  },
  h: {
    name: "eta",
    neutral: 0,
    apply: (z, v) => {
      const p = softmax(z);
      return atLeast(z, p, Math.min(v, Math.sqrt(v) * Math.exp(-entropy(p))));
    },
  },
};

const countKept = (z) => z.reduce((n, v) => n + (v > -Infinity), 0);

/**
 * @param {Float32Array} logits (V,)
 * @param {Object<string, number>} settings by letter; those that change nothing are passed over
 * @param {number[]} ids the tokens so far
 * @param {string[]} letters another order, to compare with
 * @returns {{stages: {letter, value, z: Float64Array, nKept: number}[], p: Float64Array}} p is all nan if nothing is
 *   left
 */
export function pipeline(logits, settings, ids = [], letters = Object.keys(KNOBS)) {
  const stages = [];
  let z = Float64Array.from(logits);
  for (const letter of letters) {
    const value = settings[letter] ?? KNOBS[letter].neutral;
    if (value === KNOBS[letter].neutral) continue;
    if (countKept(z)) z = KNOBS[letter].apply(z, value, ids);
    stages.push({ letter, value, z, nKept: countKept(z) });
  }
  return { stages, p: softmax(z) };
}

/** The token on which the number falls when the tokens lie side by side: its id and its interval. */
export function hit(p, u) {
  const high = new Float64Array(p.length);
  let total = 0;
  for (let i = 0; i < p.length; i++) high[i] = total += p[i];
  let token = high.findIndex((v) => v > u * total);
  if (token < 0) token = p.findLastIndex((v) => v > 0);
  return { token, low: (high[token] - p[token]) / total, high: high[token] / total };
}

/** A probability as it is printed: four digits, and a power of ten where these would all be 0. */
export const printed = (v) => (v > 0 && v < 1e-4 ? sized(v) : v.toFixed(4));

/** Settings as the address has them: letters with numbers, in order. */
export const spellKnobs = (settings) =>
  Object.entries(KNOBS)
    .filter(([letter, knob]) => (settings[letter] ?? knob.neutral) !== knob.neutral)
    .map(([letter]) => letter + Number(settings[letter].toFixed(6)))
    .join("");

/** A column as the address has it; core/rooms/strategies/spelling.py reads it. */
export function spellColumn({ kind, knobs = {}, seed = 0, beams = 4, penalty = 1, locked = false }) {
  const lock = locked ? "x" : "";
  if (kind === "beam") return `beam${beams}${penalty === 1 ? "" : `l${penalty}`}${lock}`;
  const text = spellKnobs(knobs);
  return (kind === "greedy" ? `greedy${text}` : (text || "softmax") + (seed ? `s${seed}` : "")) + lock;
}
