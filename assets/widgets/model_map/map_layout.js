// Where everything of the map lies. `u` is depth, from the tokens to what comes next; `r` runs along the tokens. On
// a wide screen depth goes from left to right, on a phone from top to bottom. Pure; tested with node.
import { clamp } from "../drawing/elements.js";

export const N_BAR = 10;
const NARROW = 620; // css pixels of width, below that depth goes down
const OPEN = 6; // how much wider the block is that one has gone into, at least
const OPEN_SHARE = 0.55; // of so much of all others together, in a model of many layers

/**
 * @typedef {{p0: number, p1: number, z0: number, z1: number, add1: number, f0: number, f1: number, add2: number,
 *   stream: number | null, thumbs: {x: number, y: number, size: number}[]}} BlockPlace panel, threads, the sum of
 *   attention, feed-forward, its sum, and the tile of the stream behind it, all in u
 */

/**
 * @param {{width: number, height: number, unit: number, nToken: number, nLayer: number, nHead: number, label: number,
 *   open: number | null, openness?: number}} asked `label`: how long the longest token is; `open`: the block that has
 *   most of the room; `openness`, from 0 to 1: how far it has been opened
 */
export function layout(asked) {
  return asked.width < NARROW ? tallLayout(asked) : wideLayout(asked);
}

/** @param {any} asked */
function wideLayout({ width, height, unit, label, nToken, nLayer, nHead, open, openness = 1 }) {
  const tile = width < 800 ? 26 : 40;
  const bars = clamp(0.18 * width, 138 * unit, 216 * unit);
  const fan = clamp(0.05 * width, 26, 64);
  const emb = label + 8;
  const end = width - bars - fan - tile; // of the last tile's left side
  const begin = emb + tile + 14;
  const wide = Math.max(OPEN, OPEN_SHARE * (nLayer - 1));
  const parts = Array.from({ length: nLayer }, (_, l) => (l === open ? 1 + (wide - 1) * openness : 1));
  const total = parts.reduce((sum, one) => sum + one, 0);
  const top = { name: 16 * unit, thumbs: 46 * unit, rows: 138 * unit };
  let u = begin;
  const blocks = parts.map((part, l) => {
    const room = ((end - 12 - begin) * part) / total;
    const hasStream = room > 150 && l + 1 < nLayer;
    const panel = room - (hasStream ? tile + 18 : 6);
    const place = within(u, panel);
    if (hasStream) place.stream = u + panel + 9;
    const beside = room > 150 ? place.z1 : place.p1 - 3; // its MLP stands at the right, where there is room
    place.thumbs = thumbs(place.z0, beside, top.thumbs, top.rows - top.thumbs - 6, nHead, unit);
    u += room;
    return place;
  });
  const low = top.rows;
  const high = height - 8;
  const rowHeight = Math.min(34 * unit, (high - low) / nToken);
  const first = low + 0.3 * (high - low - rowHeight * nToken);
  const barHeight = Math.min(26 * unit, (high - top.name - 44) / N_BAR);
  return {
    isNarrow: false,
    width,
    height,
    unit,
    top,
    label,
    emb,
    tile,
    blocks,
    final: end,
    bars: { x: width - bars, y: top.rows - 60 * unit, width: bars, row: barHeight },
    rowHeight,
    row: (t) => first + (t + 0.5) * rowHeight,
    at: (/** @type {number} */ along, /** @type {number} */ r) => [along, r],
    box: (along, r, du, dr) => [along, r, du, dr],
  };
}

/** The parts of a block in so much room from u on. */
function within(u, room) {
  const pad = Math.min(10, 0.06 * room);
  const add2 = u + room - Math.min(12, 0.1 * room);
  const f1 = add2 - Math.min(10, 0.08 * room);
  const f0 = f1 - clamp(0.2 * room, 6, 96);
  const add1 = f0 - Math.min(16, 0.08 * room);
  return {
    ...{ p0: u, p1: u + room, z0: u + pad, z1: add1 - Math.min(8, 0.05 * room), add1, f0, f1, add2 },
    stream: null,
    thumbs: [],
  };
}

/** Squares for the maps of all heads, as large as they fit: in one row, or in several. */
function thumbs(x0, x1, y, height, nHead, unit) {
  const gap = (room) => Math.min(4, 0.2 * room);
  let best = { size: 0, columns: 1 };
  for (let columns = 1; columns <= nHead; columns++) {
    const room = Math.min(64 * unit + 4, (x1 - x0) / columns, height / Math.ceil(nHead / columns));
    if (room - gap(room) > best.size) best = { size: room - gap(room), columns };
  }
  const { size, columns } = best;
  const step = columns > 1 ? Math.min(size + 14, (x1 - x0 - size) / (columns - 1)) : 0;
  return Array.from({ length: nHead }, (_, h) => ({
    x: x0 + (h % columns) * step,
    y: y + Math.floor(h / columns) * (size + gap(size)),
    size,
  }));
}

function tallLayout({ width, unit, label, nToken, nLayer, nHead }) {
  const tile = 26;
  const emb = label + 6;
  const low = 6;
  const rowHeight = Math.min(34 * unit, (width - 2 * low) / nToken);
  const first = low + 0.5 * (width - 2 * low - rowHeight * nToken);
  let u = emb + tile + 14;
  const blocks = Array.from({ length: nLayer }, (_, layer) => {
    const heads = thumbs(12, width - 12, u + 30 * unit, 72, nHead, unit);
    const z0 = heads.at(-1).y + heads.at(-1).size + 14;
    const place = { p0: u, z0, z1: z0 + 112, add1: z0 + 122, f0: z0 + 138, f1: z0 + 178, add2: z0 + 190, p1: z0 + 202 };
    u = place.p1 + tile + 22;
    const stream = layer + 1 < nLayer ? place.p1 + 8 : null;
    return { ...place, stream, thumbs: heads };
  });
  const final = blocks.at(-1).p1 + 8;
  const bars = { x: 8, y: final + tile + 76 * unit, width: width - 16, row: 26 * unit };
  return {
    isNarrow: true,
    width,
    height: bars.y + N_BAR * bars.row + 8,
    unit,
    top: null,
    label,
    emb,
    tile,
    blocks,
    final,
    bars,
    rowHeight,
    row: (t) => first + (t + 0.5) * rowHeight,
    at: (along, r) => [r, along],
    box: (along, r, du, dr) => [r, along, dr, du],
  };
}

/** The way of a thread from token s up to token t, as a cubic: each head crosses in a lane of its own. */
export function thread(g, layer, head, nHead, s, t) {
  const { z0, z1 } = g.blocks[layer];
  const lane = z0 + (z1 - z0) * (0.26 + (0.48 * head) / Math.max(1, nHead - 1));
  return [g.at(z0, g.row(s)), g.at(lane, g.row(s)), g.at(lane, g.row(t)), g.at(z1, g.row(t))];
}

/** A point of a cubic, p of the way; the cubic is its four points. */
export function along(/** @type {number[][]} */ [a, b, c, d], p) {
  const q = 1 - p;
  const mixed = (k) => q * q * q * a[k] + 3 * q * q * p * b[k] + 3 * q * p * p * c[k] + p * p * p * d[k];
  return /** @type {[number, number]} */ ([mixed(0), mixed(1)]);
}
