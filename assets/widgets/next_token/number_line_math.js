// The number line of one step, as it was computed for all steps. Pure; tested with node.

const SURE = 0.9; // a piece so wide is hit by nearly any number

/**
 * @param {{names: string[]}} header
 * @param {Record<"taken" | "draws" | "ids" | "low" | "high", {shape: number[], data: ArrayLike<number>}>} arrays
 * @param {number} step
 */
export function lineAt({ names }, { taken, draws, ids, low, high }, step) {
  const most = ids.shape[1];
  const pieces = Array.from({ length: most }, (_, i) => step * most + i)
    .filter((i) => ids.data[i] >= 0)
    .map((i) => ({ id: ids.data[i], name: names[ids.data[i]], from: low.data[i], to: high.data[i] }));
  const width = ({ from, to }) => to - from;
  return {
    u: draws.data[step],
    pieces,
    taken: pieces.find(({ id }) => id === taken.data[step]),
    best: pieces.reduce((best, one) => (width(one) > width(best) ? one : best)),
  };
}

/** How wide the piece is that a step took. */
export function chanceAt({ taken, ids, low, high }, step) {
  const most = ids.shape[1];
  const at = step * most + ids.data.slice(step * most, (step + 1) * most).indexOf(taken.data[step]);
  return high.data[at] - low.data[at];
}

/** Which sentence is true of a step: NaN where no number was drawn. */
export function sentenceKey(u, taken, best) {
  if (Number.isNaN(u)) return "greedy";
  if (taken !== best) return "lost";
  return taken.to - taken.from >= SURE ? "sure" : "won";
}
