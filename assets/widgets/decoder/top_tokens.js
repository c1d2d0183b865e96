// The most probable tokens of one distribution as a short list of bars. Shared by pictures of predictions.
import { chance, clamp, el } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";

export const TOP_STYLE = `
.gf-top { display: grid; grid-template-columns: minmax(4.5em, max-content) minmax(60px, 1fr) max-content; gap: 3px 10px; align-items: center; max-width: 460px; font-size: 0.8125rem; }
.gf-top .name, .gf-top .share { font-family: var(--st-code-font); white-space: pre; }
.gf-top .name { overflow: hidden; text-overflow: ellipsis; max-width: 11em; }
.gf-top .track { height: 11px; background: var(--gf-wash); border-radius: 3px; }
.gf-top .fill { display: block; height: 100%; border-radius: 3px; background: var(--gf-bar, var(--gf-soft)); }
.gf-top .is-truth { color: var(--gf-accent); font-weight: 700; }
.gf-top .is-truth .fill, .gf-top .fill.is-truth { background: var(--gf-accent); }
.gf-top .foot { grid-column: 1 / -1; font-size: 0.75rem; color: var(--gf-soft); }
`;

/**
 * @param rows [[token, probability], ...], best first
 * @param truth the place in rows of the right token, -1 if it is not among them
 * @param foot a line under the list
 */
export function topTokens(rows, { truth = -1, color = "", foot = "" } = {}) {
  const list = el("div", { class: "gf-top" });
  if (color) list.style.setProperty("--gf-bar", color);
  rows.forEach(([token, share], i) => {
    const fill = el("span", { class: i === truth ? "fill is-truth" : "fill" });
    const mark = i === truth ? " is-truth" : "";
    fill.style.width = `${clamp(share, 0, 1) * 100}%`;
    list.append(
      el("span", { class: `name${mark}`, translate: "no", text: (i === truth ? "✓ " : "") + quoted(token) }),
      el("span", { class: "track" }, fill),
      el("span", { class: `share${mark}`, text: chance(share) }),
    );
  });
  if (foot) list.append(el("span", { class: "foot", text: foot }));
  return list;
}
