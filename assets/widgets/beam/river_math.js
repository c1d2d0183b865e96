// Where the branches of a river lie. Pure; tested with node.
import { percent } from "../drawing/elements.js";
import { localized } from "../page/numbers.js";

/** A probability in percent; a small one with two digits. */
export const share = (p) => (p >= 0.01 ? percent(p) : `${localized(String(Number((100 * p).toPrecision(2))))}%`);

const LEAST = 0.6; // of the height for the root: rows that need more room make the picture taller

/**
 * The branches with their children and depth. branches: {parent: index or -1, total}, a parent before its children.
 * @returns {{depth: number, children: number[]}[]}
 */
export function grown(branches) {
  const found = branches.map(({ parent }) => ({ parent, depth: 0, children: [] }));
  found.forEach((one, i) => {
    if (one.parent < 0) return;
    one.depth = found[one.parent].depth + 1;
    found[one.parent].children.push(i);
  });
  return found;
}

/**
 * The upper end of each branch, where it leaves its parent, and its height; all fit into `height`, if their rows do.
 * rows: the least height of each branch, for what is written there; gap: between two branches.
 * @returns {{spots: {from: number, y: number, h: number}[], root: {y: number, h: number}, height: number}}
 */
export function flow(branches, rows, { height, gap }) {
  const tree = grown(branches);
  const first = [...branches.keys()].filter((i) => branches[i].parent < 0);
  const total = first.reduce((sum, i) => sum + branches[i].total, 0);
  const stacked = (list, scale) => list.reduce((sum, i) => sum + span(i, scale), gap * Math.max(0, list.length - 1));
  const span = (i, scale) => Math.max(rows[i], scale * branches[i].total, stacked(tree[i].children, scale));
  let [low, high] = [0, height / total];
  for (let n = 0; n < 30; n++) {
    const scale = (low + high) / 2;
    if (stacked(first, scale) > height) high = scale;
    else low = scale;
  }
  const scale = Math.max(low, (LEAST * height) / total);
  const all = stacked(first, scale);
  const spots = branches.map(() => ({ from: 0, y: 0, h: 0 }));
  function lay(list, top, room, parentY) {
    let y = top + (room - stacked(list, scale)) / 2;
    let from = parentY;
    for (const i of list) {
      const h = scale * branches[i].total;
      const own = span(i, scale);
      spots[i] = { from, y: y + (own - h) / 2, h };
      lay(tree[i].children, y, own, spots[i].y);
      [y, from] = [y + own + gap, from + h];
    }
  }
  const root = { y: (all - scale * total) / 2, h: scale * total };
  lay(first, 0, all, root.y);
  return { spots, root, height: all };
}

/** The branches that lead to one, from the first to it. */
export function pathTo(branches, i) {
  const path = [];
  for (let at = i; at >= 0; at = branches[at].parent) path.unshift(at);
  return path;
}
