// The chain rule in numbers: surprise, running sums, products too small to print, and a cell's own arithmetic. Pure.
import { fixed, localized } from "../page/numbers.js";
import { labels } from "./labels.js";

export const surprise = (p) => (p > 0 ? Math.max(0, -Math.log(p)) : Infinity);

/** The sum of the surprises up to each token, in nats. */
export function running(ps) {
  let sum = 0;
  return ps.map((p) => (sum += surprise(p)));
}

const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** exp(-nats) as "3.2·10⁻⁷", from the sum of logs, so that no product is too small. */
export function product(nats) {
  if (!Number.isFinite(nats)) return "0";
  const tens = -nats / Math.LN10;
  let power = Math.floor(tens + 1e-12);
  let lead = (10 ** (tens - power)).toFixed(1);
  if (lead === "10.0") {
    power += 1;
    lead = "1.0";
  }
  return power === 0
    ? localized(lead)
    : `${localized(lead)}·10${[...String(power)].map((sign) => RAISED[sign]).join("")}`;
}

/** What stands at the right edge of a row. */
export function totals(ps) {
  const nats = ps.reduce((sum, p) => sum + surprise(p), 0);
  return { product: product(nats), nats, perplexity: Math.exp(nats / ps.length) };
}

/** A probability in at most five letters. */
export function brief(p) {
  if (p <= 0) return "0";
  if (p >= 0.995) return p >= 1 - 1e-9 ? "1" : "~1";
  if (p >= 0.0995) return fixed(p, 2).slice(1);
  if (p >= 0.00995) return fixed(p, 3).slice(1);
  return p.toExponential(0).replace("e-", "e−");
}

const round = (v) => (Number.isInteger(v) ? `${v}` : localized(v.toPrecision(3)));

/** How a table of counts comes to the probability of token t: sentences to be read one after the other. */
export function counts(cell, tokens, t, { order, smoothing, vocab }) {
  const words = tokens
    .slice(t + 1 - cell.context, t + 1)
    .map((token) => `“${token}”`)
    .join(" ");
  const token = `“${tokens[t + 1]}”`;
  const said = [];
  if (cell.context < order - 1) {
    const isStart = t + 1 < order - 1 && cell.context === t + 1;
    const never = cell.context ? "never_occurred" : "never_occurred_alone";
    said.push(labels(isStart ? "few_before" : never, { context: cell.context, all: order - 1 }));
  }
  const [count, total] = [round(cell.count), round(cell.total)];
  const p = cell.p.toPrecision(3);
  said.push(labels(cell.context ? "occurred_after" : "occurred", { n: cell.count, token, count, words, total }));
  if (smoothing === "mle") {
    said.push(cell.total ? labels("counted", { count, total, p }) : labels("nothing_to_divide"));
  } else if (smoothing === "laplace") {
    said.push(labels("counted_laplace", { count, total, vocab, p }));
  } else {
    const [types, lower] = [round(cell.types), cell.lower.toPrecision(3)];
    said.push(labels("counted_interpolated", { count, total, types, lower, p }));
  }
  return said;
}
