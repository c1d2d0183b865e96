// Normalisation, as in core/nn/norms.py: each token's vector, by itself, is brought to a standard size.
import { tensor } from "./tensor.js";

/** Subtract each vector's mean, divide by its standard deviation, then a gain (D,) and a bias (D,). */
export function layerNorm(x, gain, bias, eps) {
  return eachRow(x, (row, out) => {
    let mean = 0;
    for (const value of row) mean += value;
    mean /= row.length;
    let variance = 0;
    for (const value of row) variance += (value - mean) ** 2;
    const shrink = 1 / Math.sqrt(variance / row.length + eps);
    for (let i = 0; i < row.length; i++) out[i] = (row[i] - mean) * shrink * gain.data[i] + (bias ? bias.data[i] : 0);
  });
}

/** Divide each vector by its root mean square; then a gain (D,), if there is one. */
export function rmsNorm(x, gain, eps) {
  return eachRow(x, (row, out) => {
    let square = 0;
    for (const value of row) square += value * value;
    const shrink = 1 / Math.sqrt(square / row.length + eps);
    for (let i = 0; i < row.length; i++) out[i] = row[i] * shrink * (gain ? gain.data[i] : 1);
  });
}

function eachRow(x, change) {
  const d = x.shape.at(-1);
  const out = tensor(x.shape);
  for (let at = 0; at < x.data.length; at += d) change(x.data.subarray(at, at + d), out.data.subarray(at, at + d));
  return out;
}

/** The norm of that path in a model of that style: "layer", "rms" or "rms_plain". */
export function norm(run, path, x, { norm: kind, eps }) {
  const gain = run.get(`${path}.weight`);
  if (kind === "layer") return layerNorm(x, gain, run.get(`${path}.bias`), eps ?? 1e-5);
  return rmsNorm(x, gain, eps ?? 1e-6);
}
