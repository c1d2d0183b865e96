// Cross-attention, one head and one output token at a time. Pure; tested with node.
import { fixed } from "../page/numbers.js";
import { visible } from "../drawing/tokens.js";
import { labels } from "./labels.js";

/** One head of weights (N, T, S), q (N, T, K), k and v (N, S, K): as operands of `formula.js`; weights by row. */
export function headOf({ weights, q, k, v }, head) {
  const cut = ({ data, shape: [, a, b] }) => ({ data: data.subarray(head * a * b, (head + 1) * a * b), shape: [a, b] });
  const own = cut(weights);
  const n = own.shape[1];
  return {
    q: cut(q),
    k: cut(k),
    v: cut(v),
    weights: { n, row: (t) => Array.from(own.data.subarray(t * n, (t + 1) * n)) },
  };
}

/** The source token that is read most for output token t. */
export function strongest(weights, t) {
  const row = weights.row(t);
  return row.indexOf(Math.max(...row));
}

/** What comes out of the head for output token t: the values, mixed by their weights. */
export function mixture({ weights, v }, t) {
  const [S, K] = v.shape;
  const row = weights.row(t);
  const out = new Array(K).fill(0);
  for (let s = 0; s < S; s++) for (let i = 0; i < K; i++) out[i] += row[s] * v.data[s * K + i];
  return out;
}

/** One step in a sentence. */
export function spoken({ rows, writes, columns }, weights, t) {
  const s = strongest(weights, t);
  return labels("spoken", {
    ...{ n: t + 1, all: rows.length, after: visible(rows[t]), written: visible(writes[t]) },
    ...{ token: visible(columns[s]), weight: fixed(weights.row(t)[s], 2) },
  });
}
