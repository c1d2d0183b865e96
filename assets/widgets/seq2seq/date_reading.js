// Which letters of a date the model looks at for each character it writes, over its training: a dark cell is a look.
// Brackets name year, month and day in both; a frame marks the letter that several characters are read from.
import { grouped } from "../page/numbers.js";
import { clamp, el, format, fromByte } from "../drawing/elements.js";
import { quoted, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const LEAST = 5; // of 255: a smaller weight is an empty cell

const steps = ({ steps: all, notes }) =>
  all.map((step, i) => `${labels("step", { step: grouped(step) })}: ${notes[i]}`);

export default picture(
  (h, { frames }, { shell, theme, width, step }) => {
    const [nRow, nColumn] = [h.rows.length, h.columns.length];
    const isNarrow = width < 520;
    const size = isNarrow ? 13 : theme.presenting ? 18 : 15;
    const [left, top] = [isNarrow ? 90 : 104, 2 * size + 16];
    const wide = Math.min(38, (width - left - 2) / nColumn);
    const tall = clamp((shell.tall - 400 * theme.unit) / nRow, 17, 27);
    const start = step * nRow * nColumn;
    const weights = frames.data.subarray(start, start + nRow * nColumn);
    const isLast = step === h.steps.length - 1;
    const [word, code] = [
      { size: 13 * theme.unit, font: theme.font, fill: theme.soft },
      { size, font: theme.code, fill: theme.text, align: "center" },
    ];
    const cell = (place) => [left + (place % nColumn) * wide, top + Math.floor(place / nColumn) * tall];

    return {
      things: [...weights],
      across: nColumn,
      size: [width, top + nRow * tall + 2],
      at(x, y) {
        const [column, row] = [Math.floor((x - left) / wide), Math.floor((y - top) / tall)];
        return column < 0 || row < 0 || column >= nColumn || row >= nRow ? null : row * nColumn + column;
      },
      paint(p) {
        const line = { color: theme.soft, width: 1.5 };
        for (const { name, rows, columns } of h.parts) {
          const [from, to] = [left + columns[0] * wide + 2, left + columns[1] * wide - 2];
          p.text(name, (from + to) / 2, size * 0.6, { ...word, align: "center" });
          p.segment(from, size + 4, to, size + 4, line);
          const [high, low] = [top + rows[0] * tall + 2, top + rows[1] * tall - 2];
          p.text(name, left - 46, (high + low) / 2, { ...word, align: "right" });
          p.segment(left - 38, high, left - 38, low, line);
        }
        h.columns.forEach((sign, c) => {
          const isOn = isLast && c === h.shared?.[1];
          const look = { ...code, fill: isOn ? theme.accent : theme.text, weight: isOn ? 700 : 400 };
          p.text(visible(sign), left + (c + 0.5) * wide, top - size * 0.7, look);
        });
        h.rows.forEach((sign, r) => {
          const isOn = isLast && r < h.shared?.[0];
          const look = { ...code, fill: isOn ? theme.accent : theme.text, weight: isOn ? 700 : 400, align: "right" };
          p.text(sign, left - 10, top + (r + 0.5) * tall, look);
        });
        weights.forEach((weight, place) => {
          const [x, y] = cell(place);
          p.rect(x + 1, y + 1, wide - 2, tall - 2, { fill: theme.panel, radius: 2 });
          if (weight < LEAST) return;
          const box = `M${x + 1} ${y + 1}h${wide - 2}v${tall - 2}h${2 - wide}Z`;
          p.path(box, { fill: theme.primary, opacity: weight / 255 });
        });
        if (isLast && h.shared) {
          const [x, y] = [left + h.shared[1] * wide, top];
          p.rect(x, y, wide, h.shared[0] * tall, { stroke: theme.accent, width: 2.5, radius: 3 });
        }
      },
      mark(p, place) {
        p.rect(...cell(place), wide, tall, { stroke: theme.accent, width: 2 });
      },
      said: (weight, place) =>
        labels.parts("writing_looks", {
          row: el("b", { translate: "no", text: quoted(h.rows[Math.floor(place / nColumn)]) }),
          column: el("b", { translate: "no", text: quoted(h.columns[place % nColumn]) }),
          weight: format(weight / 255, 2),
        }),
      sentence: [h.sentence],
      hint: labels("reading_hint"),
      columns: [labels("writes"), ...h.columns],
      rows: h.rows.map((sign, r) => [sign, ...h.columns.map((_, c) => fromByte(weights[r * nColumn + c] / 255))]),
    };
  },
  { steps, player: { what: labels("training_step"), name: "Training step" } },
);
