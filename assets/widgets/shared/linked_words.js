// Sentences whose words are highlighted and joined: words in lines, arcs over a sentence, lines from one row of words
// to another. A picture paints with these; each function only draws, at the places that `wordPlaces` and `boxRow` find.
import { measure } from "../drawing/elements.js";

/**
 * Where the words of a sentence stand, broken into lines.
 * @typedef {{x: number, y: number, w: number, h: number, line: number}} Place x, y: of its middle, in css pixels
 * @param {string[]} words
 * @param {{x: number, y: number, width: number, size: number, font: string, step?: number, pad?: number}} look
 *   x, y: the left end and the middle of the first line; step: from line to line; pad: beside each word
 * @returns {Place[]}
 */
export function wordPlaces(words, { x, y, width, size, font, step = 2 * size, pad = 0.22 * size }) {
  const gap = Math.max(0, measure(" ", size, font) - 2 * pad);
  let [line, at] = [0, x];
  return words.map((text) => {
    const w = measure(text, size, font) + 2 * pad;
    const isMark = /^[.,!;:]+$/.test(text);
    if (isMark) at -= gap + pad;
    if (!isMark && at + w > x + width && at > x) [line, at] = [line + 1, x];
    const place = { x: at + w / 2, y: y + line * step, w, h: 1.6 * size, line };
    at += w + gap;
    return place;
  });
}

/**
 * A row of words in boxes, all between x and x + width, with the same gap.
 * @param {string[]} words
 * @param {{x: number, y: number, width: number, size: number, font: string, gap?: number, height?: number}} look
 * @returns {Place[]}
 */
export function boxRow(words, { x, y, width, size, font, gap = 8, height = 2.2 * size }) {
  const letters = words.map((text) => measure(text, size, font));
  const free = width - letters.reduce((sum, w) => sum + w, 0) - gap * (words.length - 1);
  const pad = Math.max(2, Math.min(0.8 * size, free / (2 * words.length)));
  const taken = letters.reduce((sum, w) => sum + w + 2 * pad, gap * (words.length - 1));
  let at = x + (width - taken) / 2;
  return letters.map((w) => {
    const place = { x: at + w / 2 + pad, y, w: w + 2 * pad, h: height, line: 0 };
    at += place.w + gap;
    return place;
  });
}

/**
 * A word, on its box if that has a fill or a frame.
 * @param {any} p
 * @param {string} text
 * @param {Place} place
 * @param {{size: number, font: string, ink: string, fill?: string, stroke?: string, width?: number, dash?: number[],
 *   weight?: number}} look
 */
export function paintWord(
  p,
  text,
  { x, y, w, h },
  { ink, fill = "", stroke = "", width = 1.5, dash = [], weight = 400, ...letters },
) {
  if (fill || stroke) p.rect(x - w / 2, y - h / 2, w, h, { fill, stroke, width, dash, radius: 5 });
  p.text(text, x, y + 1, { ...letters, weight, fill: ink, align: "center" });
}

/**
 * An arc from a word to another one over (side -1) or under (side 1) their line, with an arrow at its end. Between two
 * lines it is a curve from the one to the other.
 * @param {any} p
 * @param {Place} from
 * @param {Place} to
 * @param {{color: string, width?: number, side?: number, lift?: number, opacity?: number}} look lift: how far it rises,
 *   in css pixels
 */
export function paintArc(p, from, to, { color, width = 2, side = -1, lift = 40, opacity = 1 }) {
  const head = 6 + 0.9 * width;
  if (from.line === to.line) {
    const [start, end] = [from.y + (side * from.h) / 2, to.y + (side * to.h) / 2 + side * head];
    const top = to.y + side * (to.h / 2 + lift);
    p.path(`M${from.x} ${start} C${from.x} ${top} ${to.x} ${top} ${to.x} ${end}`, { stroke: color, width, opacity });
    paintArrow(p, to.x, end - side * head, side, head, color);
    return;
  }
  paintLink(p, from, to, { color, width, opacity, head });
}

/**
 * A curve from a word to one in another line or row, or with `isAcross` in a column to the left or right; with `head`
 * css pixels of an arrow at its end.
 */
export function paintLink(p, from, to, { color, width = 2, opacity = 1, head = 0, isAcross = false }) {
  const look = { stroke: color, width, opacity };
  if (isAcross) {
    const side = Math.sign(to.x - from.x);
    const [start, end] = [from.x + (side * from.w) / 2, to.x - (side * to.w) / 2];
    const middle = (start + end) / 2;
    p.path(`M${start} ${from.y} C${middle} ${from.y} ${middle} ${to.y} ${end} ${to.y}`, look);
    return;
  }
  const side = Math.sign(from.y - to.y) || 1; // of the word that it goes to
  const [start, end] = [from.y - (side * from.h) / 2, to.y + side * (to.h / 2 + head)];
  const bend = (start - end) / 2;
  p.path(`M${from.x} ${start} C${from.x} ${start - bend} ${to.x} ${end + bend} ${to.x} ${end}`, look);
  if (head) paintArrow(p, to.x, end - side * head, side, head, color);
}

/** The head of an arrow whose point is at x, y; it comes from above (side -1) or from below (side 1). */
function paintArrow(p, x, y, side, size, color) {
  const back = y + side * size * 1.15;
  p.path(`M${x} ${y} L${x - 0.75 * size} ${back} L${x + 0.75 * size} ${back} Z`, { fill: color });
}

/** Slanted lines over a box: what can't be seen or isn't told yet. @param {any} p @param {Place} place */
export function paintHatch(p, { x, y, w, h }, color) {
  const [left, top, step] = [x - w / 2, y - h / 2, 6];
  for (let at = step; at < w + h; at += step) {
    const from = [left + Math.min(at, w), top + Math.max(0, at - w)];
    const to = [left + Math.max(0, at - h), top + Math.min(at, h)];
    p.segment(...from, ...to, { color, width: 1 });
  }
}
