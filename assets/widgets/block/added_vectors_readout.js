// The readout of a block's sums: each goes through the output matrix and comes out as a chance of the next token.
import { mix } from "../drawing/color.js";
import { format, measure, percent } from "../drawing/elements.js";
import { fitted } from "../drawing/tokens.js";
import { arrow } from "./added_vectors_block.js";
import { labels } from "./labels.js";

/** A chance in percent, with a digit more where it is small. */
export const share = (p) => percent(p, p < 0.01 ? 1 : 0);

/** The chances, each at its sum; with all details also the output matrix that they come through, and the scores. */
export function paintReadout(p, at) {
  const { h, place, theme, text, next, isThere } = at;
  const { letter, chance } = place;
  const y = place.text;
  if (place.isNarrow) {
    const look = { ...text, fill: theme.soft, align: "right" };
    p.text(labels("next_short", { next }), chance.left + chance.width, y + 0.6 * letter, look);
  } else {
    [labels("chance_that"), labels("is_next", { next })].forEach((line, i) =>
      p.text(line, chance.left, y + (0.7 + 1.25 * i) * letter, i ? { ...text, weight: 600 } : text),
    );
  }
  if (h.is_read_out) paintMatrix(p, at);
  h.chances.forEach((value, i) => isThere(2 * i) && paintChance(p, value, i, at));
}

function paintMatrix(p, { h, n, place, theme, text, next }) {
  const { letter, unit, strip, read } = place;
  const bottom = place.rows.at(-1) + strip.high / 2;
  const wash = mix(theme.page, theme.primary, 0.12);
  p.rect(read.left, place.top + place.label - 4, read.width, bottom - place.top - place.label + 8, {
    fill: wash,
    stroke: theme.primary,
    width: 2,
    radius: 8 * unit,
  });
  const ink = { ...text, align: "center" };
  const middle = read.left + read.width / 2;
  if (place.isNarrow) {
    const look = { ...ink, rotate: -90, weight: 600, fill: theme.primary };
    const high = bottom - place.top - place.label;
    const words = fitted(labels("read_out_with"), high, (some) => 1.04 * measure(some, letter, theme.font));
    p.text(words, middle, (place.top + place.label + bottom) / 2, look);
  } else {
    const lines = (key, values, y) =>
      labels(key, values)
        .split("|")
        .forEach((line, i, all) => p.text(line, middle, y + (i - (all.length - 1) / 2) * 1.25 * letter, ink));
    p.text(labels("read_out"), middle, place.text + 0.7 * letter, { ...ink, weight: 700, fill: theme.primary });
    p.text(labels("output_matrix"), middle, place.text + 1.95 * letter, { ...ink, weight: 700, fill: theme.primary });
    lines("products", { n, next }, (place.rows[0] + place.rows[2]) / 2);
    if (h.parts.length > 1) lines("all_tokens", { n: h.n_vocabulary }, (place.rows[2] + place.rows[4]) / 2);
    if (place.score) p.text(labels("score"), place.score, place.text + 1.95 * letter, { ...text, fill: theme.soft });
  }
}

function paintChance(p, value, i, { h, place, theme, text, t, isNew, fade }) {
  const { isNarrow, unit, strip, read, chance } = place;
  const [r, isLast] = [2 * i, i === h.chances.length - 1];
  const [y, color] = [place.rows[r], fade(isLast ? theme.primary : theme.text, r)];
  arrow(p, strip.left + strip.width + 3, read.left - 1, y, fade(theme.primary, r), unit);
  if (h.is_read_out) {
    if (!isNarrow) p.segment(read.left, y, read.left + read.width, y, { color: fade(theme.primary, r), width: 1.2 });
    arrow(p, read.left + read.width, read.left + read.width + read.arrow - 2, y, fade(theme.primary, r), unit);
  }
  if (place.score) p.text(format(h.scores[i], 1), place.score, y, { ...text, font: theme.code, size: 15 * unit });
  const size = (isNarrow ? 21 : isLast ? 28 : 25) * unit;
  const look = { ...text, size, fill: color, weight: 700 };
  if (isNarrow) return p.text(share(value), chance.left + chance.width, y, { ...look, align: "right" });
  p.text(share(value), chance.left, y - 3 * unit, look);
  const bar = { top: y + 15 * unit, high: 5 * unit, radius: 2.5 * unit };
  p.rect(chance.left, bar.top, chance.width - 2, bar.high, { fill: theme.line, radius: bar.radius });
  const wide = Math.max(2, value * (chance.width - 2) * (isNew(r) ? t : 1));
  p.rect(chance.left, bar.top, wide, bar.high, { fill: theme.primary, radius: bar.radius });
}
