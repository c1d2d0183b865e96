// What a round says: pure; tested with node.
import { format } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/** The tokens of a round in their order: [name, p, q, ratio, u, outcome], the last one "corrected" or "more". */
export function cells(round) {
  const { guesses, last, corrected, share, u } = round;
  return [...guesses, [last, null, null, share, u, corrected ? "corrected" : "more"]];
}

/** How many tokens a round settles: those that stayed, and the last one. */
export const settled = (round) => round.guesses.filter(([, , , , , outcome]) => outcome === "accepted").length + 1;

/** Tokens and passes of the first n rounds. */
export function counted(rounds, n) {
  const tokens = rounds.slice(0, n).reduce((sum, round) => sum + settled(round), 0);
  return { tokens, passes: n, mean: n ? tokens / n : 0 };
}

const percent = (p) => (p < 0.001 ? (p === 0 ? "0" : labels("under")) : `${format(100 * p, p < 0.1 ? 1 : 0)}%`);

/** The refused guess that was nearest to a toss of a coin, as [round, token]; null if none was refused. */
export function closest(rounds) {
  let best = null;
  rounds.forEach(({ guesses }, r) =>
    guesses.forEach(([, , , ratio, , outcome], i) => {
      const far = Math.abs(ratio - 0.5);
      if (outcome === "refused" && (!best || far < best.far)) best = { far, place: [r, i] };
    }),
  );
  return best?.place ?? null;
}

/** Why a token is there, in two sentences; nGuess: of the round. */
export function why([name, p, q, ratio, u, outcome], nGuess = 1) {
  const token = quoted(name);
  if (outcome === "more") return labels(nGuess ? "why.more" : "why.unguessed", { token });
  if (outcome === "corrected") return labels("why.corrected", { token });
  const both = labels("draft_and_model", { token, draft: percent(q), model: percent(p) });
  if (outcome === "unread") return `${both} ${labels("why.unread")}`;
  if (ratio === 1) return `${both} ${labels("why.as_likely")}`;
  return `${both} ${labels(`why.${outcome}`, { chance: percent(ratio), u: format(u, 2) })}`;
}
