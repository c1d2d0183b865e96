// Numbers with a shape, as torch has them, but without a batch: one text at a time. Pure; tested with node.

/** @typedef {{shape: number[], data: Float32Array}} Tensor in rows: the last place runs fastest */

/** How many numbers a shape holds. */
export const sizeOf = (shape) => shape.reduce((n, one) => n * one, 1);

/** @returns {Tensor} zeros, or the numbers given */
export function tensor(shape, data = new Float32Array(sizeOf(shape))) {
  if (data.length !== sizeOf(shape)) throw new Error(`${data.length} numbers do not fill ${shape.join(" x ")}`);
  return { shape, data };
}

/** The same, to be changed. */
export const copy = (x) => tensor(x.shape, x.data.slice());

/** x + y of one shape. */
export function add(x, y) {
  const out = x.data.slice();
  for (let i = 0; i < out.length; i++) out[i] += y.data[i];
  return tensor(x.shape, out);
}

/** One function of each number. */
export function map(x, f) {
  const out = new Float32Array(x.data.length);
  for (let i = 0; i < out.length; i++) out[i] = f(x.data[i]);
  return tensor(x.shape, out);
}

/** (T, D) the rows of these numbers of a table (N, D). */
export function pick(table, ids) {
  const d = table.shape[1];
  const out = tensor([ids.length, d]);
  ids.forEach((id, t) => out.data.set(table.data.subarray(id * d, (id + 1) * d), t * d));
  return out;
}

/** (T, D) above (S, D): their rows below one another. */
export function concat(x, y) {
  const out = tensor([x.shape[0] + y.shape[0], x.shape[1]]);
  out.data.set(x.data);
  out.data.set(y.data, x.data.length);
  return out;
}

/** (T, H K) -> (H, T, K): each head's share of every row. */
export function split(x, nHead) {
  const [n, width] = x.shape;
  const k = width / nHead;
  const out = tensor([nHead, n, k]);
  for (let h = 0; h < nHead; h++) {
    for (let t = 0; t < n; t++) {
      const from = t * width + h * k;
      out.data.set(x.data.subarray(from, from + k), (h * n + t) * k);
    }
  }
  return out;
}

/** (H, T, K) -> (T, H K): the heads side by side. */
export function join(x) {
  const [nHead, n, k] = x.shape;
  const out = tensor([n, nHead * k]);
  for (let h = 0; h < nHead; h++) {
    for (let t = 0; t < n; t++) {
      const from = (h * n + t) * k;
      out.data.set(x.data.subarray(from, from + k), (t * nHead + h) * k);
    }
  }
  return out;
}

/** (G, N, M) -> (G, M, N) */
export function transpose(x) {
  const [g, n, m] = x.shape;
  const out = tensor([g, m, n]);
  for (let i = 0; i < g; i++) {
    const o = i * n * m;
    for (let r = 0; r < n; r++) for (let c = 0; c < m; c++) out.data[o + c * n + r] = x.data[o + r * m + c];
  }
  return out;
}
