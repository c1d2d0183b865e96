// A curve drawn by hand: where its places stand, and what a stroke does to their heights. Pure; tested with node.

/**
 * Places from 0 to 1. In proportion, unless the gaps are so unlike that neighbours would fall together: then evenly.
 */
export function spread(x) {
  const gaps = x.slice(1).map((v, i) => v - x[i]);
  const last = x[x.length - 1] - x[0];
  if (Math.max(...gaps) > 6 * Math.min(...gaps)) return x.map((_, i) => i / (x.length - 1));
  return x.map((v) => (v - x[0]) / last);
}

/** Which place is nearest to a position from 0 to 1. */
export function nearest(places, at) {
  let best = 0;
  places.forEach((p, i) => {
    if (Math.abs(p - at) < Math.abs(places[best] - at)) best = i;
  });
  return best;
}

/** Heights after a straight stroke [position, height] -> [position, height]: every place it passes lies on it. */
export function stroke(heights, places, from, to) {
  const out = heights.slice();
  const [left, right] = from[0] <= to[0] ? [from, to] : [to, from];
  places.forEach((p, i) => {
    if (p < left[0] || p > right[0] || right[0] === left[0]) return;
    out[i] = left[1] + ((right[1] - left[1]) * (p - left[0])) / (right[0] - left[0]);
  });
  out[nearest(places, to[0])] = to[1];
  return out;
}

/** How many places have no height yet. */
export const missing = (heights) => heights.filter((h) => h === null).length;

/** The range of the picture: from low to high, and farther where what came goes beyond. */
export function range(low, high, real) {
  const known = (real ?? []).filter(Number.isFinite);
  return [Math.min(low, ...known), Math.max(high, ...known)];
}
