// The arithmetic of a frozen training step. Pure; tested with node.
import { chance, format } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";

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
  const read = t === 0 ? quoted(inputs[0]) : `the ${t + 1} tokens up to ${quoted(inputs[t])}`;
  const cost = plain ? format(loss(p), 3) : `−ln ${chance(p)} = ${format(loss(p), 3)} nats`;
  return `Position ${t}: it has read ${read}; the answer is ${quoted(targets[t])}. It gave that ${chance(p)}, so the loss is ${cost}.`;
}
