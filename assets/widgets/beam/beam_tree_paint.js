// The tree of a beam search: a column of boxes for each step, and lines from parents to children.
import { format } from "../drawing/elements.js";
import { short } from "../drawing/tokens.js";
import { fate, frameAt } from "./beam_tree_math.js";
import { labels } from "./labels.js";

const NODE = [112, 36];
const GAP = [46, 8];
const TOP = 26;
const ROOT = 104; // css px

/** Where boxes lie, `unit` times as large. */
export function layTree(unit) {
  const px = (v) => v * unit;
  const x = (s) => px(ROOT + GAP[0] + s * (NODE[0] + GAP[0]));
  const y = (c) => px(TOP + c * (NODE[1] + GAP[1]));
  const [w, h] = NODE.map(px);
  const [stepX, stepY] = [px(NODE[0] + GAP[0]), px(NODE[1] + GAP[1])];
  return { px, x, y, w, h, stepX, stepY, root: px(ROOT), gap: px(GAP[0]) };
}

/** The colors of what may become of a candidate. */
export const tints = (theme) => ({
  kept: theme.categorical[0],
  finished: theme.categorical[2],
  pruned: theme.line,
  called: theme.soft,
});

/**
 * header: {steps, prompt, names, plain}; place: what `layTree` gave; isLit(s, c) and isPinned(s, c): of a step's
 * candidate.
 */
export function paintTree(p, header, place, theme, { frame, isLit, isPinned }) {
  const { steps, names, plain } = header;
  const { px, x, y, w, h, root } = place;
  const { step: upTo, decided } = frameAt(frame);
  const tint = tints(theme);
  const small = { font: theme.code, size: px(10.5), fill: theme.soft };
  const large = { font: theme.code, size: px(12.5) };
  const kept = (s) => steps[s].kept.flatMap((k, c) => (k ? [c] : []));
  const becomes = (s, c) => (s === upTo && !decided ? "called" : fate(steps[s], c));
  const middle = (c) => y(c) + h / 2;

  function edge(s, c) {
    const isPruned = becomes(s, c) === "pruned";
    const lit = isLit(s, c);
    const x0 = s ? x(s - 1) + w : root;
    const y0 = s ? middle(kept(s - 1)[steps[s].parents[c]]) : middle(0);
    const points = [
      [x0, y0],
      [x0 + px(8), y0],
      [x(s) - px(16), middle(c)],
      [x(s), middle(c)],
    ];
    p.line(points, {
      color: lit ? theme.accent : tint[becomes(s, c)],
      width: lit ? 2.5 : isPruned ? 0.75 : 1.25,
      dash: isPruned ? [3, 3] : [],
    });
  }

  function box(s, c) {
    const step = steps[s];
    const what = becomes(s, c);
    const isPruned = what === "pruned";
    const lit = isLit(s, c);
    const faint = isPruned && !lit;
    const [left, top] = [x(s), y(c)];
    p.rect(left, top, w, h, {
      fill: faint ? theme.page : theme.panel,
      stroke: lit ? theme.accent : tint[what],
      width: lit ? 2.5 : isPruned ? 1 : 1.75,
      dash: isPruned ? [3, 3] : [],
      radius: 6,
    });
    if (what === "finished") p.rect(left + w - px(13), top + px(5), px(8), px(8), { fill: tint.finished, radius: 1 });
    if (isPinned(s, c)) p.rect(left - 3, top - 3, w + 6, h + 6, { stroke: theme.accent, width: 1, radius: 8 });
    const look = { ...large, fill: faint ? theme.soft : theme.text, weight: faint ? 400 : 700 };
    p.text(short(names[step.tokens[c]], 11), left + px(8), top + px(12), look);
    const numbers = `${format(step.log_probs[c], 2)}${plain ? ", " : "  Σ "}${format(step.totals[c], 2)}`;
    p.text(numbers, left + px(8), top + px(26), small);
  }

  for (let s = 0; s <= upTo; s++) {
    const title = { fill: theme.soft, size: px(11), font: theme.font, align: "center" };
    p.text(labels("step", { step: s + 1 }), x(s) + w / 2, px(10), title);
    const places = [...steps[s].tokens.keys()];
    for (const strong of [false, true]) for (const c of places) if (isLit(s, c) === strong) edge(s, c);
    for (const c of places) box(s, c);
  }
  p.rect(1, y(0), root - 1, h, { fill: theme.panel, stroke: theme.soft, radius: 6 });
  p.text(short(header.prompt, 11), px(8), y(0) + px(12), { ...large, fill: theme.text, weight: 700 });
  p.text(labels("the_prompt"), px(8), y(0) + px(26), { ...small, font: theme.font });
}
