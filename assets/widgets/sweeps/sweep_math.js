// A sweep as numbers: which runs are in sight, where their lines go, the cells of two settings. Pure; tested with node.
// A run is {at: [place on each axis], scores: [loss at each rung, or null], …}; a place is a tick, or between two.

/** @typedef {{at: number[], scores: (number | null)[], rung: number}} Run */

/**
 * Which runs are in sight.
 * @param {Run[]} runs
 * @param {Map<number, number>} picked axis -> the tick that a run must be at, or nearest to
 * @param {number | null} best none that is worse than this at the rung
 * @param {number} rung
 */
export function inSight(runs, picked, best, rung) {
  return runs.map(
    (run) =>
      [...picked].every(([axis, tick]) => Math.round(run.at[axis]) === tick) &&
      (best === null || (run.scores[rung] !== null && run.scores[rung] <= best)),
  );
}

/** The ends of the scale: the best score, and one that a tenth of all is worse than: a diverged run hides none. */
export function limits(scores) {
  const known = scores.filter((score) => score !== null).sort((a, b) => a - b);
  if (!known.length) return null;
  const high = known[Math.min(known.length - 1, Math.floor(0.9 * known.length))];
  return { low: known[0], high: high > known[0] ? high : known[0] + 1e-3, more: known[known.length - 1] > high };
}

/** From 0, the best, to 1, the upper end of the scale or above. */
export const level = (score, { low, high }) => Math.min(1, Math.max(0, (score - low) / (high - low)));

/** The runs from the best to the worst at a rung; those without a score there come last. */
export function ranked(runs, rung) {
  const order = runs.map((_, i) => i);
  const score = (i) => runs[i].scores[rung] ?? Infinity;
  return order.sort((a, b) => (score(a) === score(b) ? a - b : score(a) - score(b)));
}

/**
 * Cells of two axes: of each pair of ticks the best score in sight, by which run, and of how many.
 * @param {Run[]} runs
 * @param {boolean[]} sight
 * @param {[number, number]} axes across, down
 * @param {[number, number]} sizes ticks of both
 * @param {number} rung
 */
export function cells(runs, sight, axes, sizes, rung) {
  const found = Array.from({ length: sizes[1] }, () =>
    Array.from({ length: sizes[0] }, () => ({ score: null, run: -1, n: 0 })),
  );
  runs.forEach((run, i) => {
    if (!sight[i]) return;
    const cell = found[Math.round(run.at[axes[1]])][Math.round(run.at[axes[0]])];
    cell.n++;
    const score = run.scores[rung];
    if (score !== null && (cell.score === null || score < cell.score)) Object.assign(cell, { score, run: i });
  });
  return found;
}

/**
 * Beside one another instead of on one another: where a run passes each axis among those of the same tick, from
 * -0.5 to 0.5; the better ones lower.
 */
export function lanes(runs, order) {
  const found = runs.map((run) => run.at.map(() => 0));
  for (let k = 0; k < (runs[0]?.at.length ?? 0); k++) {
    for (const at of new Set(order.map((i) => runs[i].at[k]))) {
      const group = order.filter((i) => runs[i].at[k] === at);
      group.forEach((i, n) => (found[i][k] = group.length < 2 ? 0 : n / (group.length - 1) - 0.5));
    }
  }
  return found;
}

/** How far a point is from a chain of points. */
export function distance([x, y], chain) {
  let least = Infinity;
  for (let k = 1; k < chain.length; k++) {
    const [x1, y1] = chain[k - 1];
    const [dx, dy] = [chain[k][0] - x1, chain[k][1] - y1];
    const t = Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - x1 - t * dx, y - y1 - t * dy));
  }
  return least;
}
