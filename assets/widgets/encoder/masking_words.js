// What became of a token of a batch with gaps, as letters and in words. Pure; tested with node.

export const FATES = [
  { letter: "", name: "not chosen" },
  { letter: "M", name: "masked" },
  { letter: "R", name: "replaced" },
  { letter: "U", name: "unchanged" },
];

/** One sentence about a token: what the model reads there, and whether it is asked. */
export function told(row, place, read, truth, fate, never) {
  const where = `Row ${row + 1}, position ${place}: the model reads “${read}”.`;
  if (never) return `${where} Special tokens and padding are never chosen, so nothing is asked here.`;
  if (fate === 0) return `${where} Not chosen: nothing is asked here, and nothing is learned from its answer.`;
  const what = {
    1: "Masked",
    2: read === truth ? "Replaced, by chance with the same word" : "Replaced",
    3: "Chosen, but left unchanged",
  }[fate];
  return `${where} ${what}: it is asked for “${truth}”.`;
}

/** How many tokens of a batch have each fate, special ones not counted. */
export function tally(fates, never) {
  const counts = [0, 0, 0, 0];
  fates.forEach((fate, i) => {
    if (!never[i]) counts[fate]++;
  });
  return counts;
}
