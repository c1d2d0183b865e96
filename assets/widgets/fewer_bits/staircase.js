// The weights of one row, sorted: a curve as they were trained, a staircase as they are rounded. Pointing at one tells
// both.
import { clamp, el, format } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const SENSE = 3; // digits of a weight
const LINED = 40; // with more levels, their lines would be a gray area

const dot = (p, x, y, r, fill) => p.rect(x - r, y - r, 2 * r, 2 * r, { fill, radius: r });

export default picture(({ weights: { before, after }, names, sentence }, _, { theme, width, shell }) => {
  const { unit } = theme;
  const [left, right, top] = [8, 8, 14 * unit];
  const high = clamp(shell.tall - 520 * unit, 200, 330);
  const [low, most] = [Math.min(...before, ...after), Math.max(...before, ...after)];
  const x = (i) => left + ((i + 0.5) / before.length) * (width - left - right);
  const y = (v) => top + ((most - v) / (most - low || 1)) * high;
  const small = { size: 14 * unit, font: theme.font, weight: 700 };
  const levels = [...new Set(after)];

  return {
    things: before,
    size: [width, high + 2 * top],
    at: (px) => clamp(Math.floor(((px - left) / (width - left - right)) * before.length), 0, before.length - 1),
    paint(p) {
      const faint = { color: theme.line, width: 1 };
      if (levels.length <= LINED) for (const v of levels) p.segment(left, y(v), width - right, y(v), faint);
      const half = (x(1) - x(0)) / 2;
      const stairs = after.flatMap((v, i) => [
        [x(i) - half, y(v)],
        [x(i) + half, y(v)],
      ]);
      p.line(stairs, { color: theme.primary, width: 3 });
      for (const [i, v] of before.entries()) dot(p, x(i), y(v), 2.2, theme.text);
      p.text(names[0], left + 4, top + 4 * unit, { ...small, fill: theme.text });
      p.text(names[1], left + 4, top + 24 * unit, { ...small, fill: theme.primary });
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
    columns: names,
    row: (v, i) => [v, after[i]],
  };
});
