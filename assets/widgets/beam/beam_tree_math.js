// The beam tree without its picture: which candidate continues which, and what a frame of the film shows. Pure; tested
// with node.

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

const many = (n, one, several) => (n === 1 ? `1 ${one}` : `${n.toLocaleString("en")} ${several}`);

/** One sentence on what a frame shows. */
export function sentence(header, frame) {
  const { step: s, decided } = frameAt(frame);
  const { steps, n_beam: B, n_token: V } = header;
  if (s < 0) return `The prompt. Step 1 looks at every token of the vocabulary, ${V.toLocaleString("en")} in all.`;
  const step = steps[s];
  const n = step.tokens.length;
  if (!decided) {
    const texts = s === 0 ? "the prompt" : many(keptOf(steps[s - 1]).length, "text", "texts");
    return `Step ${s + 1}: ${texts} × ${V.toLocaleString("en")} tokens are ${step.n_candidate.toLocaleString("en")} candidates. The best ${n} are called: 2B, so that B of them go on whatever ends.`;
  }
  const { kept, finished, pruned } = counts(step);
  const told = [
    kept ? `${kept} go${kept === 1 ? "es" : ""} on` : "",
    finished ? `${finished} ${finished === 1 ? "is" : "are"} finished` : "",
    pruned ? `${pruned} ${pruned === 1 ? "is" : "are"} dropped` : "",
  ];
  return `Step ${s + 1}: ${told.filter(Boolean).join(", ")}.${why(step, B)}`;
}

function why(step, B) {
  if (step.stop === "full") return ` The search ends: ${B} ${B === 1 ? "text is" : "texts are"} finished.`;
  if (step.stop === "hopeless") {
    return " The search ends: by the stopping rule, no text that goes on can still beat the worst finished one.";
  }
  if (step.stop === "length") return " The search ends: the length is used up, and what is cut off counts as finished.";
  if (step.stop === "impossible") return " The search ends: no token is possible any more.";
  return "";
}
