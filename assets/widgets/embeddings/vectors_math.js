// Two vectors of the plane compared. Pure; tests compare every number with Python's
// core.rooms.embeddings.compute.embeddings.
import { labels } from "./labels.js";

/** Dot product, lengths, cosine, angle in degrees, distance; cosine and angle are NaN where a vector has no length. */
export function compare(q, k) {
  const dot = q[0] * k[0] + q[1] * k[1];
  const lengths = [Math.hypot(...q), Math.hypot(...k)];
  const both = lengths[0] * lengths[1];
  const cosine = both > 0 ? Math.max(-1, Math.min(1, dot / both)) : NaN;
  return {
    dot,
    lengths,
    cosine,
    angle: (Math.acos(cosine) * 180) / Math.PI,
    distance: Math.hypot(q[0] - k[0], q[1] - k[1]),
  };
}

/** The point of q's line nearest to k's tip; null where q has no length. */
export function foot(q, k) {
  const square = q[0] * q[0] + q[1] * q[1];
  if (!square) return null;
  const t = (q[0] * k[0] + q[1] * k[1]) / square;
  return [q[0] * t, q[1] * t];
}

/** A place moved onto the grid of `step` and into -limit..limit. */
export const snap = (point, limit, step = 0.1) =>
  point
    .map((v) => Math.round(Math.max(-limit, Math.min(limit, v)) / step) * step)
    .map((v) => Math.round(v * 1000) / 1000 + 0);

/** What the numbers say, in one sentence. */
export function sentence({ dot, cosine }) {
  if (Number.isNaN(cosine)) {
    return labels("verdict.no_length");
  }
  if (Math.abs(cosine) < 0.0005) return labels("verdict.right_angle");
  if (cosine > 0.9995) {
    return labels("verdict.same");
  }
  if (cosine < -0.9995) return labels("verdict.opposite");
  return labels(dot > 0 ? "verdict.positive" : "verdict.negative");
}
