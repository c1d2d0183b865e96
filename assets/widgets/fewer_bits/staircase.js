// The weights of one row, sorted: a curve as they were trained, a staircase as they are rounded, on all its levels, and
// the text that each writes. Pointing at a weight tells both.
import { clamp, el, format, measure } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const SENSE = 3; // digits of a weight
const STYLE = `
.gf-written { display: grid; grid-template-columns: auto 1fr; gap: 6px 12px; margin-top: 6px; align-items: baseline; line-height: 1.4; }
.gf-written b { font-weight: 650; white-space: nowrap; }
.gf-written mark { background: none; color: var(--gf-accent); font-weight: 600; }
.gf-written .gf-hatch { border: 1px solid var(--gf-line); border-radius: 5px; text-align: center; font-weight: 650; min-height: 1.6em; }
`;

const dot = (p, x, y, r, fill) => p.rect(x - r, y - r, 2 * r, 2 * r, { fill, radius: r });

export default picture(
  ({ weights: { before, after, levels }, names, texts, sentence }, _, { theme, width, shell }) => {
    const { unit } = theme;
    const isNarrow = width < 520;
    const [left, right, top] = [levels.length ? 34 : 8, 8, (isNarrow ? 46 : 28) * unit];
    const high = clamp(shell.tall - 570 * unit, 165, 300);
    const all = [...before, ...after, ...levels];
    const [low, most] = [Math.min(...all), Math.max(...all)];
    const x = (i) => left + ((i + 0.5) / before.length) * (width - left - right);
    const y = (v) => top + ((most - v) / (most - low || 1)) * high;
    const small = { size: 14 * unit, font: theme.font, weight: 700 };
    const middle = (levels.length - 1) / 2;
    const written = ({ bits, same, other }) => [
      el("b", { text: bits }),
      same === undefined
        ? el("span", { class: "gf-hatch", text: "?" })
        : el("span", { translate: "no" }, same, ...(other ? [el("mark", { text: other })] : [])),
    ];

    return {
      things: before,
      size: [width, high + top + 10 * unit],
      at: (px) => clamp(Math.floor(((px - left) / (width - left - right)) * before.length), 0, before.length - 1),
      paint(p) {
        const faint = { color: theme.line, width: 1 };
        for (const v of levels) p.segment(left, y(v), width - right, y(v), faint);
        for (const i of levels.length ? [0, middle, levels.length - 1] : []) {
          const level = String(i - middle).replace("-", "−");
          p.text(level, left - 6, y(levels[i]), { ...small, weight: 400, fill: theme.soft, align: "right" });
        }
        const half = (x(1) - x(0)) / 2;
        const stairs = after.flatMap((v, i) => [
          [x(i) - half, y(v)],
          [x(i) + half, y(v)],
        ]);
        p.line(stairs, { color: theme.primary, width: 3 });
        for (const [i, v] of before.entries()) dot(p, x(i), y(v), 2.2, theme.text);
        p.text(names[0], left, 9 * unit, { ...small, fill: theme.text });
        const beside = measure(names[0], small.size, small.font) * 1.06 + 24;
        const [at, line] = isNarrow ? [0, 29] : [beside, 9];
        p.text(names[1], left + at, line * unit, { ...small, fill: theme.primary });
      },
      mark(p, i) {
        p.segment(x(i), y(before[i]), x(i), y(after[i]), { color: theme.accent, width: 2 });
        dot(p, x(i), y(after[i]), 5, theme.accent);
      },
      said: (v, i) =>
        labels.parts("becomes", {
          before: el("b", { text: format(v, SENSE + 1) }),
          after: el("b", { text: format(after[i], SENSE + 1) }),
        }),
      hint: labels("stairs_hint"),
      sentence: [sentence],
      below: [el("div", { class: "gf-written" }, ...texts.flatMap(written))],
      columns: names,
      row: (v, i) => [v, after[i]],
    };
  },
  { style: STYLE },
);
