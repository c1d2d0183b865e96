// The beam tree without its picture: which candidate continues which, and what a frame of the film shows. Pure; tested
// with node.
import { grouped } from "../page/numbers.js";
import { labels } from "./labels.js";

/** Frame 0 is the prompt. Then each step has two: its candidates are called, and it is decided who goes on. */
export const countFrames = (steps) => 2 * steps.length + 1;

/** The newest step that a frame shows (-1: none yet), and whether it is decided. */
export const frameAt = (frame) => ({ step: Math.ceil(frame / 2) - 1, decided: frame % 2 === 0 });

/** What became of a candidate. */
export const fate = (step, c) => (step.finished[c] ? "finished" : step.kept[c] ? "kept" : "pruned");

/** The candidates of a step that go on; the k-th is parent k of the step after. */
export const keptOf = (step) => step.kept.flatMap((kept, c) => (kept ? [c] : []));

/** The candidates from the first step to candidate c of step s. */
export function path(steps, s, c) {
  const places = [c];
  for (let at = s; at > 0; at--) places.unshift(keptOf(steps[at - 1])[steps[at].parents[places[0]]]);
  return places;
}

/** Whether a path goes through candidate c of step s; without a path (null) none does. */
export const passes = (places, s, c) => places !== null && places[s] === c;

/** The tokens along a path. */
export const tokensOf = (steps, places) => places.map((c, s) => steps[s].tokens[c]);

/** log_prob / n ** length_penalty, as core.generate.beam computes it. */
export const normalized = (logProb, n, lengthPenalty) => logProb / n ** lengthPenalty;

/** Where a finished text stands in the tree: its path, or null while it is not there. */
export function placeOf(steps, tokens, upTo) {
  const s = tokens.length - 1;
  if (s < 0 || s > upTo) return null;
  for (let c = 0; c < steps[s].tokens.length; c++) {
    if (!steps[s].finished[c]) continue;
    const places = path(steps, s, c);
    if (tokensOf(steps, places).every((token, i) => token === tokens[i])) return places;
  }
  return null;
}

/** How many candidates of a step had each fate. */
export function counts(step) {
  const found = { kept: 0, finished: 0, pruned: 0 };
  step.tokens.forEach((_, c) => found[fate(step, c)]++);
  return found;
}

/** One sentence on what a frame shows. */
export function sentence(header, frame) {
  const { step: s, decided } = frameAt(frame);
  const { steps, n_beam: B, n_token: V } = header;
  if (s < 0) return labels("start", { n: grouped(V) });
  const step = steps[s];
  const n = step.tokens.length;
  if (!decided) {
    const [all, candidates] = [V, step.n_candidate].map((count) => grouped(count));
    const values = { step: s + 1, all, candidates, best: n };
    return s ? labels("called", { n: keptOf(steps[s - 1]).length, ...values }) : labels("called.first", values);
  }
  const { kept, finished, pruned } = counts(step);
  const fates = [
    kept ? labels("n_kept", { n: kept }) : "",
    finished ? labels("n_finished", { n: finished }) : "",
    pruned ? labels("n_pruned", { n: pruned }) : "",
  ];
  const told = labels("decided", { step: s + 1, fates: fates.filter(Boolean).join(", ") });
  return STOPS.includes(step.stop) ? `${told} ${labels(`stop.${step.stop}`, { n: B })}` : told;
}

const STOPS = ["full", "hopeless", "length", "impossible"]; // why a search ends
