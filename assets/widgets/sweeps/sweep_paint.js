// A sweep on paper: one line for each run across the settings to its loss, and a heat map of two settings.
import { format, measure } from "../drawing/elements.js";
import { mix, readableOn } from "../drawing/color.js";
import { labels } from "./labels.js";
import { level } from "./sweep_math.js";

const TOP = 52;
const FOOT = 26;
const SIDE = 46;
const SPREAD = 0.7; // of the room of a tick, for the lines that pass it

/** Where axes and ticks are, in a picture of this size; the loss is the last axis. */
export function places(axes, width, height, unit, lanes) {
  const top = TOP * unit;
  const low = height - FOOT * unit;
  const xs = [...axes, null].map((_, k) => SIDE + (k * (width - SIDE - 58 * unit)) / axes.length);
  const tick = (k, place) => {
    const n = axes[k].ticks.length;
    return low - ((place + 0.5) * (low - top)) / n;
  };
  const lane = (i, k, place) => tick(k, place + SPREAD * lanes[i][k]);
  return { xs, top, low, tick, lane, loss: (share) => low - share * (low - top) };
}

/** The points of a run's line; without a score it ends at the last setting. */
export function chain(runs, i, at, range, rung) {
  const run = runs[i];
  const points = run.at.map((place, k) => [at.xs[k], at.lane(i, k, place)]);
  const score = run.scores[rung];
  if (score !== null && range) points.push([at.xs[run.at.length], at.loss(level(score, range))]);
  return points;
}

/** The color of a score: the best is strongest. */
export const colorOf = (score, range, scale) => scale.css(1 - 0.85 * level(score, range));

/** All lines, those out of sight pale, the pointed one on top. */
export function paintLines(p, all) {
  const { axes, runs, sight, order, rung, range, scale, picked, best, shown, theme, at, measured } = all;
  const size = 12 * theme.unit;
  const text = { size, font: theme.font };
  const faint = mix(theme.page, theme.text, 0.12);
  for (const i of [...order].reverse()) {
    if (!sight[i]) p.line(chain(runs, i, at, range, rung), { color: faint, width: 1 });
  }
  for (const i of [...order].reverse()) {
    if (!sight[i]) continue;
    const score = runs[i].scores[rung];
    const isIn = score !== null && range;
    const color = isIn ? colorOf(score, range, scale) : mix(theme.page, theme.text, 0.3);
    p.line(chain(runs, i, at, range, rung), { color, width: isIn ? 1.6 : 1, dash: isIn ? [] : [3, 3] });
  }
  if (shown !== null) p.line(chain(runs, shown, at, range, rung), { color: theme.accent, width: 3.5 });
  axes.forEach((axis, k) => {
    const x = at.xs[k];
    p.segment(x, at.top, x, at.low, { color: theme.soft, width: 1 });
    const align = k === 0 ? "left" : "center";
    const start = k === 0 ? x - SIDE + 4 : x;
    const isTight = at.xs[1] - at.xs[0] < 92 * theme.unit; // names in two rows
    const y = (isTight && k % 2 ? 33 : 14) * theme.unit;
    p.text(axis.label, start, y, { ...text, fill: theme.text, align, weight: 600 });
    if (axis.share !== null && !isTight) {
      p.text(labels("explains", { share: format(100 * axis.share, 0) }), start, 31 * theme.unit, {
        ...text,
        fill: theme.soft,
        align,
      });
    }
    axis.ticks.forEach((words, tick) => {
      const y = at.tick(k, tick);
      const isPicked = picked.get(k) === tick;
      const w = measure(words, size, theme.font) * 1.08 + 10;
      const fill = isPicked ? theme.accent : theme.page;
      p.rect(x - w / 2, y - size * 0.75, w, size * 1.5, { fill, stroke: theme.line, radius: 4 });
      const look = { ...text, align: "center", weight: isPicked ? 700 : 400 };
      p.text(words, x, y, { ...look, fill: isPicked ? theme.onAccent : theme.text });
    });
  });
  paintLoss(p, { axes, range, best, theme, at, text, measured });
}

function paintLoss(p, { axes, range, best, theme, at, text, measured }) {
  const x = at.xs[axes.length];
  p.segment(x, at.top, x, at.low, { color: theme.soft, width: 1 });
  p.text(measured, x, 14 * theme.unit, { ...text, fill: theme.text, align: "center", weight: 600 });
  if (!range) return;
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const score = range.low + share * (range.high - range.low);
    const words = `${format(score, 2)}${share === 1 && range.more ? "+" : ""}`;
    p.segment(x, at.loss(share), x + 4, at.loss(share), { color: theme.soft });
    p.text(words, x + 8, at.loss(share), { ...text, fill: theme.text });
  }
  if (best === null) return;
  const y = at.loss(level(best, range));
  p.rect(x - 4, y, 8, at.low - y, { fill: theme.accent });
}

/** Where the cells are. */
export function cellPlaces(sizes, names, width, theme) {
  const size = 12 * theme.unit;
  const left = Math.min(width * 0.34, Math.max(...names.map((one) => measure(one, size, theme.font))) * 1.08 + 14);
  const w = (width - left) / sizes[0];
  return { left, top: 8, w, h: Math.min(52 * theme.unit, Math.max(26 * theme.unit, w * 0.8)), foot: 30 * theme.unit };
}

/** The heat map: the best loss of each pair of settings. */
export function paintCells(p, { found, ticks, range, scale, shownCell, theme, at }) {
  const size = 12 * theme.unit;
  const text = { size, font: theme.font };
  found.forEach((row, r) => {
    const y = at.top + (found.length - 1 - r) * at.h;
    p.text(ticks[1][r], at.left - 8, y + at.h / 2, { ...text, fill: theme.text, align: "right" });
    row.forEach((cell, c) => {
      const x = at.left + c * at.w;
      const isIn = cell.score !== null && range;
      const fill = isIn ? colorOf(cell.score, range, scale) : theme.panel;
      const isBest = isIn && row.every((other) => other.score === null || other.score >= cell.score);
      const isShown = shownCell && shownCell[0] === r && shownCell[1] === c;
      p.rect(x + 1, y + 1, at.w - 2, at.h - 2, { fill, radius: 3 });
      if (isBest) p.rect(x + 2.5, y + 2.5, at.w - 5, at.h - 5, { stroke: theme.accent, width: 2, radius: 3 });
      if (isShown) p.rect(x + 2, y + 2, at.w - 4, at.h - 4, { stroke: theme.text, width: 3, radius: 3 });
      const words = isIn ? format(cell.score, 2) : cell.n ? "…" : "";
      if (measure(words, size, theme.font) < at.w - 4) {
        p.text(words, x + at.w / 2, y + at.h / 2, {
          ...text,
          fill: isIn ? readableOn(fill) : theme.soft,
          align: "center",
        });
      }
    });
  });
  ticks[0].forEach((words, c) => {
    const x = at.left + (c + 0.5) * at.w;
    p.text(words, x, at.top + found.length * at.h + 14 * theme.unit, { ...text, fill: theme.text, align: "center" });
  });
}
