// A sentence through a whole model, as five sheets of glass, or more: what stands on each, and where. Pure.
import { softmax } from "../engine/filters.js";
import { forward } from "../engine/forward.js";

export const N_BAR = 6;
const LEAST = 0.3; // weights below are no thread, but for the token that asks
const LEAST_ASKED = 0.08;

/** What the pictures need of one pass. */
export function lookThrough(model, { ids, tokens, text }) {
  const taps = forward(model, { ids });
  const { n_layer: nLayer, n_head: nHead } = model.config;
  const logits = taps.get("logits");
  const layers = Array.from({ length: nLayer }, (_, l) => taps.get(`blocks.${l}.attn.weights`)); // (H, T, T) each
  const nToken = ids.length;
  const vocabSize = logits.shape[1];
  const probabilities = tokens.map((_, t) => softmax(logits.data.subarray(t * vocabSize, (t + 1) * vocabSize)));
  return { text, ids, tokens, nToken, nLayer, nHead, vocabSize, embed: taps.get("embed"), layers, probabilities };
}

/** The tokens that are expected most after one: [{id, p}, ...]. */
export function expected({ probabilities }, asks, n = N_BAR) {
  const p = probabilities[asks];
  const order = Array.from(p.keys()).sort((a, b) => p[b] - p[a] || a - b);
  return order.slice(0, n).map((id) => ({ id, p: p[id] }));
}

/** Who reads whom in a layer, by the head that reads it most: [{from, to, weight, head}, ...], the weakest first. */
export function threads({ layers, nToken, nHead }, layer, asks) {
  const { data } = layers[layer];
  const found = [];
  for (let to = 1; to < nToken; to++) {
    for (let from = 0; from < to; from++) {
      let head = 0;
      const weight = (h) => data[(h * nToken + to) * nToken + from];
      for (let h = 1; h < nHead; h++) if (weight(h) > weight(head)) head = h;
      if (weight(head) >= (to === asks ? LEAST_ASKED : LEAST)) found.push({ from, to, weight: weight(head), head });
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
  const deep = Math.min(0.62 * (height / nSheet), 100); // of a sheet, on the screen
  const slant = 1.0 * deep;
  const wide = (width - labels - slant - 8) / 1.06;
  const top = 52; // for the bars, which stand on the uppermost
  const pitch = (height - top - deep - 14) / (nSheet - 1);
  const left = 4 + 0.03 * wide;
  const front = height - 10;
  const place = (u, v, sheet) => [left + u * wide + v * slant, front - sheet * pitch - v * deep];
  /** From a picture of so many columns and rows to its place on a sheet; its first row is at the back. */
  const laid = (u, v, du, dv, columns, rows, sheet) => {
    const [x, y] = place(u, v + dv, sheet);
    return [(du * wide) / columns, 0, (-dv * slant) / rows, (dv * deep) / rows, x, y];
  };
  return { wide, deep, slant, pitch, place, laid };
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
