// A sentence through a whole model, as five sheets of glass, or more: what stands on each, and where. Pure.
import { ranking } from "../drawing/sampling.js";
import { chance } from "../drawing/elements.js";
import { word } from "../drawing/tokens.js";
import { forward } from "../engine/forward.js";
import { generate } from "../engine/generate.js";
import { labels } from "./labels.js";
import { firstWord } from "./writing.js";

const N_INSTEAD = 4;
const LONGEST = 12; // tokens of a word that is written letter by letter
const LEAST = 0.3; // weights below are no thread, but for the token that asks
const LEAST_ASKED = 0.08;

/** Words that the model itself expects where one stands that it does not know. */
export function instead(model, text, word) {
  const { known, tokens, read } = model.tokenizer;
  const { ids } = read(text.slice(0, text.indexOf(word)).trimEnd() || "\n", model.config.context_length);
  const logits = forward(model, { ids }, { keep: (name) => name === "logits" }).get("logits");
  const words = tokens(Array.from(ranking(logits.data.slice(-logits.shape[1]))));
  return words.filter((one) => known.has(one) && /^ ?\p{L}+$/u.test(one)).slice(0, N_INSTEAD);
}

/** The word that the model writes after some tokens, always the token that it expects most. */
export const nextWord = (model, ids) => firstWord(pieces(model, ids));

function* pieces(model, ids) {
  for (const { token } of generate(model, ids, LONGEST, { greedy: true })) yield model.tokenizer.decode([token]);
}

/** The token that a click holds, by the number in the address; null where there is no such token. */
export const heldToken = (text, nToken) => (/^\d+$/.test(text ?? "") && Number(text) < nToken ? Number(text) : null);

/** A token in a sentence: a word in quotes; a space is named, with the mark that stands for it in the picture. */
export const spoken = (token) => (token === " " ? labels("a_space", { mark: word(token) }) : `“${word(token)}”`);

/** A probability over a bar, short: .52, and <.01 where two digits would say 0. */
export const overBar = (p) => chance(p, 2).replace(/^(<?)0/, "$1");

/** Who reads whom in a layer, by the head that reads most: [{from, to, weight}, ...], the weakest first. */
export function threads({ weights, nToken, nHead }, layer, asks) {
  const data = weights(layer);
  const found = [];
  for (let to = 1; to < nToken; to++) {
    for (let from = 0; from < to; from++) {
      let weight = 0;
      for (let h = 0; h < nHead; h++) weight = Math.max(weight, data[(h * nToken + to) * nToken + from]);
      if (weight >= (to === asks ? LEAST_ASKED : LEAST)) found.push({ from, to, weight });
    }
  }
  return found.sort((a, b) => Number(a.to === asks) - Number(b.to === asks) || a.weight - b.weight);
}

/**
 * Where everything lies. A place on a sheet is (u, v): from its left to its right, and from its front to its back.
 *
 * @param {number} labels room at the right for the names of the sheets; 0: they stand on the sheets
 */
export function geometry(width, height, nSheet, labels) {
  const deep = Math.min(0.62 * (height / nSheet), 100); // of a sheet, on the screen; its back lies as far to the right
  const wide = (width - labels - deep - 8) / 1.06;
  const top = 52; // for the bars, which stand on the uppermost
  const pitch = (height - top - deep - 14) / (nSheet - 1);
  const left = 4 + 0.03 * wide;
  const front = height - 10;
  const place = (u, v, sheet) => [left + u * wide + v * deep, front - sheet * pitch - v * deep];
  /** From a picture of so many columns and rows to its place on a sheet; its first row is at the back. */
  const laid = (u, v, du, dv, columns, rows, sheet) => {
    const [x, y] = place(u, v + dv, sheet);
    return [(du * wide) / columns, 0, (-dv * deep) / rows, (dv * deep) / rows, x, y];
  };
  return { wide, deep, pitch, place, laid };
}

/** The middle of each token's column: as wide as its letters, all together from 0 to 1. */
export function columns(widths) {
  const total = widths.reduce((sum, one) => sum + one, 0);
  let at = 0;
  return widths.map((one) => {
    const u = (at + one / 2) / total;
    at += one;
    return { u, width: one / total };
  });
}
