// The feed-forward part, as in core/nn/feed_forward.py: each token's vector through two layers and a nonlinearity.
import { linear } from "./linear.js";
import { map, tensor } from "./tensor.js";

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** Twice the share of a standard normal within sqrt(2) x. Source: Abramowitz and Stegun 1964, 7.1.26; off by 1.5e-7. */
export function erf(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  const share = 1 - sum * Math.exp(-x * x);
  return x < 0 ? -share : share;
}

const TWICE = 2 * Math.sqrt(2 / Math.PI);

/** Each nonlinearity by its name. */
export const NONLINEARITY = {
  relu: (x) => Math.max(x, 0),
  relu2: (x) => (x > 0 ? x * x : 0),
  gelu: (x) => 0.5 * x * (1 + erf(x / Math.SQRT2)),
  gelu_tanh: (x) => x * sigmoid(x * (TWICE + TWICE * 0.044715 * x * x)),
  quick_gelu: (x) => x * sigmoid(1.702 * x),
  silu: (x) => x * sigmoid(x),
};
/** Those that a second layer gates: name -> nonlinearity of the gate. */
export const GATED = { swiglu: "silu", geglu: "gelu_tanh", geglu_exact: "gelu" };

/** (T, D) the first half of each row is that of the row above; the first row gets what came `before` it, or zeros. */
export function tokenShift(x, before = null) {
  const [n, d] = x.shape;
  const half = Math.floor(d / 2);
  const out = tensor(x.shape, x.data.slice());
  for (let t = 0; t < n; t++) {
    const above = t ? x.data.subarray((t - 1) * d, (t - 1) * d + half) : before?.subarray(0, half);
    if (above) out.data.set(above, t * d);
    else out.data.fill(0, t * d, t * d + half);
  }
  return out;
}

/** The layer at that path: (T, D) -> (T, D). */
export function feedForward(run, path, x, activation) {
  const through = (name, from) => linear(from, run.need(`${path}.${name}.weight`), run.get(`${path}.${name}.bias`));
  const gate = GATED[activation];
  const pre = run.tap(`${path}.pre`, through(gate ? "w_gate" : "w_in", x)); // (T, F)
  const bent = map(pre, NONLINEARITY[gate ?? activation]);
  if (gate) {
    const widened = through("w_in", x);
    for (let i = 0; i < bent.data.length; i++) bent.data[i] *= widened.data[i];
  }
  return run.tap(`${path}.out`, through("w_out", run.tap(`${path}.act`, bent))); // (T, D)
}
