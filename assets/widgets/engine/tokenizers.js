// Text into a model's tokens and back, as core/data/tokenizers does. Pure; tested with node.
import { bytePairs } from "./byte_pairs.js";
import { lastWords, ofTheEnd } from "./last_words.js";
import { normalized } from "./normalization.js";
import { printable, printableBytes, SPACES } from "./printable.js";

const LETTERS = "\\p{L}\\p{N}_";
const WORDS = new RegExp(` ?[${LETTERS}]+(?:['’][${LETTERS}]+)*| ?[^${LETTERS}${SPACES}]|[${SPACES}]`, "gu");
const [CLASS, MASK, UNKNOWN] = ["<class>", "<mask>", "<unknown>"];
const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * @typedef {{kind: string, vocabSize: number, encode: (text: string) => number[], decode: (ids: number[]) => string,
 *   token: (id: number) => string, split?: (text: string) => string[], known?: Set<string>, before?: number[]}} Cutter
 *   `known`: the pieces of its list; `before`: what it lays before every text
 */

const words = (text) => text.match(WORDS) ?? [];
const characters = (text) => [...text];

/** One entry for each piece of text; the last is for all that are not listed. */
function listed(kind, { vocabulary }, split) {
  const ids = new Map(vocabulary.map((piece, i) => [piece, i]));
  const unknown = vocabulary.length - 1;
  return {
    kind,
    split,
    known: new Set(vocabulary.slice(0, -1)),
    vocabSize: vocabulary.length,
    encode: (text) => split(text.toWellFormed()).map((piece) => ids.get(piece) ?? unknown),
    decode: (some) => some.map((id) => vocabulary[id]).join(""),
    token: (id) => (id === unknown ? UNKNOWN : printable(vocabulary[id])),
  };
}

/** Tokens that are strings of bytes. */
const ofBytes = (bytes) => ({
  vocabSize: bytes.length,
  decode: (ids) => decoder.decode(Uint8Array.from(ids.flatMap((id) => [...bytes[id]]))),
  token: (id) => printableBytes(bytes[id]) || `⟨unused ${id}⟩`,
});

function wordBytes({ words: list }) {
  const ids = new Map(list.map((word, i) => [word, i]));
  const bytes = [...list.map((word) => encoder.encode(word)), ...Array.from({ length: 256 }, (_, b) => [b])];
  return {
    ...ofBytes(bytes.map((one) => Uint8Array.from(one))),
    kind: "word_bytes",
    split: words,
    known: new Set(list),
    encode: (text) =>
      words(text.toWellFormed()).flatMap((word) =>
        ids.has(word) ? [ids.get(word)] : Array.from(encoder.encode(word), (b) => list.length + b),
      ),
  };
}

function bpe({ merges }) {
  const { bytes, encode } = bytePairs(merges);
  return { ...ofBytes(bytes), kind: "bpe", encode: (text) => encode(text.toWellFormed()) };
}

/** Around another one: `<class>` before every text, and `<mask>`, written into it, is a gap. */
function gaps({ base: told }) {
  const base = told?.kind === "gaps" ? null : cutter(told);
  if (!base) return null;
  const [classId, maskId] = [base.vocabSize, base.vocabSize + 1];
  const special = { [classId]: CLASS, [maskId]: MASK };
  return {
    ...base,
    vocabSize: base.vocabSize + 2,
    before: [classId],
    encode(text) {
      const [first, ...rest] = text.split(/ ?<mask>/);
      return [classId, ...base.encode(first), ...rest.flatMap((piece) => [maskId, ...base.encode(piece)])];
    },
    decode(ids) {
      let [text, plain] = ["", []];
      for (const id of [...ids, classId]) {
        if (id < base.vocabSize) {
          plain.push(id);
          continue;
        }
        text += base.decode(plain) + (id === maskId ? ` ${MASK}` : "");
        plain = [];
      }
      return text;
    },
    token: (id) => special[id] ?? base.token(id),
  };
}

const KINDS = {
  char: (data) => listed("char", data, characters),
  word: (data) => listed("word", data, words),
  word_bytes: wordBytes,
  bpe,
  gaps,
};

/** @returns {Cutter | null} */
function cutter(data) {
  const isOurs = data?.format === "glassformer-tokenizer" && data.version === 1 && Object.hasOwn(KINDS, data.kind);
  return isOurs ? KINDS[data.kind](data) : null;
}

/**
 * The tokenizer of a file of ours, `tokenizer.json`; null where only the server can read it.
 *
 * @param {any} data
 */
export function tokenizer(data) {
  const own = cutter(data);
  if (!own) return null;
  const checked = (ids) => {
    const wrong = ids.find((id) => !(id >= 0 && id < own.vocabSize));
    if (wrong === undefined) return ids;
    throw new RangeError(`token id ${wrong} is outside the vocabulary: ids go from 0 to ${own.vocabSize - 1}`);
  };
  const tokens = (ids) => checked(ids).map(own.token);
  return {
    ...own,
    decode: (ids) => own.decode(checked(ids)),
    tokens,
    /**
     * A text as the model reads it: words in the case that it knows, and of too many tokens the last `most`, from the
     * beginning of a word on. `cut` is how many there were, 0 where all are read; `end` the text that is read.
     * As core/inspect/model_inputs/model_and_text.py: encode_text.
     */
    read(text, most) {
      const found = normalized(own, text);
      const all = own.encode(found.text);
      if (all.length <= most) return { ...found, ids: all, tokens: tokens(all), cut: 0, end: found.text };
      const before = own.before ?? [];
      const kept = before.length < most ? before : [];
      const last = lastWords(own, kept.length ? all.slice(kept.length) : all, most - kept.length);
      const [ids, end] = [[...kept, ...last], own.decode(last)];
      return { ...ofTheEnd(own, found, end), ids, tokens: tokens(ids), cut: all.length, end };
    },
  };
}
