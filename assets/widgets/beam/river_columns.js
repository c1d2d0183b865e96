// The greedy text and the best one as two columns of bars, word by word: the river, recomposed for a phone.
import { clamp, measure } from "../drawing/elements.js";
import { word } from "../drawing/tokens.js";
import { labels } from "./labels.js";
import { share } from "./river_math.js";

const GAP = 14;
const LINE = [30, 330]; // css pixels: a line at most, all of them at most

/**
 * paths: of the greedy text, and of the best one if that is another: indices of branches. best: the index of its end.
 * @returns {{shapes: any[], size: number[], paint: (p: any, lit: Set<number>, step: number) => void}}
 */
export function columns({ branches, paths, best, theme, width, fills }) {
  const { unit } = theme;
  const last = Math.max(...paths.map((path) => path.length)) - 1;
  const room = (width - GAP * (paths.length - 1)) / paths.length;
  const line = Math.min(LINE[0], LINE[1] / (last + 1)) * unit;
  const widest = Math.max(...paths.map(([i]) => branches[i].total));
  const foot = 50 * unit + (last + 1) * line;
  const shapes = paths.flatMap((path, c) =>
    path.map((i, depth) => ({
      ...{ i, depth, isBest: path.at(-1) === best, x: c * (room + GAP), y: 26 * unit + depth * line },
      ...{ w: Math.max(2, (room * branches[i].total) / widest), h: line - 3 },
    })),
  );

  function paintColumn(p, path, c, isWhole) {
    const end = path.at(-1);
    const look = { font: theme.font, fill: end === best ? theme.primary : theme.text };
    const name = paths.length < 2 ? "river.search" : end === best ? "river.beam" : "river.search";
    const x = c * (room + GAP);
    p.text(labels(name), x, 12 * unit, { ...look, size: 15 * unit, weight: 700 });
    if (isWhole) p.text(share(branches[end].total), x, foot, { ...look, size: 30 * unit, weight: 750 });
  }

  function paintBar(p, { i, isBest, x, y, w, h }, isLit, part) {
    const letters = { size: 15 * unit, font: theme.code, weight: 600 };
    const shown = word(branches[i].token);
    const isInside = measure(shown, letters.size, letters.font) + 12 < w;
    const ink = isLit ? theme.onAccent : isBest ? theme.page : theme.text;
    p.rect(x, y, w * part, h, { fill: isLit ? theme.accent : fills[isBest ? "best" : "greedy"], radius: 3 });
    if (part < 1) return;
    p.text(shown, isInside ? x + 7 : x + w + 5, y + h / 2, { ...letters, fill: isInside ? ink : theme.text });
  }

  return {
    shapes,
    size: [width, foot + 20 * unit],
    paint(p, lit, step) {
      paths.forEach((path, c) => paintColumn(p, path, c, step >= last));
      for (const one of shapes) paintBar(p, one, lit.has(one.i), clamp(step - one.depth + 1, 0, 1));
    },
  };
}
