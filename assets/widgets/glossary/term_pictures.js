// The small pictures of the glossary: bars, cells, or words with their numbers. Their colors follow the page by
// themselves, so nothing is drawn again when it turns dark.
import { measure } from "../drawing/elements.js";
import { scale } from "../drawing/color.js";
import { SvgPainter } from "../drawing/painter.js";

const [WIDTH, HEIGHT] = [220, 92]; // px
const SIZE = 13; // px, of all letters
const INK = "var(--st-text-color)";
const MAIN = "var(--st-primary-color)";
const QUIET = "light-dark(#c3cacd, #4a5a67)";
const GAP = 6;
const kinds = { bars, cells, words };

/** @returns {string} the picture as SVG */
export function draw(picture, font) {
  const p = new SvgPainter(WIDTH, HEIGHT);
  const text = (words, x, y, more = {}) => p.text(words, x, y, { fill: INK, size: SIZE, font, ...more });
  const wide = (texts = []) => Math.max(0, ...texts.map((one) => measure(one, SIZE, font))) + (texts.length ? GAP : 0);
  kinds[picture.kind](p, picture, { text, wide });
  return p.toString();
}

/** What a screen reader says of it. */
export const spoken = ({ caption, names, values, texts, kind }) =>
  kind === "cells" ? caption : [caption, ...names.map((name, i) => `${name}: ${texts?.[i] ?? values[i]}`)].join(" ");

const weight = (picture, i) => (picture.marks?.includes(i) ? 700 : 400);

/** A bar for each number, its name before it, or above it where names are long. */
function bars(p, picture, { text, wide }) {
  const { names, values, texts, most } = picture;
  const [before, after] = [wide(names), wide(texts)];
  const isLong = before > WIDTH / 2;
  const line = Math.min(HEIGHT / values.length, isLong ? 32 : 22);
  const left = isLong ? 0 : before;
  values.forEach((value, i) => {
    const [top, high] = isLong ? [i * line + 18, 8] : [i * line + 3, line - 7];
    text(names[i], 0, isLong ? i * line + 9 : top + high / 2, { weight: weight(picture, i) });
    const whole = WIDTH - left - after;
    p.rect(left, top, whole, high, { fill: "light-dark(#eceeee, #1d2c38)", radius: 2 });
    const share = Math.max(0, value / most);
    p.rect(left, top, Math.max(share && 1, whole * share), high, {
      fill: picture.off?.includes(i) ? QUIET : MAIN,
      radius: 2,
    });
    text(texts[i], WIDTH, top + high / 2, { align: "right", weight: weight(picture, i) });
  });
}

/** A grid of numbers: from none to the largest, or from the most negative to the most positive. */
function cells(p, picture, { text, wide }) {
  const { names, values, texts = [], is_signed: isSigned } = picture;
  const [left, after] = [wide(names), wide(texts)];
  const high = Math.min(HEIGHT / values.length, 24);
  const most = Math.max(...values.flat().map(Math.abs));
  const broad = Math.min((WIDTH - left - after) / values[0].length, isSigned ? WIDTH : 1.8 * high);
  const [low, kind] = isSigned ? [-most, "signed"] : [0, "probability"];
  const [light, dark] = ["light", "dark"].map((mode) => scale(kind, low, most, mode));
  let last = -SIZE;
  values.forEach((row, r) => {
    const middle = Math.max((r + 0.5) * high, SIZE / 2);
    if (middle - last >= SIZE) {
      if (names[r]) last = middle;
      text(names[r] ?? "", 0, middle, { weight: weight(picture, r) });
    }
    row.forEach((value, c) => {
      const fill = `light-dark(${light.css(value)}, ${dark.css(value)})`;
      p.rect(left + c * broad, r * high, broad - 0.5, high - 1, { fill });
    });
    if (texts[r]) text(texts[r], WIDTH, middle, { align: "right", weight: weight(picture, r) });
  });
}

/** Words in boxes, each with its number below. */
function words(p, picture, { text }) {
  const wide = WIDTH / picture.names.length;
  picture.names.forEach((name, i) => {
    const x = i * wide;
    p.rect(x + 1, 12, wide - 6, 30, { stroke: MAIN, radius: 6 });
    text(name, x + wide / 2 - 2, 27, { align: "center" });
    text(String(picture.values[i]), x + wide / 2 - 2, 62, { align: "center", size: 18, weight: 700 });
  });
}
