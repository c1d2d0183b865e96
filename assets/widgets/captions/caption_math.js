// A caption, word by word. Pure; tested with node.
import { printed } from "../shared/gap_set.js";

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

/** One step in a sentence. */
export function told({ words, top, reads, names, grid, heads }, chances, map, t, head) {
  const { row, column, weight } = strongest(map, grid[1]);
  const where =
    grid[0] * grid[1] === 1 ? "the one vector" : `most in row ${row}, column ${column} (${weight.toFixed(2)})`;
  const which = names.length > 1 ? ` of the ${names[reads[t]]}` : "";
  const chosen = top[t].indexOf(words[t]);
  return `Word ${t + 1} of ${words.length}: “${words[t]}”, ${printed(chances[t * top[t].length + Math.max(0, chosen)])}. ${head ? `Head ${heads[head]}` : "The mean of all heads"} reads ${where}${which}.`;
}
