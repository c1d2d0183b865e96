// Where a token stands, as in core/nn/positions.py. Pure; tested with node.
import { tensor } from "./tensor.js";

/** The row of the table of learned positions for each token: padding isn't counted, and has the last one. */
export function placesOf(ids, { pad_id: pad = null, context_length: last }) {
  let counted = 0;
  return ids.map((id) => (id === pad ? last : counted++));
}

/** (T, D) sines and cosines of slower and slower frequency, for the positions from `start` on. */
export function sinusoidal(nPosition, dModel, start = 0) {
  const out = tensor([nPosition, dModel]);
  for (let j = 0; j < dModel; j++) {
    const frequency = 10000 ** ((-2 * Math.floor(j / 2)) / dModel);
    for (let t = 0; t < nPosition; t++) {
      const angle = (start + t) * frequency;
      out.data[t * dModel + j] = j % 2 ? Math.cos(angle) : Math.sin(angle);
    }
  }
  return out;
}

/** Radians by which each of the K / 2 pairs turns from one position to the next. */
export function speeds(dHead, rotary) {
  const { base = 10000, factor = 1, trained_length: trained = null, slow = 1, fast = 4 } = rotary ?? {};
  return Float64Array.from({ length: dHead / 2 }, (_, i) => {
    const speed = base ** ((-2 * i) / dHead);
    if (trained === null) return speed / factor;
    const turns = (trained * speed) / (2 * Math.PI);
    const kept = Math.min(Math.max((turns - slow) / (fast - slow), 0), 1);
    return speed * (kept + (1 - kept) / factor);
  });
}

/** (H, T, K) turned by the positions from `start` on; pairs are (0, K/2), (1, K/2 + 1), ... */
export function rotate(x, rotary, start = 0) {
  const [nHead, n, k] = x.shape;
  const half = k / 2;
  const speed = speeds(k, rotary);
  const out = tensor(x.shape);
  for (let t = 0; t < n; t++) {
    for (let i = 0; i < half; i++) {
      // Angles are float32 in the model, and far from the start that can be seen.
      const angle = Math.fround((start + t) * Math.fround(speed[i]));
      const cos = Math.cos(angle);
      const sin = Math.sin(angle);
      for (let h = 0; h < nHead; h++) {
        const at = (h * n + t) * k + i;
        const first = x.data[at];
        const second = x.data[at + half];
        out.data[at] = first * cos - second * sin;
        out.data[at + half] = first * sin + second * cos;
      }
    }
  }
  return out;
}

/** (H,) how steeply each head's scores fall with distance, as the paper has them. */
export function alibiSlopes(nHead) {
  const power = 2 ** Math.floor(Math.log2(nHead));
  const slopes = Array.from({ length: power }, (_, h) => 2 ** ((-8 * (h + 1)) / power));
  for (let h = 0; slopes.length < nHead; h += 2) slopes.push(2 ** ((-4 * (h + 1)) / power));
  return slopes;
}

/** (H, T, S) minus slope times distance; the last query stands at the last key. */
export function alibiBias(slopes, nQuery, nKey) {
  return byDistance(slopes.length, nQuery, nKey, (h, distance) => -slopes[h] * Math.abs(distance));
}

/** The bucket of a distance, key minus query. */
export function relativeBucket(distance, bidirectional, nBucket = 32, maxDistance = 128) {
  const n = bidirectional ? nBucket / 2 : nBucket;
  const nExact = Math.floor(n / 2);
  const far = bidirectional ? Math.abs(distance) : Math.max(-distance, 0);
  const after = bidirectional && distance > 0 ? n : 0;
  if (far < nExact) return after + far;
  // float32 as in the model: at a border between two buckets, more digits would choose the other one.
  const share = Math.fround(
    Math.fround(Math.log(Math.fround(far / nExact))) / Math.fround(Math.log(maxDistance / nExact)),
  );
  return after + Math.min(nExact + Math.trunc(Math.fround(share * (n - nExact))), n - 1);
}

/** (H, T, S) a learned number for each head and bucket of distance; table (buckets, H). */
export function relativeBias(table, nQuery, nKey, bidirectional) {
  const [nBucket, nHead] = table.shape;
  return byDistance(nHead, nQuery, nKey, (h, distance) => {
    return table.data[relativeBucket(distance, bidirectional, nBucket) * nHead + h];
  });
}

function byDistance(nHead, nQuery, nKey, number) {
  const out = tensor([nHead, nQuery, nKey]);
  const first = nKey - nQuery;
  for (let h = 0; h < nHead; h++) {
    // One number for each distance, from -(S - 1) up to what the first query sees ahead.
    const known = Float32Array.from({ length: 2 * nKey - 1 }, (_, i) => number(h, i - nKey + 1));
    for (let t = 0; t < nQuery; t++) {
      for (let s = 0; s < nKey; s++) out.data[(h * nQuery + t) * nKey + s] = known[s - first - t + nKey - 1];
    }
  }
  return out;
}
