// The arithmetic of additive attention: v · tanh(W s + U h) as a sum over hidden units, and the softmax over the
// source.

/** operands: asked {data, shape [T, H]}, read {data, shape [S, H]}, v {data}. One term for each hidden unit. */
export function unitTerms({ asked, read, v }, t, s, bySize = false) {
  const n = v.data.length;
  const inner = new Float64Array(n);
  const products = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    inner[i] = asked.data[t * n + i] + read.data[s * n + i];
    products[i] = v.data[i] * Math.tanh(inner[i]);
  }
  const order = [...products.keys()];
  if (bySize) order.sort((a, b) => Math.abs(products[b]) - Math.abs(products[a]));
  let energy = 0;
  const running = order.map((i) => (energy += products[i]));
  return { inner, products, order, running, energy };
}

/** The energies of one output token over all source tokens, and what the softmax makes of one of them. */
export function share(operands, t, s) {
  const n = operands.read.shape[0];
  const energies = Array.from({ length: n }, (_, c) => unitTerms(operands, t, c).energy);
  const top = Math.max(...energies);
  const total = energies.reduce((sum, e) => sum + Math.exp(e - top), 0);
  return { energies, largest: top, total, weight: Math.exp(energies[s] - top) / total };
}

/** The i-th number of the context: the products of weight and state, largest weight first, and their sum. */
export function contextSum({ weights, states }, t, i, n = 3) {
  const [nSource, d] = states.shape;
  const row = Array.from(weights.data.subarray(t * nSource, (t + 1) * nSource));
  const order = [...row.keys()].sort((a, b) => row[b] - row[a]);
  const parts = order.map((s) => ({ s, weight: row[s], value: states.data[s * d + i] }));
  return {
    shown: parts.slice(0, n),
    sum: parts.reduce((sum, p) => sum + p.weight * p.value, 0),
    rest: Math.max(0, nSource - n),
  };
}
