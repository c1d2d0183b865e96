// What one cell of the logit lens holds, and how it is said. Pure; tested with node.
import { grouped } from "../page/numbers.js";
import { format } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/** The cell of a frame: {top: [[word, probability], ...], rank, truth}; rank 0 where nothing is known. */
export function cellAt({ top, probabilities, rank, truth }, frame, row, column) {
  const [, nRow, nColumn, nTop] = top.shape;
  const place = (frame * nRow + row) * nColumn + column;
  const pairs = Array.from({ length: nTop }, (_, i) => [
    top.data[place * nTop + i],
    probabilities.data[place * nTop + i],
  ]);
  return { top: pairs, rank: rank.data[place], truth: truth.data[place] };
}

/** The first rank is 1, the second 1/2, …: a color for ranks that tells the first ones apart. */
export const bestRank = (rank) => (rank ? 1 / rank : 0);

/** A cell as a sentence. */
export function wordFor(layer, token, { rank, truth }, next) {
  const place = { layer, token: quoted(token) };
  if (next === null) return labels("at_last", place);
  return labels("at_cell", { ...place, next: quoted(next), rank: grouped(rank), p: format(truth, 3) });
}
