// Maps and histograms of what was watched, one tile for each tensor. Painted through a painter.
import { raster, scale } from "../drawing/color.js";
import { measure } from "../drawing/elements.js";
import { labels } from "./labels.js";
import { brief, EMPTY, flow, mapsOf, valueOf } from "./watch_math.js";

const [HEAD, FOOT, GAP, BETWEEN] = [17, 15, 18, 5];
const [BAR_WIDTH, BAR_HEIGHT] = [176, 84];

/** Tiles for what is shown: {height, tiles: [{k, x, y, w, h, side…}]}. */
export function laidOut(view, tensors, width, theme) {
  const size = Math.min(15, 11 * theme.unit);
  const tiles = tensors.map((tensor, k) => {
    const [m, r, c] = tensor.maps;
    const wide = Math.min(width, Math.ceil(measure(tensor.name, size, theme.code)) + 4);
    if (view !== "map") return { k, w: Math.min(width, Math.max(BAR_WIDTH, wide)), h: HEAD + BAR_HEIGHT + FOOT };
    const most = (m > 1 ? 92 : 168) * Math.min(1.4, theme.unit);
    const [tall, broad] = [r * tensor.stride[1], c * tensor.stride[2]]; // as the tensor is, not as what is left of it
    const perCell = most / Math.max(tall, broad);
    const [mapWidth, mapHeight] = [Math.max(broad * perCell, 10), Math.max(tall * perCell, 12)];
    const inRow = Math.max(1, Math.min(m, Math.floor((width + BETWEEN) / (mapWidth + BETWEEN))));
    const foot = Math.min(width, Math.ceil(measure(footOf(tensor, -1.11e-11), size, theme.font)) + 4);
    const w = Math.max(inRow * (mapWidth + BETWEEN) - BETWEEN, wide, foot);
    const h = HEAD + Math.ceil(m / inRow) * (mapHeight + BETWEEN) + FOOT;
    return { k, w, h, inRow, mapWidth, mapHeight };
  });
  const { places, height } = flow(
    tiles.map(({ w, h }) => [w, h]),
    width,
    GAP,
  );
  return { height, tiles: tiles.map((tile, i) => ({ ...tile, x: places[i][0], y: places[i][1] })) };
}

/** What the colors run to, and which rows and columns there are. */
const footOf = ({ signed, note }, most) =>
  [signed ? `±${brief(most)}` : labels("range", { low: 0, high: brief(most) }), note].filter(Boolean).join(" · ");

/** Where map number `n` of a tile lies within it. */
const mapAt = (tile, n) => [
  (n % tile.inRow) * (tile.mapWidth + BETWEEN),
  HEAD + Math.floor(n / tile.inRow) * (tile.mapHeight + BETWEEN),
];

/** One scale for all frames; gradients and updates, which shrink by far, have one of their own in each. */
const mostOf = (tensor, limit) => (tensor.shrinks ? limit || 1 : tensor.most);
const scaleOf = (signed, most, mode) => scale(signed ? "signed" : "probability", signed ? -most : 0, most, mode);

let small; // one pixel for each cell

export function paintMaps(p, { tensors, levels, limits, frame, tiles, theme }) {
  for (const tile of tiles) {
    const tensor = tensors[tile.k];
    const [m, r, c] = tensor.maps;
    const limit = limits[frame * tensors.length + tile.k];
    const data = mapsOf(levels, tensor, frame);
    const most = mostOf(tensor, limit);
    const colors = scaleOf(tensor.signed, Number.isFinite(most) ? most : 1, theme.mode);
    heading(p, tile, tensor.name, theme);
    for (let n = 0; n < m; n++) {
      const [dx, dy] = mapAt(tile, n);
      small = raster(
        c,
        r,
        colors.rgb,
        (i) => {
          const level = data[n * r * c + i];
          return level === EMPTY ? null : colors.level(valueOf(level, limit, tensor.signed));
        },
        p.ctx ? small : undefined,
      );
      const [x, y] = [tile.x + dx, tile.y + dy];
      p.image(small, x, y, tile.mapWidth, tile.mapHeight, { smooth: tile.mapWidth < c });
      p.rect(x - 0.5, y - 0.5, tile.mapWidth + 1, tile.mapHeight + 1, { stroke: theme.line });
    }
    footing(p, tile, Number.isFinite(limit) ? footOf(tensor, most) : labels("not_watched"), theme);
  }
}

