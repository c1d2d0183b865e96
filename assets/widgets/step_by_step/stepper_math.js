// One attention layer in float64, recomputed at every edit. Pure; tested with node against the layer in Python.
// Matrices are arrays of rows; q, k, v and what follows are arrays of heads.

/** A B */
export const product = (a, b) => a.map((row) => b[0].map((_, c) => row.reduce((sum, v, i) => sum + v * b[i][c], 0)));
export const transpose = (m) => m[0].map((_, c) => m.map((row) => row[c]));

/** exp(s) / sum of exp(s); minus infinity gives 0, and a row of nothing else gives zeros. */
export function softmaxRow(row) {
  const top = Math.max(...row);
  if (top === -Infinity) return row.map(() => 0);
  const exp = row.map((v) => Math.exp(v - top));
  const total = exp.reduce((a, b) => a + b, 0);
  return exp.map((v) => v / total);
}

const MATRICES = new Set(["x", "w_q", "w_k", "w_v", "w_o"]);

/**
 * Every tensor by name. given: matrices x, w_q, w_k, w_v, w_o, a mask (1 where a word may be read) and nHead; edits:
 * [[name, head, row, column, number], ...], each replaces a number on its way; the last one of a cell counts.
 */
export function compute(given, edits = []) {
  const { nHead } = given;
  const n = given.x.length;
  const dHead = given.w_q[0].length / nHead;
  const out = {};
  const heads = [...Array(nHead).keys()];

  /** Take a tensor in, with its edits. */
  const put = (name, tensor) => {
    const copy = MATRICES.has(name) ? [tensor.map((row) => [...row])] : tensor;
    for (const [of, h, r, c, v] of edits) if (of === name) copy[h][r][c] = v;
    return (out[name] = MATRICES.has(name) ? copy[0] : copy);
  };
  const split = (m) => heads.map((h) => m.map((row) => row.slice(h * dHead, (h + 1) * dHead)));

  Object.assign(out, { embedding: given.embedding, position: given.position, dHead, nWord: n });
  for (const name of MATRICES) put(name, given[name]);
  for (const name of ["q", "k", "v"]) put(name, split(product(out.x, out[`w_${name}`])));
  put(
    "dots",
    heads.map((h) => product(out.q[h], transpose(out.k[h]))),
  );
  put(
    "scores",
    out.dots.map((m) => m.map((row) => row.map((v) => v / Math.sqrt(dHead)))),
  );
  out.masked = out.scores.map((m) => m.map((row, r) => row.map((v, c) => (given.mask[r][c] ? v : -Infinity))));
  // What is printed under the softmax: e^s as it is, unless that number would be too large or too small to read.
  out.shift = out.masked.map((m) =>
    m.map((row) => {
      const top = Math.max(...row);
      return Math.abs(top) > 9 && top > -Infinity ? top : 0;
    }),
  );
  out.exp = out.masked.map((m, h) => m.map((row, r) => row.map((v) => Math.exp(v - out.shift[h][r]))));
  out.sum = out.exp.map((m) => m.map((row) => [row.reduce((a, b) => a + b, 0)]));
  put(
    "weights",
    out.masked.map((m) => m.map(softmaxRow)),
  );
  out.share = out.weights.map((m) => m.map((row) => [row.reduce((a, b) => a + b, 0)]));
  put(
    "heads",
    heads.map((h) => product(out.weights[h], out.v[h])),
  );
  out.concat = given.x.map((_, r) => heads.flatMap((h) => out.heads[h][r]));
  out.out = product(out.concat, out.w_o);
  return out;
}

/**
 * One number: head is ignored where there are none.
 * @param {Object<string, any>} t
 * @param {any[]} ref
 */
export function valueOf(t, [name, h, r, c]) {
  const tensor = t[name];
  return Array.isArray(tensor[0][0]) ? tensor[h][r][c] : tensor[r][c];
}

/** The largest difference between two computations, each relative to its size where that is above 1. */
export function largestDifference(t, other) {
  let largest = 0;
  let count = 0;
  for (const [name, flat] of Object.entries(other)) {
    const mine = t[name].flat(2);
    mine.forEach((v, i) => {
      count++;
      if (v !== flat[i]) largest = Math.max(largest, Math.abs(v - flat[i]) / Math.max(1, Math.abs(v)));
    });
  }
  return { largest, count };
}
