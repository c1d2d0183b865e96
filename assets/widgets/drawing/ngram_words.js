// What the pictures of n-grams print, and the logarithmic scale of counts. Pure; tested with node.
import { fixed, localized } from "../page/numbers.js";
import { scale } from "./color.js";

const LIFT = 0.14; // a count of 1 must look different from an empty cell

/** A scale like those of color.js for counts from 1 to `most`: every factor takes the same step. */
export function countScale(most, mode) {
  const top = Math.max(2, most);
  const base = scale("value", 0, 1, mode);
  const place = (v) => LIFT + (1 - LIFT) * Math.min(1, Math.log(Math.max(1, v)) / Math.log(top));
  return {
    ...base,
    low: 1,
    high: top,
    stops: Array.from({ length: 9 }, (_, i) => base.css(LIFT + ((1 - LIFT) * i) / 8)),
    level: (v) => base.level(place(v)),
    css: (v) => base.css(place(v)),
  };
}

/** From 0 to 1, and what is barely above 0 does not look like an empty cell either. */
export function shareScale(mode) {
  const base = scale("probability", 0, 1, mode);
  const place = (v) => LIFT + (1 - LIFT) * v;
  return {
    ...base,
    stops: Array.from({ length: 9 }, (_, i) => base.css(place(i / 8))),
    level: (v) => base.level(place(v)),
    css: (v) => base.css(place(v)),
  };
}

/** A whole number with commas. */
export const whole = (n) => Math.round(n).toLocaleString("en-US");

/** A count that fits into a small cell: 999, 1.2k, 34k. */
export function brief(n) {
  if (n < 1000) return String(Math.round(n));
  return n < 10_000 ? `${fixed(Math.floor(n / 100) / 10, 1)}k` : `${Math.floor(n / 1000)}k`;
}

/** A probability in a few letters: 0, .0312, 3e−5, 1. */
export function share(p) {
  if (p === 0 || p === 1) return String(p);
  if (p < 0.001) return p.toExponential(0).replace("-", "−");
  if (p >= 0.9995) return ">.999";
  return localized((p < 0.0995 ? p.toFixed(3) : p.toFixed(2)).replace(/^0/, ""));
}

/** A number of any size: 0.0312, 3.1·10⁻⁸, 0, ∞. */
export function sized(v) {
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e-3 && size < 1e5) return localized(size >= 100 ? v.toFixed(1) : v.toPrecision(3)).replace("-", "−");
  const [digits, power] = v.toExponential(1).split("e");
  const raised = String(Number(power)).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
  return `${localized(digits).replace("-", "−")}·10${raised}`;
}
