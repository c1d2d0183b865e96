// A model without and with a thin update: what it writes, and one of its matrices beside the update, each of whose
// numbers is one of a column times one of a row. A film over the strength with which the update is added.
import { mix, raster, scale } from "../drawing/color.js";
import { el, measure, percent } from "../drawing/elements.js";
import { word } from "../drawing/tokens.js";
import { grouped } from "../page/numbers.js";
import { wrapped } from "../pictures/pictures_math.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const DARKEST = 2.5; // standard deviations of the frozen numbers at which their color ends
const share = (p) => (p < 0.0005 ? "0%" : percent(p, p > 0.99 && p < 0.9995 ? 1 : 0));
const number = (x) => x.toFixed(2).replace("-", "−");

export default picture(
  (h, { p: chances, frozen, column, row }, { theme, width, step, shell }) => {
    const { unit } = theme;
    const isNarrow = width < 560 * unit;
    const isLow = shell.tall < 560 && !isNarrow;
    const strength = h.strengths[step];
    const [nRow, nColumn] = [column.data.length, row.data.length];
    const small = { size: 13 * unit, font: theme.font };
    const bold = { size: 15 * unit, font: theme.font, weight: 700 };
    const soft = { ...small, fill: theme.soft };
    const left = isNarrow ? width : 0.47 * width;
    const x = isNarrow ? 0 : left + 26 * unit;
    const [strip, gap, plus] = [(isNarrow ? 10 : 13) * unit, 5 * unit, (isNarrow ? 54 : 44) * unit];
    const free = Math.floor((width - x - plus - strip - gap) / 2);
    const side = isNarrow ? Math.min(free, 100 * unit) : free;
    const code = (size, weight = 400) => ({ size: size * unit, font: theme.code, weight });

    /** Lines of a text; gives the height that they take. */
    function paintLines(p, text, at, y, room, look, most) {
      const lines = wrapped(text, room, (one) => measure(one, look.size, look.font) * 1.02, most);
      lines.forEach((line, i) => p.text(line, at, y + i * 1.35 * look.size, look));
      return lines.length * 1.35 * look.size;
    }

    // Left, or above: the beginning, and a card for each of the two texts.
    const [nBar, bar, pad] = [isNarrow ? 0 : h.tokens.length, 19 * unit, 12 * unit];
    const learned = isNarrow || isLow ? 0 : 62 * unit;
    const begun = learned + (isNarrow ? 8 : 24) * unit + (isNarrow ? 22 : 28) * unit;
    const texts = [code(isNarrow ? 13 : 14), code(isNarrow ? 15 : isLow ? 16 : 19, 700)];
    const cards = texts.map(
      ({ size }) => 24 * unit + (isNarrow ? 1 : 2) * 1.35 * size + nBar * bar + (isNarrow ? 8 : 16) * unit,
    );
    const tops = [begun, begun + cards[0] + (isNarrow ? 6 : 10) * unit];
    const bottom = tops[1] + cards[1];

    function paintCard(p, k, at) {
      const [y, isWith] = [tops[k], k === 1];
      const ink = isWith ? theme.primary : theme.text;
      const box = isWith
        ? { fill: mix(theme.page, theme.primary, 0.08), stroke: theme.primary, width: 2.5 }
        : { stroke: theme.line, width: 1.5 };
      p.rect(1.5, y, left - 3, cards[k], { ...box, radius: 12 });
      const amount = { share: percent(strength) };
      const title = isWith ? (strength < 1 ? labels("with_some", amount) : labels("with")) : labels("without");
      p.text(title, pad, y + 15 * unit, { ...small, weight: 700, fill: isWith ? ink : theme.soft });
      const text = h.texts[at] || labels("end");
      const first = y + 26 * unit + 0.6 * texts[k].size;
      paintLines(p, text, pad, first, left - 2 * pad, { ...texts[k], fill: ink }, isNarrow ? 1 : 2);
      h.tokens.slice(0, nBar).forEach((token, i) => {
        const line = y + cards[k] - 10 * unit - (nBar - i - 0.5) * bar;
        const chance = chances.data[at * h.tokens.length + i];
        const start = pad + 76 * unit;
        const most = left - start - pad - 50 * unit;
        p.text(word(token), start - 8 * unit, line, { ...code(13), fill: theme.soft, align: "right" });
        p.rect(start, line - 5 * unit, Math.max(1.5, chance * most), 10 * unit, {
          fill: i ? theme.primary : mix(theme.page, theme.text, 0.4),
          radius: 2,
        });
        const end = start + Math.max(1.5, chance * most) + 6 * unit;
        p.text(share(chance), end, line, { ...small, weight: chance > 0.5 ? 700 : 400, fill: theme.text });
      });
    }

    // Right, or below: the frozen matrix, and the update with its column and row.
    const y0 = isNarrow ? bottom + 8 * unit : 0;
    const top = y0 + 44 * unit + strip + gap;
    const x2 = x + side + plus + strip + gap;
    const cell = side / nColumn;
    const high = Math.abs(column.data[Math.floor(h.largest / nColumn)] * row.data[h.largest % nColumn]);
    const colors = (most) => scale("signed", -most, most, theme.mode);
    const image = (columns, rows, most, value) => {
      const { rgb, level } = colors(most);
      return raster(columns, rows, rgb, (i) => level(value(i)));
    };
    const spread = Math.sqrt(frozen.data.reduce((sum, w) => sum + w * w, 0) / frozen.data.length);
    const product = (i, j) => strength * column.data[i] * row.data[j];
    const most = (values) => Math.max(...values.map(Math.abs));

    function paintMatrices(p) {
      p.text(labels("matrix", { n: h.n_matrix }), x, y0 + 10 * unit, { ...bold, fill: theme.text });
      p.text(labels("locked", { n: grouped(nRow * nColumn) }), x, y0 + 30 * unit, soft);
      const ink = { ...bold, fill: theme.primary };
      p.text(labels("update"), x2, y0 + 10 * unit, ink);
      const trained = labels("trained", { rows: nRow, columns: nColumn });
      p.text(trained, Math.min(x2, width - measure(trained, small.size, small.font) - 2), y0 + 30 * unit, {
        ...small,
        fill: theme.primary,
      });
      const kept = image(nColumn, nRow, DARKEST * spread, (i) => frozen.data[i] * 0.6);
      p.image(kept, x, top, side, side, { smooth: true });
      p.rect(x, top, side, side, { stroke: theme.line, width: 1 });
      paintLock(p, x + side / 2, top + side / 2);
      p.text("+", x + side + plus / 2 - 3, top + side / 2, {
        ...bold,
        size: 28 * unit,
        fill: theme.primary,
        align: "center",
      });
      const added = image(nColumn, nRow, high, (i) => product(Math.floor(i / nColumn), i % nColumn));
      p.image(added, x2, top, side, side, { smooth: false });
      p.rect(x2, top, side, side, { stroke: theme.primary, width: 1, dash: [3, 3] });
      p.image(
        image(1, nRow, most(column.data), (i) => column.data[i]),
        x2 - gap - strip,
        top,
        strip,
        side,
      );
      p.rect(x2 - gap - strip, top, strip, side, { stroke: theme.primary, width: 2 });
      p.image(
        image(nColumn, 1, most(row.data), (i) => row.data[i]),
        x2,
        top - gap - strip,
        side,
        strip,
      );
      p.rect(x2, top - gap - strip, side, strip, { stroke: theme.primary, width: 2 });
    }

    function paintLock(p, cx, cy) {
      const r = 15 * unit;
      p.rect(cx - r, cy - r, 2 * r, 2 * r, { fill: theme.page, radius: r });
      p.rect(cx - 7 * unit, cy - 2 * unit, 14 * unit, 10 * unit, { fill: theme.text, radius: 2 });
      const [a, b, c] = [cx - 4.5 * unit, cx + 4.5 * unit, cy - 5 * unit];
      const arch = `M${a} ${cy - unit} L${a} ${c} C${a} ${c - 6 * unit} ${b} ${c - 6 * unit} ${b} ${c} L${b} ${cy - unit}`;
      p.path(arch, { stroke: theme.text, width: 2.2 });
    }

    /** One cell of the update, with its number of the column and its number of the row. */
    function paintCell(p, place) {
      const [i, j] = [Math.floor(place / nColumn), place % nColumn];
      const [cx, cy] = [x2 + (j + 0.5) * cell, top + (i + 0.5) * cell];
      const line = { color: theme.accent, width: 1.5 };
      p.segment(x2 - gap, cy, cx - 4, cy, line);
      p.segment(cx, top - gap, cx, cy - 4, line);
      const frame = { stroke: theme.accent, width: 2, radius: 2 };
      p.rect(cx - 4, cy - 4, 8, 8, frame);
      p.rect(x2 - gap - strip - 2, cy - 4, strip + 4, 8, frame);
      p.rect(cx - 4, top - gap - strip - 2, 8, strip + 4, frame);
      const y = top + side + 16 * unit;
      const look = { ...bold, size: (isNarrow ? 16 : 18) * unit, fill: theme.accent, align: "right" };
      const long = 1.08 * measure(told(i, j), look.size, look.font);
      p.text(told(i, j), isNarrow ? Math.min(width, x2 - gap - strip + long) : width, y, look);
      if (strength === 1) p.text(labels("rule"), x, y, soft);
    }

    const told = (i, j) =>
      `${[...(strength < 1 ? [percent(strength)] : []), number(column.data[i]), number(row.data[j])].join(
        " × ",
      )} = ${number(product(i, j))}`;

    function paintShare(p) {
      const key = percent(h.n_update / h.n_all, 1);
      const look = { ...bold, size: 26 * unit, fill: theme.primary };
      if (isNarrow) {
        p.text(key, width, top + side / 2 - 10 * unit, { ...look, align: "right" });
        p.text(labels("trained_short"), width, top + side / 2 + 14 * unit, { ...soft, align: "right" });
        return;
      }
      const y = top + side + (isLow ? 46 : 58) * unit;
      p.text(key, x, y, look);
      const at = x + measure(key, look.size, look.font) * 1.2 + 8 * unit;
      const counts = labels("share", { n: grouped(h.n_update), all: grouped(h.n_all) });
      const isOne = measure(counts, small.size, small.font) < width - at;
      paintLines(p, counts, at, y - (isOne ? -2 : 6) * unit, width - at, { ...small, fill: theme.text }, 2);
      const under = y + 22 * unit;
      p.rect(x, under, width - x, 12 * unit, { fill: mix(theme.page, theme.text, 0.12), radius: 2 });
      p.rect(x, under, ((width - x) * h.n_update) / h.n_all, 12 * unit, { fill: theme.primary });
    }

    const lowest = isNarrow ? top + side + 28 * unit : top + side + (isLow ? 84 : 96) * unit;
    return {
      things: Array.from({ length: nRow * nColumn }, (_, i) => i),
      across: nColumn,
      size: [width, Math.max(bottom, lowest) + 2],
      at(px, py) {
        const [i, j] = [Math.floor((py - top) / cell), Math.floor((px - x2) / cell)];
        return i >= 0 && i < nRow && j >= 0 && j < nColumn ? i * nColumn + j : null;
      },
      paint(p, place) {
        if (learned) {
          p.text(labels("learned", { n: h.n_line }), 0, 9 * unit, soft);
          paintLines(p, h.line, 0, 30 * unit, left, { ...code(13), fill: theme.text }, 2);
        }
        if (!isNarrow) p.text(labels(learned ? "continues" : "continues_alone"), 0, learned + 10 * unit, soft);
        const begins = { ...code(isNarrow ? 15 : 17, 700), fill: theme.text };
        paintLines(p, `${h.beginning} …`, 0, begun - 18 * unit, left, begins, 1);
        paintCard(p, 0, 0);
        paintCard(p, 1, step);
        paintMatrices(p);
        paintCell(p, place ?? h.largest);
        paintShare(p);
      },
      said: (place) => {
        const [i, j] = [Math.floor(place / nColumn), place % nColumn];
        return [labels("said", { i: i + 1, j: j + 1, product: told(i, j) })];
      },
      hint: labels("hint"),
      sentence: labels.parts(isNarrow ? "sentence_short" : "sentence", {
        rule: el("b", { text: labels("sentence.rule") }),
      }),
      columns: [labels("strength"), labels("text"), ...h.tokens.map(word)],
      rows: h.strengths.map((one, s) => [
        percent(one),
        h.texts[s],
        ...h.tokens.map((_, i) => chances.data[s * h.tokens.length + i]),
      ]),
    };
  },
  {
    steps: ({ strengths }) => strengths.map((one) => labels("step", { share: percent(one) })),
    player: { what: labels("what"), name: "Update", perSecond: 1 },
  },
);
