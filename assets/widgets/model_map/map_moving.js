// What moves on the map: the words on their way, and the bars of what may come next.
import { clamp, measure } from "../drawing/elements.js";
import { fitted, word } from "../drawing/tokens.js";
import { labels } from "./labels.js";
import { along, thread } from "./map_layout.js";
import { reads } from "./map_numbers.js";
import { headColors } from "./map_paint.js";

/** Beads where the words are: one on each line; in the attention of a layer, those that the token looked at reads. */
export function paintBeads(p, { g, pass, focus, theme, front }) {
  if (front === Infinity || front < g.label) return;
  const layer = g.blocks.findIndex(({ z0, z1 }) => front > z0 && front < z1);
  for (let t = 0; t < pass.nToken; t++) {
    if (front < g.final + g.tile) {
      dot(
        p,
        g.at(front, g.row(t)),
        t === focus ? 5 : Math.min(3, 0.2 * g.rowHeight),
        t === focus ? theme.accent : theme.soft,
        theme,
      );
    }
  }
  if (layer < 0) return;
  const { z0, z1 } = g.blocks[layer];
  const colors = headColors(pass, layer, focus, theme);
  for (let head = 0; head < pass.nHead; head++) {
    for (const { from, weight } of reads(pass, layer, head, focus).slice(0, 3)) {
      if (from === focus || weight < 0.15) continue;
      dot(
        p,
        along(thread(g, layer, head, pass.nHead, from, focus), (front - z0) / (z1 - z0)),
        2 + 3 * weight,
        colors[head],
        theme,
      );
    }
  }
}

function dot(p, /** @type {number[]} */ [x, y], r, fill, theme) {
  p.rect(x - r - 1, y - r - 1, 2 * r + 2, 2 * r + 2, { fill: theme.page, radius: r + 1 });
  p.rect(x - r, y - r, 2 * r, 2 * r, { fill, radius: r });
}

/**
 * The bars, and the fan from the last vector into them; the regions of both.
 *
 * @param {any} p painter
 * @param {{g: any, theme: any, focus: number, rows: {id: number, p: number, before: number | null}[],
 *   vocabulary: (id: number) => string, chosen?: number | null, heading?: string, isShown: boolean}} look
 */
export function paintBars(p, { g, theme, focus, rows, vocabulary, chosen = null, heading = "", isShown }) {
  if (!isShown) return [];
  const { x, y, width, row } = g.bars;
  const size = 13 * g.unit;
  const top = g.isNarrow ? y : clamp(g.row(focus) - (rows.length / 2) * row, y, g.height - rows.length * row - 6);
  const name = { size: 14 * g.unit, font: theme.font, weight: 650, fill: theme.text };
  p.text(labels("matrix.probabilities"), x, top - 30 * g.unit, name);
  p.text(
    fitted(heading, width, (one) => measure(one, 12 * g.unit, theme.font)),
    x,
    top - 12 * g.unit,
    {
      ...{ size: 12 * g.unit, font: theme.font, fill: theme.soft },
    },
  );
  const label = Math.min(
    0.42 * width,
    Math.max(...rows.map(({ id }) => measure(word(vocabulary(id)), size, theme.code))) + 10,
  );
  const most = Math.max(0.25, ...rows.map(({ p: share, before }) => Math.max(share, before ?? 0)));
  const long = (share) => Math.max(1.5, (share / most) * (width - label - 44 * g.unit));
  const start = g.at(g.final + g.tile, g.row(focus));
  return rows.map(({ id, p: share, before }, i) => {
    const middle = top + (i + 0.5) * row;
    const isChosen = id === chosen;
    const color = isChosen || (chosen === null && i === 0) ? theme.accent : theme.categorical[0];
    const text = fitted(word(vocabulary(id)), label - 6, (one) => measure(one, size, theme.code));
    fan(p, g, start, [x, middle], { stroke: color, width: 0.8 + 6 * share, opacity: 0.2 + 0.6 * share });
    p.text(text, x, middle, {
      size,
      font: theme.code,
      weight: isChosen || i === 0 ? 700 : 400,
      fill: isChosen ? theme.accent : theme.text,
    });
    p.rect(x + label, middle - 0.3 * row, long(share), 0.6 * row, { fill: color, radius: 2 });
    if (before !== null) {
      p.rect(x + label, middle - 0.42 * row, long(before), 0.84 * row, { stroke: theme.text, dash: [3, 3], radius: 2 });
    }
    const reach = Math.max(long(share), before === null ? 0 : long(before));
    p.text(percent(share), x + label + reach + 5, middle, { size: 12 * g.unit, font: theme.font, fill: theme.soft });
    return { x, y: middle - row / 2, w: width, h: row, bar: id };
  });
}

const percent = (p) => (p >= 0.0095 ? `${Math.round(100 * p)}%` : "<1%");

function fan(p, g, [x0, y0], [x1, y1], look) {
  if (g.isNarrow) return;
  const pull = 0.5 * (x1 - x0);
  p.path(`M${x0} ${y0}C${x0 + pull} ${y0} ${x1 - pull} ${y1} ${x1 - 6} ${y1}`, look);
}

/** A drawn token on its way from its bar to the end of the text. */
export function paintFlight(p, { g, theme, text, from, share }) {
  const to = g.at(0.5 * g.label, g.row(text.at));
  const q = share * share * (3 - 2 * share);
  const [x, y] = [from[0] + (to[0] - from[0]) * q, from[1] + (to[1] - from[1]) * q - 60 * Math.sin(Math.PI * q)];
  const size = 14 * g.unit;
  const width = measure(word(text.token), size, theme.code) + 16;
  p.rect(x - width / 2, y - 13, width, 26, { fill: theme.accent, radius: 6 });
  p.text(word(text.token), x, y, { size, font: theme.code, weight: 700, fill: theme.onAccent, align: "center" });
}
