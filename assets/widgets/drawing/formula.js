// A formula and, under each symbol, the learner's own number: two aligned lines.
import { el, format } from "./elements.js";
import { labels } from "./labels.js";

/**
 * parts: [sign before, symbol, number, isHit?], texts or elements. A sign stays with what follows it when the line
 * wraps.
 */
export const formula = (parts) =>
  parts.map(([sign, symbol, number, isHit]) =>
    el(
      "span",
      { class: isHit ? "term hit" : "term" },
      sign ? el("span", { class: "op", text: sign }) : null,
      el("span", { class: "value" }, el("i", {}, symbol || "\u00a0"), el("span", { translate: "no" }, number)),
    ),
  );

/** Words for the depth Story, and what stands in their place from Numbers on. */
export const either = (plain, deep) => [
  el("span", { class: "gf-plain", text: plain }),
  el("span", { class: "gf-deep", text: deep }),
];

/** c tanh(x / c), which is never beyond c; without a c, x as it is. */
export const capped = (x, c) => (c ? c * Math.tanh(x / c) : x);

/** How a scale is called: after the root of a whole number, if it is one. */
export function rootOf(scale) {
  const inverse = 1 / scale ** 2;
  return Math.abs(inverse - Math.round(inverse)) < 1e-3 ? `1/√${Math.round(inverse)}` : labels("scale");
}

/** The scores of one row, computed here from what was sent: q · k × scale, bounded; or the scores themselves. */
export function rowScores({ q, k, scores, scale, softcap, empty }, row, nColumn) {
  const d = q.shape[1];
  const out = new Float64Array(nColumn);
  for (let c = 0; c < nColumn; c++) {
    if (empty?.[row * nColumn + c]) out[c] = -Infinity;
    else if (scores) out[c] = scores.data[row * nColumn + c];
    else {
      let sum = 0;
      for (let i = 0; i < d; i++) sum += q.data[row * d + i] * k.data[c * d + i];
      out[c] = capped(sum * scale, softcap);
    }
  }
  return out;
}

/** The largest of a row's scores, and the sum of e^(score − largest) over all; a sink is one more score in each row. */
export function rowSum(scores, sink = -Infinity) {
  const top = Math.max(...scores, sink);
  let total = Math.exp(sink - top);
  for (const v of scores) total += Math.exp(v - top);
  return { top, total };
}

/** How one attention weight comes about: q · k, scale, bound, bias if there are such, the softmax over the row. */
export function attentionFormula(operands, row, column, weight, nColumn) {
  const { q, k, scale, softcap, sink } = operands;
  const d = q.shape[1];
  const terms = [];
  let dot = 0;
  for (let i = 0; i < d; i++) {
    const [a, b] = [q.data[row * d + i], k.data[column * d + i]];
    dot += a * b;
    if (i < (d > 8 ? 4 : 8)) terms.push(`${format(a, 2)}×${format(b, 2)}`);
  }
  const s = rowScores(operands, row, nColumn);
  const { top, total } = rowSum(s, sink);
  const bound = capped(dot * scale, softcap);
  const bias = s[column] - bound;
  const shift = Math.abs(top) > 20 ? top : 0; // e^s as it is, unless that number would be too large to read
  const first = terms.join(" + ").replaceAll("+ −", "− ");
  const products = d > 8 ? labels("first_products", { first, n: d }) : first;
  return formula([
    ["", "q · k", products],
    ["=", "", format(dot)],
    ...(scale === 1 ? [] : [["×", rootOf(scale), format(scale)]]),
    ...(softcap ? [["→", `${softcap} · tanh(x / ${softcap})`, format(bound)]] : []),
    ...(Math.abs(bias) > 1e-4 ? [["+", labels("bias"), format(bias)]] : []),
    ["=", labels("score"), format(s[column])],
    ["→", shift ? labels("exp_below_largest") : "e^s", format(Math.exp(s[column] - shift))],
    ["/", sink === undefined ? labels("row_sum") : labels("row_and_sink_sum"), format(total * Math.exp(top - shift))],
    ["=", labels("weight"), format(weight, 4), true],
  ]);
}
