// A caption, word by word. Pure; tested with node.
import { el, percent } from "../drawing/elements.js";
import { fixed } from "../page/numbers.js";
import { printed } from "../shared/gap_set.js";
import { labels } from "./labels.js";

const MOST = 0.75; // of the weight

/** The map of one head at one word: (1 + L H, T, rows, columns) cut to its patches. */
export function mapOf({ data, shape: [, T, rows, columns] }, head, t) {
  const n = rows * columns;
  const from = (head * T + t) * n;
  return data.subarray(from, from + n);
}

/** The patch with the most weight: {row, column, weight}. */
export function strongest(map, columns) {
  let best = 0;
  for (let i = 1; i < map.length; i++) if (map[i] > map[best]) best = i;
  return { row: Math.floor(best / columns), column: best % columns, weight: map[best] };
}

/** Weights for N pictures of which one is read: nothing on the others. */
export function laid(map, n, read) {
  const out = new Float32Array(n * map.length).fill(NaN);
  out.set(map, read * map.length);
  return out;
}

/** The words up to word t as a line of text: no space before a sign. */
export const spoken = (words, t = words.length) =>
  words.slice(0, t).join(" ").replaceAll(" ,", ",").replaceAll(" .", ".");

/** The fewest patches with most of the weight: {n, share}. */
export function fewest(map, enough = MOST) {
  const falling = [...map].sort((a, b) => b - a);
  let share = 0;
  let n = 0;
  while (n < falling.length && share < enough) share += falling[n++];
  return { n, share };
}

/** How few patches one word reads, in the picture's one sentence; of a single head, the patch it reads most. */
export function patchSentence({ words, grid }, map, t, head) {
  const key = (text) => el("b", { class: "gf-key-number", text });
  if (!head) {
    const { n, share } = fewest(map);
    return labels.parts("sentence_mean", { word: words[t], share: key(percent(share)), n, all: map.length });
  }
  const { row, column, weight } = strongest(map, grid[1]);
  return labels.parts("sentence", { word: words[t], share: key(percent(weight)), row: row + 1, column: column + 1 });
}

/** One step in words. */
export function told({ words, top, reads, names, grid, heads }, chances, map, t, head) {
  const { row, column, weight } = strongest(map, grid[1]);
  const p = printed(chances[t * top[t].length + Math.max(0, top[t].indexOf(words[t]))]);
  const said = labels("word_of", { n: t + 1, all: words.length, word: words[t], p });
  const key = grid[0] * grid[1] === 1 ? "reads_vector" : "reads_patch";
  const reader = head ? labels("head", { head: heads[head] }) : labels("mean_head");
  const values = { reader, row: row + 1, column: column + 1, weight: fixed(weight, 2), picture: names[reads[t]] };
  return `${said} ${labels(names.length > 1 ? `${key}.of` : key, values)}`;
}
