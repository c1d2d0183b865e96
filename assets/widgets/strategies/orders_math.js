// Temperature before top-p, and after it. Pure; tested with node.
import { pipeline } from "./knobs.js";

/** What is drawn from in both orders: [top-p first, temperature first]. */
export const bothOrders = (logits, t, p) =>
  [
    ["p", "t"],
    ["t", "p"],
  ].map((letters) => pipeline(logits, { t, p }, [], letters).p);

export const nLeft = (probabilities) => probabilities.reduce((n, v) => n + (v > 0), 0);

/** The probability in which two distributions differ. */
export const apart = (a, b) => a.reduce((sum, v, i) => sum + Math.abs(v - b[i]), 0) / 2;
