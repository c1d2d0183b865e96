// Where everything stands in the picture of a block that adds: a column of parts, one number, strips, chances. Pure.
import { clamp } from "../drawing/elements.js";

const NARROW = 480; // css pixels: below, the parts are only named above their strips

/**
 * @param {{width: number, tall: number, unit: number, n: number, isReadOut: boolean}} room n: strips; unit: of letters,
 *   1 on a page; isReadOut: with the output matrix and the scores between the strips and the chances
 * @returns rows: the middle of each strip; x and width of each column
 */
export function plan({ width, tall, unit, n, isReadOut }) {
  const isNarrow = width < NARROW;
  const letter = 13 * unit;
  const text = (isNarrow ? 30 : 36) * unit; // for the text that the token ends
  const head = text + (isNarrow ? 1.4 : 2.7) * letter;
  const row = isNarrow ? 45 * unit : clamp((tall - head) / n, 48 * unit, 66 * unit);
  const label = 1.35 * letter; // above a strip
  const high = Math.round(row - label - 8 * unit);
  const box = isNarrow ? 0 : 158 * unit;
  const line = isNarrow ? 9 * unit : box + 30 * unit;
  const number = line + (isNarrow ? 58 : 66) * unit; // the right end of the number that is followed
  const left = number + 10 * unit;
  const chance = (isNarrow ? 66 : 88) * unit;
  const score = isReadOut && width > 760 * unit ? 46 * unit : 0;
  const read = isReadOut ? (isNarrow ? 24 : 112) * unit : 0;
  const arrow = (isNarrow ? 9 : 22) * unit;
  const right = width - chance - score - read - (isReadOut ? 2 : 1) * arrow - 6 * unit;
  return {
    isNarrow,
    letter,
    unit,
    box,
    line,
    number,
    strip: { left, width: right - left, high },
    read: { left: right + arrow, width: read, arrow },
    score: score && width - chance - score,
    chance: { left: width - chance, width: chance },
    label,
    rows: Array.from({ length: n }, (_, r) => head + r * row + label + high / 2),
    text,
    top: head,
    height: Math.ceil(head + n * row),
  };
}
