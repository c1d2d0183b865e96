// Why a guess stays or goes, in bars: the number drawn and the chance of staying; the likeliest tokens of both models.
import { el, format } from "../drawing/elements.js";
import { short, visible, word } from "../drawing/tokens.js";
import { labels } from "./labels.js";

export const WHY_STYLE = `
.gf-ratio { position: relative; max-width: 24rem; height: 18px; margin-top: 0.4rem; border: 1px solid var(--gf-soft); border-radius: 5px; overflow: hidden; }
.gf-ratio i { position: absolute; left: 0; top: 0; bottom: 0; background: color-mix(in srgb, var(--st-primary-color) 45%, transparent); }
.gf-ratio b { position: absolute; top: -1px; bottom: -1px; width: 3px; margin-left: -1.5px; background: var(--st-text-color); }
.gf-scale { display: flex; justify-content: space-between; max-width: 24rem; color: var(--gf-soft); margin: 1px 0 0.6rem; }
.gf-tops { display: grid; grid-template-columns: minmax(3.4rem, 5.6rem) minmax(0, 20rem); gap: 5px 8px; align-items: center; }
.gf-tops .name { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
.gf-tops .name.it { font-weight: 700; color: var(--gf-accent); }
.gf-tops .two { display: grid; gap: 2px; }
.gf-tops .one { display: flex; align-items: center; gap: 5px; }
.gf-tops i { height: 8px; min-width: 1px; border-radius: 2px; flex: none; }
.gf-tops .p { background: var(--st-primary-color); }
.gf-tops .q { border: 1.5px solid var(--gf-soft); }
`;

/** Below which number drawn the guess stays, as a bar. */
export function ratioBar([, , , ratio, u, outcome]) {
  if (outcome !== "accepted" && outcome !== "refused") return [];
  const label = labels("ratio", { ratio: format(ratio, 2), u: format(u, 2) });
  return [
    el(
      "div",
      { class: "gf-ratio", role: "img", "aria-label": label },
      el("i", { style: `width: ${100 * ratio}%` }),
      el("b", { style: `left: ${100 * u}%` }),
    ),
    el(
      "div",
      { class: "gf-scale" },
      el("span", { text: labels("stays_below", { ratio: format(ratio, 2) }) }),
      el("span", { text: labels("drawn", { u: format(u, 2) }) }),
    ),
  ];
}

/** Two bars for each token: the draft's outlined, the model's filled. */
export function tops({ names, p, q, s }) {
  const isLast = s[0] !== null;
  const series = [
    [labels("draft"), q, "q"],
    [labels("model"), p, "p"],
    [labels("drawn_from"), isLast && q[0] !== null ? s : p.map(() => null), "s p"],
  ].filter(([, values]) => values[0] !== null);
  const bar = (one, k) => {
    const [name, values, kind] = one;
    const fill = el("i", { class: kind, style: `width: ${68 * values[k]}%` });
    return el("div", { class: "one", title: `${name} ${format(values[k], 4)}` }, fill, format(values[k], 2));
  };
  return el(
    "div",
    { class: "gf-tops" },
    el("span"),
    el("div", {
      class: "gf-soft",
      text: series.map(([name]) => name).reduce((first, then) => labels("then", { first, then })),
    }),
    ...names.flatMap((name, k) => [
      el("span", { class: k ? "name" : "name it", translate: "no", text: short(word(name), 10), title: visible(name) }),
      el("div", { class: "two" }, ...series.map((one) => bar(one, k))),
    ]),
  );
}
