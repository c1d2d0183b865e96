// All heads as small pictures: their cells in one image, the strongest pair of each, and the best head.
import { mix, raster } from "../drawing/color.js";
import { clamp, format, fromByte, ROUNDED } from "../drawing/elements.js";
import { CanvasPainter, paintCells } from "../drawing/painter.js";
import { visible } from "../drawing/tokens.js";
import { labels } from "./labels.js";

export const STYLE = `
.gf-told, .gf-told .gf-facts { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.4rem; }
.gf-told { margin-top: 0.4rem; }
.gf-told .gf-title { padding: 0; }
@container (min-width: 560px) { .gf-split.even { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
`;

const LARGE = 120; // css pixels: of heads so large none needs to be enlarged
const DEEP = 16; // layers
const SMALL = 14; // css pixels from head to head: below, one cannot tell them apart

/** Whether all heads of a layer can stand that large side by side. */
export const isRoomy = (width, nHead, unit) => width / nHead >= LARGE * unit;

/**
 * How large a head is, and from where to where the next one lies. Large ones are not higher than one sees at once.
 *
 * The layers of a deep model stand in several groups side by side, so that all of its heads are seen at once: as many
 * groups as make the heads largest.
 */
export function sizesOf([nLayer, nHead], room, tall, isLarge, isRanked, unit, x0) {
  const gap = nHead > 8 ? 5 : isLarge ? 12 : 8;
  const below = isRanked ? Math.round(20 * unit) : 0; // for the score
  const most = isLarge ? Math.max(Math.floor((tall - 120 * unit) / nLayer) - below, LARGE) : Math.round(148 * unit);
  const step = clamp(Math.floor((room + gap) / nHead), 29, most);
  const one = { gap, step, size: step - gap, line: step + below, perGroup: nLayer, group: 0 };
  if (nLayer < DEEP || one.line * nLayer <= tall) return one;
  const thin = isRanked ? Math.round(9 * unit) : 0; // a bar without digits
  const tries = [1, 2, 3, 4].map((n) => {
    const perGroup = Math.ceil(nLayer / n);
    const across = (room - (n - 1) * x0) / n;
    const small = Math.floor(Math.min((across + 3) / nHead, tall / perGroup - thin));
    return { gap: 3, step: small, size: small - 3, line: small + thin, perGroup, group: nHead * small + x0 };
  });
  const best = tries.reduce((a, b) => (b.step > a.step ? b : a));
  return best.step < SMALL ? one : best;
}

/** The upper left corner of a head. */
export function place({ x0, y0, step, line, perGroup, group }, l, n) {
  return [x0 + Math.floor(l / perGroup) * group + n * step, y0 + (l % perGroup) * line];
}

/** Which head lies there, [layer, head]; null where there is none. */
export function headAt({ x0, y0, step, line, perGroup, group, nLayer, nHead }, x, y) {
  const side = group ? Math.floor((x - x0) / group) : 0;
  const l = side * perGroup + Math.floor((y - y0) / line);
  const n = Math.floor((x - x0 - side * group) / step);
  return x < x0 || y < y0 || n >= nHead || l >= Math.min((side + 1) * perGroup, nLayer) ? null : [l, n];
}

/** The largest weight, leaving out the first row: under a causal mask it has only itself to read. */
export function strongest(levels, T, S) {
  let where = T > 1 ? S : 0;
  for (let i = where; i < levels.length; i++) if (levels[i] > levels[where]) where = i;
  return [Math.floor(where / S), where % S, levels[where] / 255];
}

/** The head with the largest of these scores, as "layer,head"; those that are off do not count. */
export function winner(scores, off) {
  let top = null;
  let where = null;
  scores.forEach((row, l) =>
    row.forEach((v, h) => {
      if (v !== null && !off.has(`${[l, h]}`) && (top === null || v > top)) [top, where] = [v, `${[l, h]}`];
    }),
  );
  return where;
}

/** How many cells a pixel of the screen shows, down and across, in a head of this size. */
export const poolOf = (T, S, size) =>
  Math.max(1, Math.ceil(Math.max(T, S) / (size * (globalThis.devicePixelRatio || 1)) - 0.1));

/**
 * Every head once in one image; drawing is then one scaled copy per head. Where there are more cells than pixels a
 * pixel shows the strongest of its cells, so that a single bright pair never vanishes.
 */
