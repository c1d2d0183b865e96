// The arithmetic of the clocks: positions as hands, rotations of pairs. Pure; tested with node and against Python.

/** Number `2 i` (sine) and `2 i + 1` (cosine) of a position. table: row by row, `width` numbers each. */
export const pairAt = (table, width, position, i) => [
  table[position * width + 2 * i],
  table[position * width + 2 * i + 1],
];

/** Dot product of the rows a and b. */
export function dot(table, width, a, b) {
  let sum = 0;
  for (let j = 0; j < width; j++) sum += table[a * width + j] * table[b * width + j];
  return sum;
}

/**
 * Where the hand of a pair (sine, cosine) ends on a clock of radius 1, y downwards: position 0 points straight up.
 * @param {number[]} pair
 */
export const handOf = ([sine, cosine]) => [sine, -cosine];

/** How far a hand turns from one position to the next, in degrees, and how many positions a full turn takes. */
export const speed = (frequency) => ({ degrees: (frequency * 180) / Math.PI, turn: (2 * Math.PI) / frequency });

/** Which two numbers of a vector of `n` form pair i: neighbours, or one of each half. */
export const pairIndices = (n, interleaved, i) => (interleaved ? [2 * i, 2 * i + 1] : [i, i + n / 2]);

/** Rotary positions: each pair (a, b) turned by position * frequency, as `core.nn.positions.rotate` does. */
export function rotated(x, position, frequencies, interleaved) {
  const out = new Float64Array(x.length);
  frequencies.forEach((frequency, i) => {
    const [a, b] = pairIndices(x.length, interleaved, i);
    const cos = Math.cos(position * frequency);
    const sin = Math.sin(position * frequency);
    out[a] = x[a] * cos - x[b] * sin;
    out[b] = x[a] * sin + x[b] * cos;
  });
  return out;
}

/** What each pair adds to the dot product of a query at m and a key at n, and their sum. */
export function score(q, k, m, n, frequencies, interleaved) {
  const a = rotated(q, m, frequencies, interleaved);
  const b = rotated(k, n, frequencies, interleaved);
  const parts = frequencies.map((_, i) => {
    const [x, y] = pairIndices(q.length, interleaved, i);
    return a[x] * b[x] + a[y] * b[y];
  });
  return { q: a, k: b, parts, total: parts.reduce((sum, part) => sum + part, 0) };
}

/** How to lay n dials of one size into a width: as large as fits, at most `most` wide. */
export function layDials(width, n, least, most) {
  const fit = Math.max(1, Math.min(n, Math.floor(width / least)));
  const rows = Math.ceil(n / fit);
  const columns = Math.ceil(n / rows);
  return { columns, rows, cell: Math.min(most, width / columns) };
}
