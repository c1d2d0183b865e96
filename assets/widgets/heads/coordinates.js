// One score of attention, coordinate by coordinate: what `core.nn.attention.attention_scores` sums up. Pure; tested
// with node.
import { capped } from "../drawing/formula.js";

/**
 * Operands: q.data (T, K), k.data (S, K), scale, the softcap of scores and bias.data (T, S) if there are such. In what
 * comes back `running` is the sum so far after each coordinate in `order`.
 */
export function pairTerms({ q, k, scale, softcap, bias }, row, column, bySize = false) {
  const d = q.shape[1];
  const nColumn = k.shape[0];
  const queries = [];
  const keys = [];
  const products = [];
  for (let i = 0; i < d; i++) {
    queries.push(q.data[row * d + i]);
    keys.push(k.data[column * d + i]);
    products.push(queries[i] * keys[i]);
  }
  const order = products.map((_, i) => i);
  if (bySize) order.sort((a, b) => Math.abs(products[b]) - Math.abs(products[a]) || a - b);
  let sum = 0;
  const running = order.map((i) => (sum += products[i]));
  const bound = capped(sum * scale, softcap);
  const added = bias ? bias.data[row * nColumn + column] : 0;
  return {
    q: queries,
    k: keys,
    products,
    order,
    running,
    dot: sum,
    scaled: sum * scale,
    bound,
    bias: added,
    score: bound + added,
  };
}

/** How many of the largest products one needs to have at least half of all that was added or taken away. */
export function halfOf(products) {
  const sizes = products.map(Math.abs).sort((a, b) => b - a);
  const total = sizes.reduce((a, b) => a + b, 0);
  let sum = 0;
  let n = 0;
  while (n < sizes.length && sum < total / 2) sum += sizes[n++];
  return n;
}
