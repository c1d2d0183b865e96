// Matrix products: nearly all of a model's work. Pure; tested with node.
import { makeProduct } from "./simd.js";
import { tensor } from "./tensor.js";

/** One row of x with one row of w, m numbers from these places on. */
function dot(x, w, at, from, m) {
  let sum = 0;
  for (let j = 0; j < m; j++) sum += x[at + j] * w[from + j];
  return sum;
}

/**
 * (T, M) with (N, M) -> (T, N): out[t, i] is the sum over j of x[t, j] w[i, j]. Each is somewhere in a longer array.
 *
 * Three rows of both at once make nine sums of six numbers read; one sum at a time takes twice as long.
 */
function plainProduct(x, xAt, w, wAt, out, outAt, nRow, m, n) {
  const wholeRows = nRow - (nRow % 3);
  const wholeColumns = n - (n % 3);
  for (let t = 0; t < wholeRows; t += 3) {
    const x0 = xAt + t * m;
    const x1 = x0 + m;
    const x2 = x1 + m;
    for (let i = 0; i < wholeColumns; i += 3) {
      const w0 = wAt + i * m;
      const w1 = w0 + m;
      const w2 = w1 + m;
      let a = 0;
      let b = 0;
      let c = 0;
      let d = 0;
      let e = 0;
      let f = 0;
      let g = 0;
      let h = 0;
      let k = 0;
      for (let j = 0; j < m; j++) {
        const p = x[x0 + j];
        const q = x[x1 + j];
        const r = x[x2 + j];
        const u = w[w0 + j];
        const v = w[w1 + j];
        const z = w[w2 + j];
        a += p * u;
        b += p * v;
        c += p * z;
        d += q * u;
        e += q * v;
        f += q * z;
        g += r * u;
        h += r * v;
        k += r * z;
      }
      const o = outAt + t * n + i;
      out[o] = a;
      out[o + 1] = b;
      out[o + 2] = c;
      out[o + n] = d;
      out[o + n + 1] = e;
      out[o + n + 2] = f;
      out[o + 2 * n] = g;
      out[o + 2 * n + 1] = h;
      out[o + 2 * n + 2] = k;
    }
  }
  for (let t = 0; t < nRow; t++) {
    for (let i = t < wholeRows ? wholeColumns : 0; i < n; i++) {
      out[outAt + t * n + i] = dot(x, w, xAt + t * m, wAt + i * m, m);
    }
  }
}

const product = makeProduct() ?? plainProduct;

/** (T, M) through a layer: weight (N, M), and a bias (N,) if there is one -> (T, N). */
export function linear(x, weight, bias = null) {
  const [nRow, m] = x.shape;
  const n = weight.shape[0];
  const out = tensor([nRow, n]);
  product(x.data, 0, weight.data, 0, out.data, 0, nRow, m, n);
  if (bias) for (let t = 0; t < nRow; t++) for (let i = 0; i < n; i++) out.data[t * n + i] += bias.data[i];
  return out;
}

/** (G, T, M) with (G, N, M) -> (G, T, N): the same in each of G places. */
export function products(x, w) {
  const [g, nRow, m] = x.shape;
  const n = w.shape[1];
  const out = tensor([g, nRow, n]);
  for (let i = 0; i < g; i++) product(x.data, i * nRow * m, w.data, i * n * m, out.data, i * nRow * n, nRow, m, n);
  return out;
}
