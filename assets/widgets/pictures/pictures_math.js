// A grid of small pictures: where each stands, what its pixels look like, what is read at a place. Pure; tested with
// node.
import { mix, parseHex } from "../drawing/color.js";
import { labels } from "./labels.js";

export const GAP = 12;
export const LEAST = 44; // css pixels: a finger's
const TALLEST = 520;

/**
 * The most columns, at most `wish`, in which a picture keeps its `least` width; divisors of the wish keep its rows
 * whole.
 */
function narrower(wish, fits, least) {
  const fine = (c) => c === 1 || fits(c) >= least;
  for (let c = wish; c > 1; c--) if (wish % c === 0 && fine(c)) return c;
  return wish > 3 && !fine(2) ? 1 : Math.max(1, [...Array(wish + 1).keys()].reverse().find((c) => c && fine(c)) ?? 1);
}

/**
 * Columns and the size of each picture, for the width there is.
 * @param n pictures of x times y pixels; columns, size: wishes (css pixels), or null; least: no narrower for the
 *   columns
 * @returns {{columns, rows, wide, high}} a small picture's pixels are whole css pixels
 */
export function layout(n, x, y, width, { columns = null, size = null, least = LEAST } = {}) {
  const fits = (c) => Math.floor((width - GAP * (c - 1)) / c);
  let natural = size ?? (columns ? 208 : n === 1 ? 320 : n <= 4 ? 208 : n <= 16 ? 144 : n <= 64 ? 96 : 64);
  if (n > 1 && width < 480) natural = Math.min(natural, Math.max(LEAST, fits(n > 16 ? 4 : 2)));
  const c = columns
    ? narrower(Math.min(columns, n), fits, least)
    : Math.max(1, Math.min(n, Math.floor((width + GAP) / (natural + GAP))));
  let wide = Math.max(1, Math.min(natural, fits(c), (TALLEST * x) / y));
  if (wide >= 2 * x) wide = Math.floor(wide / x) * x;
  return { columns: c, rows: Math.ceil(n / c), wide, high: (wide * y) / x };
}

/** A title in at most `most` lines of at most `room`; what does not fit ends in "…". widthOf: text => its width. */
export function wrapped(title, room, widthOf, most = 2) {
  const lines = [];
  let line = "";
  const rest = title.split(/\s+/).filter(Boolean);
  while (rest.length) {
    const tried = line ? `${line} ${rest[0]}` : rest[0];
    if (!line || widthOf(tried) <= room) {
      line = tried;
      rest.shift();
    } else if (lines.length + 1 < most) {
      lines.push(line);
      line = "";
    } else break;
  }
  let last = rest.length ? `${line} ${rest.join(" ")}` : line;
  if (widthOf(last) > room) {
    while (last.length > 1 && widthOf(`${last}…`) > room) last = last.slice(0, -1);
    last = `${last.trimEnd()}…`;
  }
  const cut = (text) => {
    let out = text;
    while (out.length > 1 && widthOf(out) > room) out = out.slice(0, -1);
    return out === text ? text : `${out.slice(0, -1)}…`;
  };
  return [...lines.map(cut), ...(last ? [last] : [])];
}

/** How strong a weight is drawn, -1 to 1, 0 where it is none. */
export const strength = (value, low, high) =>
  Number.isFinite(value) ? Math.max(-1, Math.min(1, value / (Math.max(Math.abs(low), Math.abs(high)) || 1))) : 0;

/**
 * One picture as bytes (red, green, blue, opacity).
 * Ink lies on paper: where a patch has a weight its paper is tinted, and the ink above stays as dark as it was.
 * pixels: its bytes, row by row; depth 1 (gray) or 3 (color); full: the gray value of full ink or of white.
 * look: ink, page and text; with ink, gray is ink in the color of the text on paper in the color of the page.
 * patchOf(row, column) is the number of a patch, tint(patch) gives [color, 0..1], isHidden(patch) a boolean.
 */
export function painted(pixels, x, y, depth, full, look, patchOf, tint, isHidden) {
  const out = new Uint8ClampedArray(x * y * 4);
  const text = parseHex(look.text);
  const papers = new Map();
  const paperOf = (patch) => {
    if (!papers.has(patch)) {
      const [color, share] = tint(patch);
      papers.set(patch, parseHex(share ? mix(look.page, color, share) : look.page));
    }
    return papers.get(patch);
  };
  for (let r = 0, i = 0; r < y; r++) {
    for (let c = 0; c < x; c++, i++) {
      const patch = patchOf(r, c);
      const paper = paperOf(patch);
      const faint = isHidden(patch) ? 0.22 : 1;
      for (let k = 0; k < 3; k++) {
        const v = depth === 3 ? pixels[i * 3 + k] : (pixels[i] / full) * 255;
        out[i * 4 + k] =
          look.ink && depth === 1
            ? paper[k] + (text[k] - paper[k]) * (pixels[i] / full) * faint
            : paper[k] + (v - paper[k]) * faint;
      }
      out[i * 4 + 3] = 255;
    }
  }
  return out;
}

/** Slanted lines inside a rectangle, as pairs of points. */
export function hatching(x, y, w, h, step) {
  const lines = [];
  for (let d = step / 2; d < w + h; d += step) {
    lines.push([
      [x + Math.max(0, d - h), y + Math.min(d, h)],
      [x + Math.min(d, w), y + Math.max(0, d - w)],
    ]);
  }
  return lines;
}

/** What a pixel is, in words. */
export function pixelWords(values, full, ink) {
  const [first, green, blue] = values;
  if (values.length === 3) return labels("pixel_color", { red: first, green, blue });
  return labels(ink ? "pixel_ink" : "pixel_gray", { value: first, full });
}

/** The place an arrow key leads to: `step` pixels at a time, and never out of the picture. at, by: [row, column]. */
export function moved(at, by, step, size) {
  return at.map((v, i) => {
    const unit = Math.floor(v / step[i]) + by[i];
    const last = Math.ceil(size[i] / step[i]) - 1;
    return Math.max(0, Math.min(last, unit)) * step[i];
  });
}
