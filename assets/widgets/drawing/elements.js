// Elements of the page, and numbers as they are printed on it.
import { localized } from "../page/numbers.js";
import { labels } from "./labels.js";

/** Make an element. Text is always set as text, never as markup. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  if (tag === "button") node.type = "button";
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

export const clamp = (v, low, high) => Math.max(low, Math.min(high, v));

/** A number as it is printed everywhere: a true minus sign, no "-0.00". */
export function format(v, digits = 3) {
  if (v === null || v === undefined || Number.isNaN(v)) return "–";
  if (!Number.isFinite(v)) return v > 0 ? "∞" : "−∞";
  const text = v !== 0 && Math.abs(v) >= 1e5 ? v.toExponential(2) : v.toFixed(digits);
  return localized(text.replace(/^-(?=[0.]*$)/, "").replace("-", "−"));
}

/** A probability; one that isn't 0 never looks like 0. */
export const chance = (p, digits = 3) =>
  p > 0 && Number(p.toFixed(digits)) === 0 ? `<${localized(`${10 ** -digits}`)}` : format(p, digits);
/** The same in percent. */
export const percent = (p, digits = 0) => `${chance(100 * p, digits)}%`;

/** Weights come as bytes. A table that lists them says so, and shows the two digits that they have. */
export const ROUNDED = labels("rounded");
export const fromByte = (weight) => format(weight, 2);

/** A count with separators between thousands. */
export { grouped } from "../page/numbers.js";

const rulers = new Map();
/** The width of a text in css pixels. */
export function measure(text, size, font) {
  const key = `${size}px ${font}`;
  if (!rulers.has(key)) {
    const ctx = document.createElement("canvas").getContext("2d");
    ctx.font = key;
    rulers.set(key, ctx);
  }
  return rulers.get(key).measureText(text).width;
}
