// Masks and what they let through: presets, boolean powers, paths, undo. Pure; tested with node.
// A mask is a Uint8Array of n x n, row by row; 1 where the row's token may read the column's.

export const NEVER = -1;

/** name -> (row, column, size) => may the row's token read the column's? `core.nn.masks` says the same. */
export const PRESETS = {
  full: () => true,
  causal: (t, s) => s <= t,
  prefix: (t, s, size) => s <= t || s < size,
  window: (t, s, size) => s <= t && t - s < size,
  blocks: (t, s, size) => Math.floor(t / size) === Math.floor(s / size),
  none: () => false,
};

/** The mask of a preset. */
export function preset(name, n, size) {
  const mask = new Uint8Array(n * n);
  const open = PRESETS[name];
  for (let t = 0; t < n; t++) for (let s = 0; s < n; s++) mask[t * n + s] = open(t, s, size) ? 1 : 0;
  return mask;
}

/**
 * Layers with a residual path that something of token s needs to arrive at t: 0 on the diagonal, NEVER if none are
 * enough.
 */
export function layersNeeded(mask, n) {
  const needed = new Int16Array(n * n).fill(NEVER);
  for (let t = 0; t < n; t++) spread(mask, n, t, (s, steps) => (needed[t * n + s] = steps));
  return needed;
}

/** One shortest way from token s to token t: the tokens on it, s first. null if there is none. */
export function path(mask, n, t, s) {
  const next = new Map();
  spread(mask, n, t, (at, _steps, from) => next.set(at, from));
  if (!next.has(s)) return null;
  const way = [s];
  while (way.at(-1) !== t) way.push(next.get(way.at(-1)));
  return way;
}

/** Breadth first from t to all that it may read, to all that those may read, … */
function spread(mask, n, t, visit) {
  const seen = new Uint8Array(n);
  let wave = [t];
  seen[t] = 1;
  visit(t, 0, t);
  for (let steps = 1; wave.length; steps++) {
    const further = [];
    for (const from of wave) {
      for (let s = 0; s < n; s++) {
        if (seen[s] || !mask[from * n + s]) continue;
        seen[s] = 1;
        visit(s, steps, from);
        further.push(s);
      }
    }
    wave = further;
  }
}

/** Rows that may read nothing. */
export function emptyRows(mask, n) {
  return Array.from({ length: n }, (_, t) => t).filter((t) => !mask.subarray(t * n, t * n + n).includes(1));
}

/** The mask as hexadecimal digits, row by row, four cells a digit; `core.rooms.masks.draw` reads them. */
export function toHex(mask, n) {
  let text = "";
  for (let t = 0; t < n; t++) {
    for (let s = 0; s < n; s += 4) {
      let digit = 0;
      for (let i = 0; i < 4; i++) digit = digit * 2 + (s + i < n ? mask[t * n + s + i] : 0);
      text += digit.toString(16);
    }
  }
  return text;
}

/** The other way. */
function fromHex(text, n) {
  const digits = text.length / n;
  return Uint8Array.from({ length: n * n }, (_, i) => {
    const [t, s] = [Math.floor(i / n), i % n];
    return (parseInt(text[t * digits + Math.floor(s / 4)], 16) >> (3 - (s % 4))) & 1;
  });
}

/** A mask as an address has it: layers, tokens, cells. */
export const toAddress = (mask, n, nLayer) => `${nLayer}.${n}.${toHex(mask, n)}`;

/** The other way: {mask, nLayer}; null where it is no mask of so many tokens. */
export function fromAddress(text, n) {
  const [, nLayer, tokens, cells] = text.match(/^(\d{1,2})[.](\d{1,2})[.]([0-9a-f]+)$/) ?? [];
  if (Number(tokens) !== n || cells.length !== n * Math.ceil(n / 4)) return null;
  return { mask: fromHex(cells, n), nLayer: Number(nLayer) };
}
