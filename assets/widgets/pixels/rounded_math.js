// A picture in the colors of a palette: counting, sorting, and what is told of a pixel. Pure; tested with node.
import { fixed } from "../page/numbers.js";
import { grouped } from "../drawing/elements.js";
import { labels } from "./labels.js";

/** How many pixels have each of n colors. */
export function counted(ids, n) {
  const counts = new Array(n).fill(0);
  for (const id of ids) counts[id]++;
  return counts;
}

/** Ids, the most used color first; of equals the lower id. */
export const mostUsed = (counts) => counts.map((_, id) => id).sort((a, b) => counts[b] - counts[a] || a - b);

/** The three numbers of one color. */
export const rgb = (data, i) => [data[3 * i], data[3 * i + 1], data[3 * i + 2]];

export const css = ([r, g, b]) => `#${[r, g, b].map((v) => v.toString(16).padStart(2, "0")).join("")}`;

export const share = (count, total) => {
  const percent = (100 * count) / total;
  return percent > 0 && percent < 0.1 ? labels("under") : `${fixed(percent, 1)}%`;
};

/** One color in words: its id, red, green and blue, and how much of the picture it is. */
export const colorWords = (id, color, count, total) =>
  labels("color", { n: count, id, color: color.join(" "), count: grouped(count), share: share(count, total) });

/** One pixel in words: what it was, what it became, and how far each channel is off. */
export const pixelWords = (row, column, before, after) => {
  const off = before.map((v, c) => Math.abs(v - after[c])).join(" ");
  return labels("became", { row, column, before: before.join(" "), after: after.join(" "), off });
};

/**
 * Bytes of an image, red, green, blue, alpha, of which all but one color is faded into the page.
 * @param colorAt i => [r, g, b] of pixel i
 * @param isLit i => whether pixel i stays as it is
 */
export function faded(n, colorAt, isLit, page, rest = 0.16) {
  const bytes = new Uint8ClampedArray(4 * n);
  for (let i = 0; i < n; i++) {
    const color = colorAt(i);
    const keep = isLit(i) ? 1 : rest;
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = page[c] + (color[c] - page[c]) * keep;
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}

/** The widths of both pictures and whether they stand side by side: on a phone only where they have few pixels. */
export function placed(width, x, y, size, gap = 16, tallest = 460) {
  const half = (width - gap) / 2;
  const beside = half >= (x <= 64 ? 120 : 220);
  const wide = Math.min(beside ? half : width, size ?? Infinity, (tallest * x) / y);
  return { beside, wide: Math.max(1, Math.floor(wide)), high: Math.max(1, Math.round((Math.floor(wide) * y) / x)) };
}
