// What became of a token of a batch with gaps, as letters and in words. Pure; tested with node.
import { labels } from "./labels.js";

export const FATES = [
  { letter: "", name: labels("fate.not_chosen") },
  { letter: labels("letter.masked"), name: labels("fate.masked") },
  { letter: labels("letter.replaced"), name: labels("fate.replaced") },
  { letter: labels("letter.unchanged"), name: labels("fate.unchanged") },
];

/** One sentence about a token: what the model reads there, and whether it is asked. */
export function told(row, place, read, truth, fate, never) {
  const where = labels("reads", { row: row + 1, i: place, token: read });
  if (never) return `${where} ${labels("asked.never")}`;
  if (fate === 0) return `${where} ${labels("asked.not_chosen")}`;
  const what = { 1: "masked", 2: read === truth ? "replaced_by_same" : "replaced", 3: "unchanged" }[fate];
  return `${where} ${labels(`asked.${what}`, { token: truth })}`;
}

/** How many tokens of a batch have each fate, special ones not counted. */
export function tally(fates, never) {
  const counts = [0, 0, 0, 0];
  fates.forEach((fate, i) => {
    if (!never[i]) counts[fate]++;
  });
  return counts;
}
