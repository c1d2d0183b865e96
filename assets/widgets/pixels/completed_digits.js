// One upper half, completed many times: the part that is given at the left, beside it what the model made of it, each
// with the digit that a classifier sees in it. A film over the pixels; nothing asks the server.
import { mix } from "../drawing/color.js";
import { el } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { gallery, SIDE } from "./pixel_film_math.js";
import { labels } from "./labels.js";

const MOST = 3; // digits in the sentence

export default picture(
  (h, { ids }, { theme, width, step }) => {
    const { order, given, levels, truth, digits } = h;
    const { unit } = theme;
    const [n, T] = ids.shape;
    const end = given + step;
    const isDone = end === T;
    const { cell, tile, left, high, corner, columns, head } = gallery(n, width, unit);
    const ink = (level) => mix(theme.page, theme.text, level / (levels - 1));
    const text = { font: theme.font, size: 13 * unit, fill: theme.soft, align: "center" };

    /** Draw the first pixels of a picture, and dots for those to come. */
    function paintPixels(p, [x, y], size, level, until) {
      p.rect(x, y, size * SIDE, size * SIDE, { fill: theme.page });
      order.forEach((pixel, t) => {
        const [px, py] = [x + (pixel % SIDE) * size, y + Math.floor(pixel / SIDE) * size];
        if (t < until) p.rect(px, py, size, size, { fill: ink(level(t)) });
        else p.rect(px + size / 2 - 1, py + size / 2 - 1, 2, 2, { fill: theme.line });
      });
    }

    function paintGiven(p) {
      const [x, y] = [0, head];
      const [middle, side] = [left / 2 - 8 * unit, cell.given * SIDE];
      p.text(labels("given"), x + side / 2, y - head / 2, { ...text, fill: theme.text, weight: 700 });
      paintPixels(p, [x, y], cell.given, (t) => truth[t], given);
      p.rect(x - 0.5, y - 0.5, side + 1, side + 1, { stroke: theme.line });
      const rest = (1 - given / T) * side;
      if (rest > 20 * unit) {
        const look = { ...text, size: Math.min(28 * unit, rest), fill: theme.soft, weight: 700 };
        p.text("?", x + side / 2, y + side - rest / 2, look);
      }
      if (h.digit !== null) {
        p.text(labels("real", { digit: h.digit }), Math.max(middle, side / 2), y + side + 14 * unit, text);
      }
    }

    function paintCompletion(p, i, isMarked) {
      const [x, y] = corner(i);
      const isRight = h.digit === null || digits[i] === h.digit;
      paintPixels(p, [x, y], cell.made, (t) => ids.data[i * T + t], end);
      p.rect(x - 0.5, y - 0.5, tile + 1, tile + 1, {
        stroke: isMarked ? theme.accent : isDone && isRight ? theme.primary : theme.line,
        width: isMarked ? 2 : 1,
      });
      const look = { ...text, size: 16 * unit, weight: 700, fill: isRight ? theme.primary : theme.text };
      p.text(isDone ? String(digits[i]) : "…", x + tile / 2, y - head / 2, look);
    }

    /** “an 8 in 10 of 16 pictures, a 9 in 6”; the rare ones together. */
    function outcome() {
      const rest = h.counts.slice(MOST).reduce((sum, [, times]) => sum + times, 0);
      const shown = [...h.counts.slice(0, MOST), ...(rest ? [[null, rest]] : [])];
      return shown.flatMap(([digit, times], k) => [
        k ? ", " : "",
        ...labels.parts(k ? "came_next" : "came_first", {
          digit: digit === null ? labels("another_digit") : labels(digit === 8 ? "an_eight" : "a_digit", { digit }),
          times: el("b", { class: "gf-key-number", text: times }),
          n,
        }),
      ]);
    }

    return {
      things: digits,
      size: [width, high],
      at(x, y) {
        const i = digits.findIndex((_, k) => {
          const [a, b] = corner(k);
          return x >= a && x < a + tile && y >= b - head && y < b + tile;
        });
        return i < 0 ? null : i;
      },
      across: columns,
      paint(p, place = null) {
        p.shifted(1, 1, () => {
          paintGiven(p);
          digits.forEach((_, i) => paintCompletion(p, i, i === place));
        });
      },
      said: (digit, i) => [labels("read_as", { picture: i + 1, digit, p: h.sure[i] })],
      hint: labels("completed_hint"),
      sentence: isDone
        ? labels.parts(given ? "sentence" : "sentence_nothing", { outcome: el("span", {}, ...outcome()) })
        : [labels("so_far", { i: step, total: T - given })],
      columns: [labels("picture"), labels("digit"), labels("sure")],
      row: (digit, i) => [i + 1, digit, h.sure[i]],
    };
  },
  {
    steps({ order, given }) {
      const total = order.length - given;
      return Array.from({ length: total + 1 }, (_, i) => labels("written", { i, total }));
    },
    player: {
      what: labels("pixels_written"),
      name: "Pixels written",
      back: labels("one_back"),
      on: labels("one_on"),
      perSecond: 8,
    },
  },
);
