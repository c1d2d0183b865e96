// Keys and values of the tokens that a model has read, as in core/generate/keys_values.py: only new ones are computed.
import { tensor } from "./tensor.js";

/** What a decoder remembers of a text. An edited pass needs a cache of its own. */
export class Cache {
  constructor() {
    this.ids = [];
    /** @type {Map<string, Object<string, import("./tensor.js").Tensor>>} k and v of each attention, (G, S, K) */
    this.kept = new Map();
    /** @type {Map<string, {rows: Float32Array, d: number}>} what feed-forward layers with a token shift read */
    this.read = new Map();
  }

  /** Forget all but the first n tokens. */
  cut(n) {
    if (n >= this.ids.length) return;
    this.ids.length = n;
    for (const [path, { k, v }] of this.kept) this.kept.set(path, { k: first(k, n), v: first(v, n) });
    for (const one of this.read.values()) one.rows = one.rows.slice(0, n * one.d);
  }

  /** Keys and values of an attention, the new ones behind those that were there. */
  extend(path, { k, v }) {
    const old = this.kept.get(path);
    const both = old ? { k: behind(old.k, k), v: behind(old.v, v) } : { k, v };
    this.kept.set(path, both);
    return both;
  }

  /** What a feed-forward layer read of the token before these; null at the beginning. (T, D) is noted for the next. */
  lastRow(path, x) {
    const d = x.shape[1];
    const rows = this.read.get(path)?.rows ?? new Float32Array(0);
    const all = new Float32Array(rows.length + x.data.length);
    all.set(rows);
    all.set(x.data, rows.length);
    this.read.set(path, { rows: all, d });
    return rows.length ? rows.subarray(rows.length - d) : null;
  }
}

/** (G, S, K) and (G, T, K) -> (G, S + T, K) */
function behind(x, y) {
  const [g, s, k] = x.shape;
  const n = y.shape[1];
  const out = tensor([g, s + n, k]);
  for (let i = 0; i < g; i++) {
    out.data.set(x.data.subarray(i * s * k, (i + 1) * s * k), i * (s + n) * k);
    out.data.set(y.data.subarray(i * n * k, (i + 1) * n * k), (i * (s + n) + s) * k);
  }
  return out;
}

/** (G, S, K) -> (G, n, K) */
function first(x, n) {
  const [g, s, k] = x.shape;
  const out = tensor([g, n, k]);
  for (let i = 0; i < g; i++) out.data.set(x.data.subarray(i * s * k, (i * s + n) * k), i * n * k);
  return out;
}
