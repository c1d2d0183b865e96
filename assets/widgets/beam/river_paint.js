// The river itself: branches as high as their texts are probable, with their words, and the numbers at their ends.
import { clamp, measure } from "../drawing/elements.js";
import { fitted, word } from "../drawing/tokens.js";
import { labels } from "./labels.js";
import { flow, share } from "./river_math.js";

const BESIDE = 150; // css pixels for the numbers at the ends
const LEFT = 12; // and for the root
const ROWS = { best: 54, greedy: 44, other: 20 }; // the least height of what is written at an end

/**
 * branches, with what `grown` found of them; kinds: "best", "greedy", "kept" or "dropped" for each; best, greedy: the
 * indices of their ends; bestName: what stands at the best; tall: css pixels at most.
 * @returns {{shapes: any[], size: number[], paint: (p: any, lit: Set<number>, step: number) => void}}
 */
export function river({ branches, tree, kinds, best, bestName, greedy, theme, width, tall, fills }) {
  const { unit } = theme;
  const last = Math.max(...tree.map(({ depth }) => depth));
  const left = LEFT * unit;
  const dx = (width - left - BESIDE * unit) / (last + 1);
  const letters = clamp((dx - 8) / 6.5 / 0.6, 12 * unit, 17 * unit);
  const isLeaf = (i) => tree[i].children.length === 0;
  const isPath = (i) => kinds[i] === "best" || kinds[i] === "greedy";
  const rows = branches.map((_, i) => {
    const kind = i === best ? "best" : i === greedy ? "greedy" : "other";
    return isLeaf(i) ? ROWS[kind] * unit : 0;
  });
  const { spots, root, height } = flow(branches, rows, { height: tall, gap: 6 * unit });
  const shapes = branches.map(({ fate, parent }, i) => {
    const { depth } = tree[i];
    const isStub = isLeaf(i) && fate === "dropped" && !isPath(i);
    const isFork = branches.filter((one) => one.parent === parent).length > 1;
    const spot = { x: left + depth * dx, y: spots[i].y, w: isStub ? 0.6 * dx : dx, h: Math.max(spots[i].h, 1.5) };
    return { i, depth, isStub, isFork, from: spots[i].from, ...spot };
  });
  const small = { size: 13 * unit, font: theme.font, fill: theme.soft };

  function paintBranch(p, { x, y, w, h, from }, fill) {
    const [middle, bend, end] = [x + 0.18 * dx, x + 0.36 * dx, x + w + 0.6];
    const upper = `M${x} ${from} C${middle} ${from} ${middle} ${y} ${bend} ${y} L${end} ${y}`;
    const lower = `L${end} ${y + h} L${bend} ${y + h} C${middle} ${y + h} ${middle} ${from + h} ${x} ${from + h} Z`;
    p.path(`${upper} ${lower}`, { fill });
  }

  function paintWord(p, { i, x, y, w, h, isStub, isFork }, ink) {
    const middle = y + h / 2;
    if (isStub) {
      p.text(labels("river.dropped", { token: word(branches[i].token) }), x + w + 6, middle, small);
      return;
    }
    const shown = fitted(word(branches[i].token), dx - 4, (one) => measure(one, letters, theme.code));
    const isThin = h < letters;
    const hasChance = isFork && h > 2.5 * letters;
    const at = [x + 0.62 * dx, middle - (hasChance ? 0.5 * letters : 0)];
    const look = { size: letters, font: theme.code, weight: 600, align: "center", fill: isThin ? theme.text : ink };
    p.text(shown, ...at, look);
    if (hasChance) {
      p.text(share(branches[i].p), at[0], middle + 0.65 * letters, { ...small, fill: ink, align: "center" });
    }
  }

  function paintEnd(p, { i, x, y, w, h }) {
    if (branches[i].fate !== "finished") return;
    const [at, middle, number] = [x + w + 10, y + h / 2, share(branches[i].total)];
    if (!isPath(i)) {
      p.text(number, at, middle, { ...small, size: 16 * unit, weight: 700 });
      return;
    }
    const isBest = i === best;
    const [size, below] = isBest ? [36, 19] : [26, 13];
    const fill = isBest ? theme.primary : theme.text;
    p.text(number, at, middle - 9 * unit, { size: size * unit, font: theme.font, weight: 750, fill });
    p.text(isBest ? bestName : labels("river.greedy"), at, middle + below * unit, {
      ...small,
      weight: 600,
      fill: isBest ? fill : theme.soft,
    });
  }

  return {
    shapes,
    size: [width, height + 26 * unit],
    paint(p, lit, step) {
      for (const one of shapes) {
        const w = one.w * clamp(step - one.depth + 1, 0, 1); // on its way from one step to the next, it grows
        if (w) paintBranch(p, { ...one, w }, lit.has(one.i) ? theme.accent : fills[kinds[one.i]]);
      }
      for (const one of shapes.filter(({ depth }) => depth <= step)) {
        paintWord(p, one, lit.has(one.i) ? theme.onAccent : kinds[one.i] === "best" ? theme.page : theme.text);
        if (isLeaf(one.i) && step >= last) paintEnd(p, one);
      }
      p.rect(0, root.y, left, root.h, { fill: theme.text, radius: 2 });
      p.text(labels("river.height"), 0, height + 16 * unit, small);
    },
  };
}
