// Every knob of sampling, stage by stage. Pure; tested with node.
import { fixed } from "../page/numbers.js";
import { sized } from "../drawing/ngram_words.js";
import * as filters from "../engine/filters.js";

/** By letter, in the order in which they are applied: the number that changes nothing, what it does. */
export const KNOBS = {
  r: { neutral: 1, apply: filters.repetitionPenalty },
  n: { neutral: 0, apply: filters.noRepeatNgram },
  t: { neutral: 1, apply: filters.temperature },
  k: { neutral: 0, apply: filters.topK },
  p: { neutral: 1, apply: filters.topP },
  m: { neutral: 0, apply: filters.minP },
  y: { neutral: 1, apply: filters.typicalP },
  e: { neutral: 0, apply: filters.epsilon },
  h: { neutral: 0, apply: filters.eta },
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
  return { stages, p: filters.softmax(z) };
}

/** A probability as it is printed: four digits, and a power of ten where these would all be 0. */
export const printed = (v) => (v > 0 && v < 1e-4 ? sized(v) : fixed(v, 4));

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
