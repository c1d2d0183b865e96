// Squares whose areas are counts, on a stage that can show a million times more or less. Pure; tested with node.

/** The side of a square of `count` where a square of `whole` fills a stage of `side` pixels. */
export const sideOf = (count, whole, side) => side * Math.sqrt(count / whole);

/** Between two scales, t from 0 to 1: equal steps are equal factors, so that a zoom looks even. */
export const between = (from, to, t) => Math.exp(Math.log(from) + (Math.log(to) - Math.log(from)) * t);

/** The largest of the counts (rising) that fits the stage, by its place; the smallest if none does. */
export function largestIn(counts, whole) {
  let found = 0;
  counts.forEach((count, i) => {
    if (count <= whole * (1 + 1e-9)) found = i;
  });
  return found;
}

/**
 * Which names can be written: each stands in the top edge of its own square, outside of all smaller ones.
 * @param sides rising, in pixels; those beyond the stage are cut off by it
 * @returns for each whether there is room
 */
export function named(sides, stage, line, width) {
  return sides.map(
    (side, i) => side <= stage && side >= width && side - (i ? Math.min(sides[i - 1], side) : 0) >= line,
  );
}