export function atlasOf(data, { nLayer, nHead, T, S, pool, scale }) {
  const rows = Math.ceil(T / pool);
  const columns = Math.ceil(S / pool);
  const top = new Uint8Array(nHead * columns * nLayer * rows);
  let i = 0;
  for (let l = 0; l < nLayer; l++) {
    for (let h = 0; h < nHead; h++) {
      for (let t = 0; t < T; t++) {
        const start = (l * rows + Math.floor(t / pool)) * nHead * columns + h * columns;
        for (let s = 0; s < S; s++, i++) {
          const to = start + Math.floor(s / pool);
          if (data[i] > top[to]) top[to] = data[i];
        }
      }
    }
  }
  return { rows, columns, atlas: raster(nHead * columns, nLayer * rows, scale.rgb, (p) => top[p]) };
}

/** One line for each head: its strongest pair, and its scores. */
export function tableOf({ tokens, columns, scores }, { nLayer, nHead }, off, strongestOf) {
  const names = Object.keys(scores);
  const rows = [];
  for (let l = 0; l < nLayer; l++) {
    for (let n = 0; n < nHead; n++) {
      const [r, c, w] = strongestOf([l, n]);
      const name = labels(off.has(`${[l, n]}`) ? "head_knocked_out" : "head", { layer: l, head: n });
      rows.push([name, visible(tokens[r]), visible(columns[c]), fromByte(w), ...names.map((one) => scores[one][l][n])]);
    }
  }
  const weight = labels("rounded_weight", { rounded: ROUNDED });
  return { columns: [labels("head_column"), labels("strongest_query"), labels("key"), weight, ...names], rows };
}

/** The frame of a head; one that is knocked out stays where it is, crossed out. */
function paintFrame(p, x, y, size, isOff, theme) {
  p.rect(x - 0.5, y - 0.5, size + 1, size + 1, { stroke: theme.line });
  if (!isOff) return;
  const look = { color: theme.text, width: 1.5 };
  p.segment(x, y, x + size, y + size, look);
  p.segment(x + size, y, x, y + size, look);
}

/** Every head from the image; one that is knocked out is pale. */
export function drawHeads(ctx, geometry, theme, off) {
  const { nLayer, nHead, size, rows, columns, atlas } = geometry;
  const p = new CanvasPainter(ctx);
  ctx.imageSmoothingEnabled = false;
  for (let l = 0; l < nLayer; l++) {
    for (let n = 0; n < nHead; n++) {
      const [x, y] = place(geometry, l, n);
      const isOff = off.has(`${[l, n]}`);
      ctx.globalAlpha = isOff ? 0.3 : 1;
      ctx.drawImage(atlas, n * columns, l * rows, columns, rows, x, y, size, size);
      ctx.globalAlpha = 1;
      paintFrame(p, x, y, size, isOff, theme);
    }
  }
}

/** Below each head its score, on a bar from 0 to 1; a tick stands where a head has its name from. */
export function paintScores(p, geometry, theme, scores, threshold) {
  const { size, line, step } = geometry;
  const letter = Math.round(12 * theme.unit);
  const digits = size < 5 * letter ? 0 : 2.9 * letter;
  const isThin = line - step < letter;
  const [thick, room] = [Math.round((isThin ? 3 : 5) * theme.unit), size - digits];
  scores.forEach((row, l) =>
    row.forEach((score, n) => {
      const [x, top] = place(geometry, l, n);
      const y = top + size + (isThin ? 5 * theme.unit : 0.9 * letter);
      const reaches = threshold === null || score >= threshold;
      const bar = { radius: thick / 2 };
      p.rect(x, y - thick / 2, room, thick, { ...bar, fill: theme.wash });
      if (score > 0) {
        const fill = reaches ? theme.categorical[0] : mix(theme.page, theme.soft, 0.55);
        p.rect(x, y - thick / 2, Math.max(thick, Math.min(1, score) * room), thick, { ...bar, fill });
      }
      if (threshold !== null) {
        const at = x + threshold * room;
        p.segment(at, y - thick, at, y + thick, { color: theme.accent, width: 2 });
      }
      if (digits) {
        p.text(format(score, 2), x + size, y, {
          fill: theme.text,
          size: letter,
          font: theme.code,
          align: "right",
          weight: reaches && threshold !== null ? 700 : 400,
        });
      }
    }),
  );
}

/** The same for PNG and SVG, with every cell. */
export function paintHeads(p, geometry, theme, levels, off) {
  const { nLayer, nHead, size, T, S, scale: colors } = geometry;
  for (let l = 0; l < nLayer; l++) {
    for (let n = 0; n < nHead; n++) {
      const w = levels([l, n]);
      const [x, y] = place(geometry, l, n);
      paintCells(p, x, y, size / Math.max(T, S), T, S, (r, c) =>
        w[r * S + c] ? colors.css(w[r * S + c] / 255) : null,
      );
      paintFrame(p, x, y, size, off.has(`${[l, n]}`), theme);
    }
  }
}
