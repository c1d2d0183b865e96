// Of a long text its last tokens, from the beginning of a word on, as core/inspect/model_inputs/model_and_text.py.
import { strip } from "./printable.js";

const OF_A_WORD = /^[\p{L}\p{N}\p{M}_'’]/u;
const MOST_OF_A_WORD = 32; // tokens that are looked at for the beginning of a word

/**
 * The last tokens, at most so many; of one endless word all of them.
 *
 * @param {{decode: (ids: number[]) => string}} own
 * @param {number[]} ids
 * @param {number} most
 */
export function lastWords(own, ids, most) {
  const last = ids.slice(ids.length - most);
  const whole = own.decode(ids);
  for (let k = 0; k < Math.min(most, MOST_OF_A_WORD); k++) {
    const end = own.decode(last.slice(k));
    if (!end || !whole.endsWith(end)) continue;
    const before = [...whole.slice(0, whole.length - end.length)].at(-1);
    if (before === undefined || !(OF_A_WORD.test(before) && OF_A_WORD.test(end))) return last.slice(k);
  }
  return last;
}

/**
 * What is to be said of the end of a text, where no more of it is read.
 *
 * @param {import("./tokenizers.js").Cutter} own
 * @param {{text: string, changed: [string, string][], unknown: string[]}} found of all of it
 * @param {string} end
 */
export function ofTheEnd({ split }, found, end) {
  const pieces = new Set(split ? split(end).map(strip) : []);
  const { changed, unknown } = found;
  return {
    ...found,
    changed: changed.filter(([, known]) => pieces.has(known)),
    unknown: unknown.filter((one) => pieces.has(one)),
  };
}
