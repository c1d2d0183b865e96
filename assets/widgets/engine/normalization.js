// A text read with the words that a model knows, as core/data/tokenizers/known_word_normalization.py. Tested with node.
import { strip } from "./printable.js";

const GAPS = /( ?<mask>)/;

/**
 * Each word in the case, and with the space before it, that the tokenizer has in its list; one without a list reads all
 * as it is.
 *
 * @param {import("./tokenizers.js").Cutter} own
 * @returns {{text: string, changed: [string, string][], unknown: string[]}} words as typed and as read; and those that
 *   are in no case
 */
export function normalized({ kind, split, known, before }, text) {
  if (!known) return { text, changed: [], unknown: [] };
  const changed = new Map();
  const unknown = new Set();
  const whole = text.toWellFormed();
  const parts = before ? whole.split(GAPS) : [whole];
  const pieces = parts.flatMap((part) => {
    if (before && part.replace(/^ +| +$/g, "") === "<mask>") return [part];
    return split(part).map((piece) => {
      const form = knownForm(piece, known, kind !== "char");
      const bare = strip(piece);
      if (form === null) unknown.add(bare);
      else if (strip(form) !== bare) changed.set(bare, strip(form));
      return form ?? piece;
    });
  });
  unknown.delete("");
  return { text: pieces.join(""), changed: [...changed], unknown: [...unknown] };
}

/** The piece as the list has it: as it is, in another case, or (a word) with a space before it; else null. */
export function knownForm(piece, known, isWord) {
  if (known.has(piece)) return piece;
  const bare = piece.startsWith(" ") && piece.length > 1 ? piece.slice(1) : piece;
  const before = piece.slice(0, piece.length - bare.length);
  const spaces = isWord && /^[\p{L}\p{N}]/u.test(bare) ? [before, " "] : [before];
  const forms = isWord ? [bare, capitalized(bare), bare.toLowerCase()] : [bare, swapped(bare)];
  for (const space of spaces) {
    for (const form of forms) if (known.has(space + form)) return space + form;
  }
  return null;
}

/** As Python's str.capitalize. The rest is made small with the first letter before it: a Σ at the end needs to know. */
function capitalized(text) {
  const [first] = text;
  return titled(first) + text.toLowerCase().slice(first.toLowerCase().length);
}

// JavaScript knows no title case: the letters that have one of their own, such as ǅ, by their small ones.
const TITLES = new Map(
  Array.from({ length: 0x2000 }, (_, code) => String.fromCharCode(code))
    .filter((c) => /\p{Lt}/u.test(c))
    .map((c) => [c.toLowerCase(), c]),
);
const MORE_CAPITALS = /(?<=\p{Lu}.*)\p{Lu}/gu; // ß becomes SS, but Ss at the beginning of a word

function titled(c) {
  if (/[\u10d0-\u10ff]/.test(c)) return c; // Georgian has capitals, but begins no word with one
  const small = (capital) => (capital === "\u0399" ? "\u0345" : capital.toLowerCase()); // the iota below a Greek letter
  return TITLES.get(c.toLowerCase()) ?? c.toUpperCase().replace(MORE_CAPITALS, small);
}

/** One character, as Python's str.swapcase; a letter in title case stays. */
function swapped(c) {
  if (/\p{Uppercase}/u.test(c)) return c.toLowerCase();
  return /\p{Lowercase}/u.test(c) ? c.toUpperCase() : c;
}
