// The probabilities of a few answers as bars, with strokes where they stood before something was changed.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { inPercent } from "./patch_sets.js";

const ROW = 18; // css pixels, in a file
const NAMES = 40;
const WIDE = 420;
const STYLE = `
.gf-answers { display: grid; grid-template-columns: max-content 1fr; gap: 3px 8px; align-items: center; font-size: 0.8125rem; }
.gf-answers > span { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.gf-answers > div { position: relative; display: flex; align-items: center; height: 15px; margin-right: 4.6em; }
.gf-answers i { flex: none; height: 12px; min-width: 1px; border-radius: 2px; background: var(--gf-fill); }
.gf-answers .right { background: var(--gf-accent); }
.gf-answers b { margin-left: 6px; font-weight: 400; font-size: 0.75rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.gf-answers u { position: absolute; width: 2.5px; height: 15px; background: var(--st-text-color); }
`;

export default define((shell) => {
  const box = el("div", { class: "gf-answers", role: "img" });
  const key = el("div", { class: "gf-legend" });
  shell.body.append(box, key);

  const name = (i) => shell.header.names[i] + (i === shell.header.right ? " ✓" : "");

  function row(p, i) {
    const bar = el("i", { class: i === shell.header.right ? "right" : "" });
    bar.style.width = `${100 * p}%`;
    const stroke = shell.header.before && el("u");
    if (stroke) stroke.style.left = `${100 * shell.header.before[i]}%`;
    return [el("span", { text: name(i) }), el("div", {}, bar, el("b", { text: inPercent(p) }), stroke)];
  }

  return {
    update() {},
    draw() {
      const { now, names, before, before_title: then } = shell.header;
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      box.setAttribute("aria-label", `Bars: ${names.map((one, i) => `${one} ${inPercent(now[i])}`).join(", ")}.`);
      box.replaceChildren(...now.flatMap(row));
      key.replaceChildren(...(before ? [el("span", { text: `│ ${then}` })] : []));
    },
    table() {
      const { now, names, before, before_title: then } = shell.header;
      return {
        columns: ["answer", "probability", ...(before ? [then] : [])],
        rows: names.map((_, i) => [name(i), now[i], ...(before ? [before[i]] : [])]),
      };
    },
    picture: () => ({
      width: WIDE,
      height: 8 + shell.header.names.length * ROW,
      paint(p) {
        const { theme } = shell;
        const { now, before, right } = shell.header;
        const text = { fill: theme.text, size: 12, font: theme.font };
        const long = WIDE - NAMES - 60;
        now.forEach((one, i) => {
          const y = 4 + i * ROW;
          p.text(name(i), NAMES - 8, y + 7, { ...text, align: "right" });
          p.rect(NAMES, y, Math.max(1, one * long), 13, { fill: i === right ? theme.accent : theme.categorical[0] });
          p.text(inPercent(one), NAMES + one * long + 6, y + 7, text);
          if (before) p.rect(NAMES + before[i] * long, y - 1, 2.5, 15, { fill: theme.text });
        });
      },
    }),
  };
}, STYLE);
