// A picture and its patches: which number of which patch a pixel is, and back. Pure; tested with node.
// A patch's numbers stand channel by channel, in each line by line; patches stand in reading order.

/** The patch of a pixel, and the place of its first channel in the patch's row. */
export function numberOf(y, x, patch, side) {
  return { patch: Math.floor(y / patch) * side + Math.floor(x / patch), k: (y % patch) * patch + (x % patch) };
}

/** Where number k of a patch's row lies: channel, and line and column in the picture. */
export function pixelOf(index, k, patch, side) {
  const within = k % (patch * patch);
  return {
    channel: Math.floor(k / (patch * patch)),
    y: Math.floor(index / side) * patch + Math.floor(within / patch),
    x: (index % side) * patch + (within % patch),
  };
}

/** The picture put together from its rows: bytes, pixel by pixel with its channels. */
export function joined(rows, patch, channels, side) {
  const size = side * patch;
  const out = new Uint8Array(size * size * channels);
  for (let i = 0, from = 0; i < side * side; i++) {
    const top = Math.floor(i / side) * patch;
    const left = (i % side) * patch;
    for (let c = 0; c < channels; c++) {
      for (let y = 0; y < patch; y++) {
        for (let x = 0; x < patch; x++) {
          out[((top + y) * size + left + x) * channels + c] = rows[from++];
        }
      }
    }
  }
  return out;
}

/** What the columns of the rows are called: line and column in the patch, and in a color which one. */
export function columnNames(patch, channels, count = channels * patch * patch) {
  return Array.from({ length: count }, (_, k) => {
    const { channel, y, x } = pixelOf(0, k, patch, 1);
    return `${channels > 1 ? ["R", "G", "B"][channel] : ""}${y},${x}`;
  });
}

/**
 * How many of `total` columns are drawn, and how wide a cell may be: rows of equal height, no wider than there is room.
 */
export function cropped(total, nRow, room, tallest) {
  const high = Math.floor(Math.min(tallest / nRow, 40));
  const cell = Math.max(3, Math.min(high, Math.max(Math.floor(room / total), 10)));
  return { cell, shown: Math.max(1, Math.min(total, Math.floor(room / cell))) };
}

/** The side of one patch in the row of all patches, in css pixels. */
export const stampSize = (count) => (count <= 4 ? 64 : count <= 16 ? 36 : count <= 64 ? 24 : 14);
