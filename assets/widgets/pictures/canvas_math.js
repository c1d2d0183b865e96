// The drawing canvas without the canvas: ink on a field of pixels, and its 8 x 8 counts. Pure; tested with node.
// `toCells` is core/data/images/digit_pixels.py once more: the same whole numbers in the same steps, so the same digit.

export const SIZE = 128; // pixels of the drawing field in each direction
export const N = 8;
export const FULL_CELL = 16;
const SIDE = 32;
const MOST_COLUMNS = 20;
const MOST_STRETCH = 2;
const LEAST_INK = 290;
const MOST_INK = 368;
const MOST_STEPS = 6;
const FULL = 255;
const IS_INK = 64;
const SYMBOLS = "0123456789abcdefg";

const rounded = (above, below) => Math.floor((2 * above + below) / (2 * below));
const sum = (values) => values.reduce((a, b) => a + b, 0);

/** Ink as 64 counts from 0 to 16, row by row; null where there is none. field: height x width from 0 to 255. */
export function toCells(field, height, width) {
  let top = height;
  let bottom = -1;
  let left = width;
  let right = -1;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (field[y * width + x] < IS_INK) continue;
      top = Math.min(top, y);
      bottom = y;
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
  }
  if (bottom < 0) return null;
  const h = bottom - top + 1;
  const w = right - left + 1;
  const nRow = Math.min(SIDE, Math.max(1, rounded(MOST_STRETCH * MOST_COLUMNS * h, w)));
  const nColumn = Math.min(MOST_COLUMNS, Math.max(1, rounded(SIDE * w, h)));
  const rows = shares(nRow, h);
  const columns = shares(nColumn, w);
  const bitmap = new Array(SIDE * SIDE).fill(0);
  const y0 = Math.floor((SIDE - nRow) / 2);
  const x0 = Math.floor((SIDE - nColumn) / 2);
  rows.forEach((inRow, r) => {
    columns.forEach((inColumn, c) => {
      let total = 0;
      for (const [y, a] of inRow) for (const [x, b] of inColumn) total += a * b * field[(top + y) * width + left + x];
      bitmap[(y0 + r) * SIDE + x0 + c] = rounded(total, h * w);
    });
  });
  const bold = evenlyBold(bitmap);
  const cells = new Uint8Array(N * N);
  for (let i = 0; i < N * N; i++) {
    let total = 0;
    for (let k = 0; k < 16; k++) total += bold[(4 * Math.floor(i / N) + (k >> 2)) * SIDE + 4 * (i % N) + (k & 3)];
    cells[i] = rounded(total, FULL);
  }
  return cells;
}

/** For each of n equal parts of `size` pixels: which pixels it holds, and how much of each in n-ths. */
function shares(n, size) {
  return Array.from({ length: n }, (_, part) => {
    const found = [];
    for (let pixel = Math.floor((part * size) / n); pixel < size && pixel * n < (part + 1) * size; pixel++) {
      const share = Math.min((part + 1) * size, (pixel + 1) * n) - Math.max(part * size, pixel * n);
      if (share > 0) found.push([pixel, share]);
    }
    return found;
  });
}

function evenlyBold(bitmap) {
  for (let step = 0; step < MOST_STEPS; step++) {
    const total = sum(bitmap);
    const isThin = total < LEAST_INK * FULL;
    if (!isThin && total <= MOST_INK * FULL) break;
    const goal = (isThin ? LEAST_INK : MOST_INK) * FULL;
    const pick = isThin ? Math.max : Math.min;
    const at = (y, x) => bitmap[Math.max(0, Math.min(SIDE - 1, y)) * SIDE + Math.max(0, Math.min(SIDE - 1, x))];
    const moved = bitmap.map((v, i) => {
      const y = Math.floor(i / SIDE);
      const x = i % SIDE;
      return pick(v, at(y - 1, x), at(y + 1, x), at(y, x - 1), at(y, x + 1));
    });
    const change = sum(moved) - total;
    if (!change) break;
    const part = Math.min(256, Math.ceil((256 * (goal - total)) / change));
    bitmap = bitmap.map((v, i) => v + Math.floor((part * (moved[i] - v)) / 256));
  }
  return bitmap;
}

/** A digit spread over the drawing field, its 64 values joined smoothly. */
export function spread(cells, size = SIZE) {
  const field = new Uint8Array(size * size);
  const place = (i) => ((i + 0.5) * N) / size - 0.5;
  const at = (r, c) => cells[Math.max(0, Math.min(N - 1, r)) * N + Math.max(0, Math.min(N - 1, c))];
  for (let y = 0; y < size; y++) {
    const v = place(y);
    const r = Math.floor(v);
    const a = v - r;
    for (let x = 0; x < size; x++) {
      const u = place(x);
      const c = Math.floor(u);
      const b = u - c;
      const value =
        (1 - a) * ((1 - b) * at(r, c) + b * at(r, c + 1)) + a * ((1 - b) * at(r + 1, c) + b * at(r + 1, c + 1));
      field[y * size + x] = Math.round((value * FULL) / FULL_CELL);
    }
  }
  return field;
}

/** Draw a thick line with round ends into the field, or rub it out. Places and radius in pixels of the field. */
export function drawLine(field, [x0, y0], [x1, y1], radius, isRubber = false, size = SIZE) {
  const low = (a, b) => Math.max(0, Math.floor(Math.min(a, b) - radius - 1));
  const high = (a, b) => Math.min(size - 1, Math.ceil(Math.max(a, b) + radius + 1));
  const dx = x1 - x0;
  const dy = y1 - y0;
  const length = dx * dx + dy * dy;
  for (let y = low(y0, y1); y <= high(y0, y1); y++) {
    for (let x = low(x0, x1); x <= high(x0, x1); x++) {
      const px = x + 0.5 - x0;
      const py = y + 0.5 - y0;
      const t = length ? Math.max(0, Math.min(1, (px * dx + py * dy) / length)) : 0;
      const cover = Math.max(0, Math.min(1, radius + 0.5 - Math.hypot(px - t * dx, py - t * dy)));
      const ink = Math.round(FULL * cover);
      const i = y * size + x;
      field[i] = isRubber ? Math.min(field[i], FULL - ink) : Math.max(field[i], ink);
    }
  }
}

export const toSymbols = (cells) => Array.from(cells, (v) => SYMBOLS[v]).join("");
export const fromSymbols = (text) => Uint8Array.from(text, (symbol) => SYMBOLS.indexOf(symbol));
export const isBlank = (cells) => !cells || cells.every((v) => v === 0);

/** What a key does to a pixel's ink: Space fills or blanks it, 0 to 9 from paper to full ink, + and − one step. */
export function keyed(value, key) {
  if (key === " " || key === "Enter") return value >= FULL_CELL / 2 ? 0 : FULL_CELL;
  if (/^[0-9]$/.test(key)) return Math.round((Number(key) * FULL_CELL) / 9);
  if (key === "+" || key === "=") return Math.min(FULL_CELL, value + 1);
  if (key === "-" || key === "_") return Math.max(0, value - 1);
  if (key === "Delete" || key === "Backspace") return 0;
  return null;
}

/** The last states, to go back through: pairs of field and cells. */
export class Past {
  constructor(most = 60) {
    this.states = [];
    this.most = most;
  }
  get isEmpty() {
    return this.states.length === 0;
  }
  keep(state) {
    this.states.push(state);
    if (this.states.length > this.most) this.states.shift();
  }
  back() {
    return this.states.pop();
  }
}
