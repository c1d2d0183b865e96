// Which rows of the cache are new at a step, and what the step says. Pure; tested with node.
import { format } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/** Step 0 reads the prompt, each further step one token: how many rows there are then, and how many of them are new. */
export function rowsAt(step, nPrompt) {
  return step === 0 ? { count: nPrompt, fresh: nPrompt } : { count: nPrompt + step, fresh: 1 };
}

/** The row that the query of this step reads most from. */
export function strongest(weights, count) {
  let best = 0;
  for (let r = 1; r < count; r++) if (weights[r] > weights[best]) best = r;
  return best;
}

/** One sentence about a step. */
export function sentence(step, nPrompt, tokens, weights) {
  const { count, fresh } = rowsAt(step, nPrompt);
  const best = strongest(weights, count);
  const told = { step, most: quoted(tokens[best]), weight: format(weights[best], 2), written: quoted(tokens[count]) };
  if (step === 0) return labels("reads_prompt", { n: fresh, ...told });
  return labels("reads", { token: quoted(tokens[count - 1]), n: count - 1, ...told });
}
