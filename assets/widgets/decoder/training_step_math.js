// The arithmetic of a frozen training step. Pure; tested with node.
import { chance, format } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/** -ln p, in nats; what is impossible costs without end. */
export const loss = (p) => (p > 0 ? Math.max(0, -Math.log(p)) : Infinity);

export const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;

/** What is left of 1 for all other tokens. */
export const rest = (rows) => Math.max(0, 1 - rows.reduce((sum, [, share]) => sum + share, 0));

/** "(1.30 + 1.29 + … + 0.00) / 11": the first ones, and the last. */
export function sumText(losses, shown = 4) {
  const parts = losses.map((v) => format(v, 2));
  const terms = parts.length > shown + 1 ? [...parts.slice(0, shown), "…", parts.at(-1)] : parts;
  return `(${terms.join(" + ")}) / ${losses.length}`;
}

/** What happens in one column, as a sentence. */
export function sentence({ inputs, targets, plain }, p, t) {
  const read = t === 0 ? quoted(inputs[0]) : labels("tokens_up_to", { n: t + 1, token: quoted(inputs[t]) });
  const values = { t, read, target: quoted(targets[t]), p: chance(p), loss: format(loss(p), 3) };
  return labels(plain ? "at_position.plain" : "at_position", values);
}
