// Pictures that are written pixel by pixel: where each stands, what is known at a moment. Pure; tested with node.
import { fixed } from "../page/numbers.js";
import { labels } from "./labels.js";

export const SIDE = 8;
export const GAP = 10;
export const TITLE = 18;
const LEAST = 8; // css pixels of a pixel

/**
 * Where the tiles stand: columns, the size of a pixel and of a tile, and the whole. As large as they may be.
 * n: of the tiles; width, tall: the room there is; title: the height of what stands above a tile.
 */
export function layout(n, width, tall = 480, title = TITLE) {
  for (let cell = 16; ; cell--) {
    const tile = cell * SIDE;
    const columns = Math.max(1, Math.min(n, Math.floor((width + GAP) / (tile + GAP))));
    const rows = Math.ceil(n / columns);
    const height = rows * (tile + title + GAP) - GAP;
    if (height <= tall || cell === LEAST) {
      return { n, cell, tile, title, columns, rows, width: columns * (tile + GAP) - GAP, height };
    }
  }
}

/**
 * A gallery of n completions beside what was given: four or eight in a row, each with a line above it.
 * width: the room there is; unit: 1, more on a slide.
 */
export function gallery(n, width, unit = 1) {
  const isNarrow = width < 560 * unit;
  const columns = isNarrow ? 4 : 8;
  const head = 24 * unit;
  const given = (isNarrow ? 8 : 16) * unit;
  const left = SIDE * given + (isNarrow ? 16 : 36) * unit;
  const made = Math.floor(Math.min(12 * unit, ((width - left) / columns - GAP) / SIDE));
  const tile = made * SIDE;
  const corner = (i) => [
    left + (i % columns) * (tile + GAP),
    head + Math.floor(i / columns) * (tile + head + 6 * unit),
  ];
  const high = Math.max(Math.ceil(n / columns) * (tile + head + 6 * unit), head + SIDE * given + 24 * unit) + 2;
  return { cell: { given, made }, tile, left, high, corner, columns, head };
}

/** The upper left corner of tile i's picture. */
export const corner = ({ columns, tile, title }, i) => [
  (i % columns) * (tile + GAP),
  Math.floor(i / columns) * (tile + title + GAP) + title,
];

/** The tile under a point, and the pixel of it (null beside the picture); null between tiles. */
export function find(geometry, x, y) {
  const { columns, tile, cell, title, n } = geometry;
  const c = Math.floor(x / (tile + GAP));
  const r = Math.floor(y / (tile + title + GAP));
  const i = r * columns + c;
  if (x < 0 || y < 0 || c >= columns || i >= n) return null;
  const [left, top] = corner(geometry, i);
  const u = Math.floor((x - left) / cell);
  const v = Math.floor((y - top) / cell);
  return { tile: i, pixel: u >= 0 && u < SIDE && v >= 0 && v < SIDE ? v * SIDE + u : null };
}

/** At which place of the text each pixel stands: the reverse of the order. */
export function places(order) {
  const out = new Array(order.length);
  order.forEach((pixel, place) => {
    out[pixel] = place;
  });
  return out;
}

/** All levels for one drawn pixel: the model's probability, the one that was drawn from, and whether it was drawn. */
export function choices({ ids, raw, used }, given, sample, place, truth) {
  const [, n, levels] = raw.shape;
  const start = (sample * n + place - given) * levels;
  return Array.from({ length: levels }, (_, level) => ({
    level,
    raw: raw.data[start + level],
    used: used.data[start + level],
    drawn: ids.data[sample * ids.shape[1] + place] === level,
    real: truth ? truth[place] === level : false,
  }));
}

/** The place of the pixel whose draw was the least certain: with the largest entropy of what was drawn from. */
export function mostOpen({ used, ids }, given, sample) {
  const [, n, levels] = used.shape;
  let [best, most] = [ids.shape[1] - 1, -1];
  for (let t = 0; t < n; t++) {
    let entropy = 0;
    for (let c = 0; c < levels; c++) {
      const p = used.data[(sample * n + t) * levels + c];
      if (p > 0) entropy -= p * Math.log(p);
    }
    if (entropy > most + 1e-9) [best, most] = [given + t, entropy];
  }
  return best;
}

/** Row and column of the pixel at a place of the text, counted from 1 for people. */
export const where = (order, place) =>
  labels("where", { row: Math.floor(order[place] / SIDE) + 1, column: (order[place] % SIDE) + 1 });

/** The moment in a sentence. */
export function spoken(header, rows, sample, place) {
  if (place < header.given) return labels("only_given");
  const drawn = rows.find((row) => row.drawn);
  return labels("moment", {
    picture: sample + 1,
    pixel: place + 1,
    all: header.order.length,
    where: where(header.order, place),
    level: drawn.level,
    raw: fixed(drawn.raw, 3),
    used: fixed(drawn.used, 3),
  });
}