export function paintHistograms(p, { tensors, histogram, low, high, frame, tiles, theme, nBin }) {
  const n = tensors.length;
  for (const tile of tiles) {
    const tensor = tensors[tile.k];
    heading(p, tile, tensor.name, theme);
    const [x, y] = [tile.x, tile.y + HEAD];
    const bottom = y + BAR_HEIGHT;
    const [from, to] = tensor.range;
    const place = (v) => x + ((v - from) / (to - from || 1)) * BAR_WIDTH;
    if (from < 0 && to > 0) p.segment(place(0), y, place(0), bottom, { color: theme.line, width: 1, dash: [2, 3] });
    const bars = (at) => {
      const i = at * n + tile.k;
      const [a, b] = [low[i], high[i]];
      if (!Number.isFinite(a)) return null;
      const shares = histogram.subarray(i * nBin, (i + 1) * nBin);
      const most = Math.max(...shares) || 1;
      // All of one value: a single bar.
      const edge = (k) => (b > a ? place(a + ((b - a) * k) / nBin) : place(a) - 1.5 + (3 * k) / nBin);
      return Array.from(shares, (share, k) => [edge(k), edge(k + 1), (share / most) * (BAR_HEIGHT - 4)]);
    };
    const now = bars(frame);
    for (const [a, b, tall] of now ?? []) {
      if (tall > 0) {
        p.rect(a, bottom - Math.max(tall, 0.7), Math.max(b - a, 0.8), Math.max(tall, 0.7), {
          fill: theme.categorical[0],
        });
      }
    }
    const first = frame === tensor.first ? null : bars(tensor.first);
    if (first) {
      const outline = first.flatMap(([a, b, tall]) => [
        [a, bottom - tall],
        [b, bottom - tall],
      ]);
      p.line(outline, { color: theme.accent, width: 1 });
    }
    p.segment(x, bottom, x + BAR_WIDTH, bottom, { color: theme.soft, width: 1 });
    footing(p, tile, now ? labels("range", { low: brief(from), high: brief(to) }) : labels("not_watched"), theme);
  }
}

const heading = (p, tile, name, theme) =>
  p.text(name, tile.x, tile.y + 6, { fill: theme.text, size: Math.min(15, 11 * theme.unit), font: theme.code });

const footing = (p, tile, text, theme) =>
  p.text(text, tile.x, tile.y + tile.h - 7, {
    fill: theme.soft,
    size: Math.min(15, 11 * theme.unit),
    font: theme.font,
  });

/** The cell under a point of the maps: {k, map, row, column}; null where there is none. */
export function cellAt(tiles, tensors, x, y) {
  for (const tile of tiles) {
    const [m, r, c] = tensors[tile.k].maps;
    for (let n = 0; n < m; n++) {
      const [dx, dy] = mapAt(tile, n);
      const column = Math.floor(((x - tile.x - dx) / tile.mapWidth) * c);
      const row = Math.floor(((y - tile.y - dy) / tile.mapHeight) * r);
      if (column >= 0 && row >= 0 && column < c && row < r) return { k: tile.k, map: n, row, column };
    }
  }
  return null;
}

/** The tile under a point; null where there is none. */
export const tileAt = (tiles, x, y) =>
  tiles.find((one) => x >= one.x && y >= one.y && x < one.x + one.w && y < one.y + one.h) ?? null;
