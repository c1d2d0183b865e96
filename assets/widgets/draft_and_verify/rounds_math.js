// What a round says: pure; tested with node.
import { format } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";

export const N_ROWS = 3; // passes that are seen at a time

/** The pass of a moment, and whether the large model has checked it. Each pass has two: guessed, then checked. */
export const momentOf = (step) => ({ now: Math.floor(step / 2), isChecked: step % 2 === 1 });

/** The tokens of a round in their order: [name, p, q, ratio, u, outcome], the last one "corrected" or "more". */
export function cells({ guesses, last, corrected, share, u }, isChecked = true) {
  if (!isChecked) return guesses.map((guess) => [...guess.slice(0, 5), "drafted"]);
  return [...guesses, [last, null, null, share, u, corrected ? "corrected" : "more"]];
}

/** How many tokens a round settles: those that stayed, and the last one. */
export const settled = (round) => round.guesses.filter(([, , , , , outcome]) => outcome === "accepted").length + 1;

/** How many tokens the first n rounds settle. */
export const settledBy = (rounds, n) => rounds.slice(0, n).reduce((sum, round) => sum + settled(round), 0);

const percent = (p) => (p < 0.001 ? (p === 0 ? "0%" : labels("under")) : `${format(100 * p, p < 0.1 ? 1 : 0)}%`);

/** What happens in a round, in one sentence. */
export function happened({ guesses }, isChecked) {
  if (!guesses.length) return labels("pass.unguessed");
  if (!isChecked) return labels("pass.drafted");
  const at = guesses.findIndex(([, , , , , outcome]) => outcome === "refused");
  if (at < 0) return labels("pass.kept");
  const [name, p, q] = guesses[at];
  const told = { token: quoted(name.trim()), model: percent(p), draft: percent(q) };
  return labels(at < guesses.length - 1 ? "pass.refused" : "pass.refused_last", told);
}

/** Why a token is there, in two sentences; nGuess: of the round. */
export function why([name, p, q, ratio, u, outcome], nGuess = 1) {
  const token = quoted(name);
  if (outcome === "more") return labels(nGuess ? "why.more" : "why.unguessed", { token });
  if (outcome === "corrected") return labels("why.corrected", { token });
  if (outcome === "drafted") return labels("why.drafted", { token, draft: percent(q) });
  const both = labels("draft_and_model", { token, draft: percent(q), model: percent(p) });
  if (outcome === "unread") return `${both} ${labels("why.unread")}`;
  if (ratio === 1) return `${both} ${labels("why.as_likely")}`;
  return `${both} ${labels(`why.${outcome}`, { chance: percent(ratio), u: format(u, 2) })}`;
}
