// What the pictures of a page show of models that run here: each computation once, with what is chosen, as soon as its
// model is there. `core/ui/exhibit/browser_computation.py` is the other half.
import * as choices from "./choices.js";

const declared = new Map(); // name -> {at, chosen, run, last}

/**
 * @param {string} name
 * @param {{at: string, names: string[], chosen: () => any, run?: (chosen: any) => any, last?: any}} one `at`: choices,
 *   those of these names, as JSON, for which the server computed; `run` is there once the model is
 */
export function declare(name, one) {
  declared.set(name, one);
  choices.tell();
}

export const forget = (name) => declared.delete(name);

/** Whether all is known that a message depends on: its choices, and its computation. */
export const isKnown = ({ linked = {}, computed }) =>
  choices.areDeclared(linked) && (!computed || declared.has(computed));

/** Changes whenever the message means something else. */
export const stateOf = ({ linked = {}, computed }) =>
  JSON.stringify([Object.keys(linked).map(choices.valueOf), Boolean(declared.get(computed)?.run)]);

/** A part of what a computation gives; undefined where that of the server holds. */
export function part(name, of) {
  const one = declared.get(name);
  if (!one?.run) return undefined;
  const chosen = one.chosen();
  if (JSON.stringify(Object.fromEntries(one.names.map((given) => [given, chosen[given]]))) === one.at) return undefined;
  const at = JSON.stringify(chosen);
  try {
    if (one.last?.at !== at) one.last = { at, parts: one.run(chosen) };
    return one.last.parts[of];
  } catch (error) {
    console.error(error);
    one.run = undefined; // what cannot be computed here the server computes
    document.dispatchEvent(new Event("gf-tell"));
    return undefined;
  }
}

/** What a message looks its choices and computations up in. */
export const store = { index: choices.indexOf, chosen: choices.valueOf, computed: part };
