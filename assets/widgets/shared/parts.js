// A sum whose terms can be clicked: buttons with formula and count, a map of areas, and the pieces of the chosen term.
import { fixed } from "../page/numbers.js";
import { mix, readableOn } from "../drawing/color.js";
import { clamp, el, grouped, measure } from "../drawing/elements.js";
import { row, table } from "../drawing/table.js";
import { picture } from "../scene/scene.js";
import { nested } from "./treemap.js";
import { labels } from "./labels.js";

const STYLE = `
.gf-stage { cursor: pointer; }
.gf-sum { display: flex; flex-wrap: wrap; gap: 0.35rem 0.4rem; align-items: center; margin-bottom: 0.8rem; }
.gf .gf-term { display: grid; grid-template-columns: auto 1fr; gap: 1px 6px; align-items: center; text-align: left; padding: 5px 9px; border-color: var(--gf-line); line-height: 1.3; }
.gf-term b { grid-column: 1 / 3; font-family: var(--st-code-font); font-weight: 600; }
.gf-term .gf-mono { grid-column: 1 / 3; font-size: 0.75rem; color: var(--gf-soft); }
.gf .gf-term.on { background: var(--gf-wash); }
.gf .gf-term[aria-pressed="true"] { border-color: var(--gf-accent); color: inherit; }
.gf-chip { width: 10px; height: 10px; border-radius: 3px; }
.gf-plus { color: var(--gf-soft); }
.gf-total { font-size: 0.9375rem; }
.gf-readout { margin-top: 0.7rem; }
.gf-chosen { margin-bottom: 0.4rem; }
.gf-readout table { border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-readout th, .gf-readout td { padding: 3px 12px 3px 0; text-align: left; font-weight: 400; overflow-wrap: anywhere; }
.gf-readout td:nth-child(2) { text-align: right; white-space: nowrap; }
.gf-readout .gf-hint { margin-bottom: 0.4rem; }
`;
const percent = (part, whole) => (whole ? `${fixed((part / whole) * 100, 1)}%` : "–");

export default picture(
  ({ terms, total, unit, takeaway, selected }, _, { theme, width, state: chosen, set }) => {
    const height = Math.round(clamp(width * 0.3, 200, 280));
    const map = nested(terms, { x: 0, y: 0, w: width, h: height });
    const size = Math.round(12 * theme.unit);
    const color = (i) => theme.categorical[i % theme.categorical.length];
    const now = terms[chosen];
    const share = percent(now.count, total);

    const button = (one, i) =>
      el(
        "button",
        { class: "gf-term", "data-name": `term ${i}`, "data-words": one.name, "data-i": i },
        el("span", { class: "gf-chip", style: `background: ${color(i)}` }),
        el("span", { text: one.name }),
        el("b", { text: one.count ? one.formula || percent(one.count, total) : labels("none") }),
        el("span", { class: "gf-mono", text: grouped(one.count) }),
      );

    function paintTerm(p, { term, rect: r, pieces }, place) {
      const fill = mix(theme.page, color(term), term === chosen || term === place ? 0.85 : 0.34);
      for (const one of pieces) p.rect(one.x, one.y, one.w, one.h, { fill, stroke: theme.page, width: 1 });
      const { name, count } = terms[term];
      const lines = [[name, 600], [percent(count, total), 400]] // prettier-ignore
        .filter(([words]) => measure(words, size, theme.font) * 1.08 + 14 < r.w);
      lines.forEach(([words, weight], i) => {
        if (r.h <= (i + 1) * (size + 5) + 4) return;
        const look = { fill: readableOn(fill), size, font: theme.font, weight };
        p.text(words, r.x + 7, r.y + 7 + size * (i + 0.5) + 5 * i, look);
      });
      const [w, h] = [Math.max(0, r.w - 2), Math.max(0, r.h - 2)];
      if (term === chosen) p.rect(r.x + 1, r.y + 1, w, h, { stroke: theme.accent, width: 2.5 });
    }

    function detail() {
      const pieces = [...now.pieces].sort((a, b) => b.count - a.count);
      const rows = pieces.map(({ name, count, detail: shape }) =>
        row([el("th", { scope: "row", translate: "no", text: name }), grouped(count), shape]),
      );
      const look = { class: "gf-scroll gf-deep", tabindex: 0, role: "region", "aria-label": labels("its_tensors") };
      return [
        el(
          "div",
          { class: "gf-chosen" },
          ...labels.parts(now.formula && now.count ? "chosen_with_formula" : "chosen", {
            name: el("b", { text: now.name }),
            formula: now.formula,
            numbers: now.numbers,
            count: el("b", { text: grouped(now.count) }),
            unit,
            share,
          }),
        ),
        now.note ? el("div", { class: "gf-hint", text: now.note }) : "",
        rows.length ? el("div", look, table([], rows)) : "",
      ];
    }

    const plus = () => el("span", { class: "gf-plus", text: "+", "aria-hidden": "true" });
    const sum = el(
      "span",
      { class: "gf-total" },
      "= ",
      el("b", { class: "gf-mono", text: grouped(total) }),
      ` ${unit}`,
    );
    return {
      things: terms,
      size: [width, height],
      at(x, y) {
        const found = map.find(({ rect: r }) => x >= r.x && x < r.x + r.w && y >= r.y && y < r.y + r.h);
        return found ? found.term : null;
      },
      paint: (p, place) => map.forEach((one) => paintTerm(p, one, place)),
      chosen,
      follows: true,
      choose: (__, i) => set(i),
      reset: () => set(selected),
      label: takeaway,
      spoken: `${now.name}: ${now.formula ? `${now.formula} = ` : ""}${grouped(now.count)} ${unit}, ${share}`,
      first: [
        el(
          "div",
          { class: "gf-sum" },
          ...terms.flatMap((one, i) => (i ? [plus(), button(one, i)] : [button(one, i)])),
          sum,
        ),
      ],
      idle: detail(),
      columns: ["tensor", "part_of", "shape", "count"].map((one) => labels(one)),
      rows: terms.flatMap(({ name, pieces }) => pieces.map((one) => [one.name, name, one.detail, grouped(one.count)])),
    };
  },
  {
    style: STYLE,
    state(h, old, before) {
      const again = h.terms.findIndex(({ name }) => name === before?.terms?.[old]?.name);
      return again < 0 ? h.selected : again;
    },
  },
);
