// What the colors mean.
import { el, format } from "./elements.js";

/**
 * A legend with its fixed range: a gradient with numbers, and swatches for the signs used; `truth` says what rings
 * mark.
 */
export function legend(scale, title, { masked = "", truth = "", digits = 2 } = {}) {
  const bar = el("span", { class: "gf-bar" });
  bar.style.background = `linear-gradient(90deg, ${scale.stops.join(", ")})`;
  const number = (v) =>
    el("span", {
      class: "gf-mono",
      text: Number.isInteger(v) ? format(v, 0).replace(/\B(?=(\d{3})+$)/g, ",") : format(v, digits),
    });
  return [
    el(
      "span",
      {},
      title ? el("span", { text: title }) : null,
      el("span", { class: "gf-range" }, number(scale.low), bar, number(scale.high)),
    ),
    masked ? el("span", {}, el("span", { class: "gf-swatch gf-hatch" }), masked) : null,
    truth ? el("span", {}, el("span", { class: "gf-swatch gf-truth" }), truth) : null,
  ].filter(Boolean);
}
