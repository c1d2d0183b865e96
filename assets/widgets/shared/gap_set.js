// Which words of a text are hidden. Pure; tested with node.
import { fixed } from "../page/numbers.js";
import { labels } from "./labels.js";

/** The gaps after a click on place i; places of `never` stay as they are. */
export function toggled(gaps, i, never) {
  if (never.includes(i)) return gaps;
  return gaps.includes(i) ? gaps.filter((one) => one !== i) : [...gaps, i].sort((a, b) => a - b);
}

/** A probability as it is printed in a bar. */
export const printed = (p) => (p >= 0.9995 ? "100%" : p < 0.001 ? "<0.1%" : `${fixed(100 * p, 1)}%`);

/** What the model says at a place, in a sentence. */
export function said(token, isGap, words, chances, truth) {
  const best = `“${words[0]}” ${printed(chances[0])}`;
  const key = isGap ? "gap" : words[0] === token ? "read_and_said" : "read_not_said";
  return labels(key, { token, best, truth: printed(truth) });
}
