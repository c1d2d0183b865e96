// Where everything stands in the picture of a block that adds: a column of parts, strips, the readout. Pure.
import { clamp } from "../drawing/elements.js";

const NARROW = 480; // css pixels: below, the parts are only named above their strips

/**
 * @param {{width: number, tall: number, unit: number, n: number}} room n: strips; unit: of letters, 1 on a page
 * @returns rows: the middle of each strip; x and width of each column
 */
export function plan({ width, tall, unit, n }) {
  const isNarrow = width < NARROW;
  const letter = 13 * unit;
  const head = (isNarrow ? 1.4 : 2.7) * letter;
  const row = isNarrow ? 45 * unit : clamp((tall - head) / n, 48 * unit, 66 * unit);
  const label = 1.35 * letter; // above a strip
  const high = Math.round(row - label - 8 * unit);
  const box = isNarrow ? 0 : 158 * unit;
  const line = isNarrow ? 9 * unit : box + 30 * unit;
  const left = line + (isNarrow ? 15 : 24) * unit;
  const chance = (isNarrow ? 66 : 88) * unit;
  const score = width > 760 * unit ? 46 * unit : 0;
  const [arrow, read] = isNarrow ? [9 * unit, 24 * unit] : [22 * unit, 112 * unit];
  const right = width - chance - score - read - 2 * arrow - 6 * unit;
  return {
    isNarrow,
    letter,
    unit,
    box,
    line,
    strip: { left, width: right - left, high },
    read: { left: right + arrow, width: read, arrow },
    score: score && width - chance - score,
    chance: { left: width - chance, width: chance },
    label,
    rows: Array.from({ length: n }, (_, r) => head + r * row + label + high / 2),
    top: head,
    height: Math.ceil(head + n * row),
  };
}
