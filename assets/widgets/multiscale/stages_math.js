// The stages of a multi-scale model as stacks of squares, to scale, and the pieces into which windows cut a grid. Pure.

const LEAN = 0.42; // a channel's step to the right, as a share of a token's side; it goes up by half of that

/**
 * Where each stack stands: a square of side x side tokens in front, its channels behind it.
 * @param stages [{side, width}]
 * @param room css pixels
 * @returns {{unit, height, boxes: [{x, y, size, deep}]}} unit: css pixels of a token and of a channel
 */
export function stacks(stages, room, gap = 14) {
  const across = stages.reduce((sum, one) => sum + one.side + one.width * LEAN, 0);
  const high = Math.max(...stages.map((one) => one.side + (one.width * LEAN) / 2));
  const unit = Math.max(0.01, Math.min((room - gap * (stages.length - 1)) / across, 240 / high));
  let x = 0;
  const boxes = stages.map((one) => {
    const size = one.side * unit;
    const deep = one.width * LEAN * unit;
    const box = { x, y: high * unit - size, size, deep };
    x += size + deep + gap;
    return box;
  });
  return { unit, height: high * unit, boxes };
}

/** Where windows end, in tokens, from 0 to the side: shifted ones leave a narrow piece at both ends. */
export function cuts(side, window, shift = 0) {
  const found = [0];
  for (let at = shift || window; at < side; at += window) found.push(at);
  return [...found, side];
}

/** The piece [from, to) that holds a token. */
export function pieceOf(ends, token) {
  const i = ends.findIndex((end) => end > token);
  return [ends[i - 1], ends[i]];
}

/** The piece before or after the one that holds a token: its first token; stays where there is none. */
export function neighbor(ends, token, step) {
  const i = ends.findIndex((end) => end > token) - 1;
  const to = Math.max(0, Math.min(ends.length - 2, i + step));
  return ends[to];
}
