// Which lines to draw between two rows of tokens, and what one token reads or is read by. Pure; tested with node.

// More lines cannot be told apart, and drawing them would take longer than a blink.
export const MOST_LINES = 20_000;

export const sameHead = (a, b) => Boolean(a && b && a[0] === b[0] && a[1] === b[1]);

/** Some heads as whole numbers, one for each layer: bit h is head h. */
export function masksOf(heads) {
  const masks = Array.from({ length: 1 + Math.max(...heads.map(([l]) => l), 0) }, () => 0);
  for (const [l, h] of heads) masks[l] += 2 ** h;
  return masks;
}

/** The other way, as far as an array of shape (L, H, …) has such heads. */
export const headsIn = (masks, [nLayer, nHead]) =>
  masks
    .slice(0, nLayer)
    .flatMap((mask, l) => Array.from({ length: nHead }, (_, h) => [l, h]).filter(([, h]) => (mask / 2 ** h) & 1));

/** Where the weights of a head begin, in an array of shape (L, H, T, S). */
export const start = ({ shape }, [layer, head]) => (layer * shape[1] + head) * shape[2] * shape[3];

/** The least byte that a weight of at least `threshold` has; 0 is never drawn: it is a masked cell, or nothing. */
export const leastByte = (threshold) => Math.max(1, Math.ceil(threshold * 255 - 1e-9));

/**
 * The lines of some heads, the weakest first, so that strong ones come to lie on top.
 * weights: data (bytes) of shape (L, H, T, S); heads: [[layer, head], …]. A line's `head` is an index in heads; `cut`
 * is how many of the weakest are left out.
 */
export function linesOf(weights, heads, threshold, most = MOST_LINES) {
  const { data, shape } = weights;
  const [T, S] = [shape[2], shape[3]];
  const least = leastByte(threshold);
  const counts = new Uint32Array(256);
  const each = (visit) =>
    heads.forEach((head, index) => {
      const from = start(weights, head);
      for (let i = 0; i < T * S; i++) if (data[from + i] >= least) visit(index, i, data[from + i]);
    });
  each((_, __, byte) => {
    counts[byte]++;
  });
  let floor = 256;
  let kept = 0;
  let total = 0;
  for (let byte = 255; byte >= least; byte--) {
    if (kept + counts[byte] <= most && floor === byte + 1) {
      kept += counts[byte];
      floor = byte;
    }
    total += counts[byte];
  }
  const lines = [];
  each((head, i, byte) => {
    if (byte >= floor) lines.push({ head, row: Math.floor(i / S), column: i % S, weight: byte / 255 });
  });
  lines.sort((a, b) => a.weight - b.weight);
  return { lines, cut: total - kept };
}

/**
 * What one token reads (side "query") or is read by (side "key"), of at least the threshold, the strongest first.
 */
export function linesAt(weights, heads, side, token, threshold) {
  const { data, shape } = weights;
  const [T, S] = [shape[2], shape[3]];
  const least = leastByte(threshold);
  const found = [];
  heads.forEach((head, index) => {
    const from = start(weights, head);
    for (let other = 0; other < (side === "query" ? S : T); other++) {
      const [row, column] = side === "query" ? [token, other] : [other, token];
      const byte = data[from + row * S + column];
      if (byte >= least) found.push({ head: index, row, column, weight: byte / 255 });
    }
  });
  return found.sort((a, b) => b.weight - a.weight);
}

/**
 * Each chosen head keeps a color for as long as it is on: the lowest number that is free. slots: Map "l,h" -> number.
 */
export function takeSlots(slots, heads) {
  const names = new Set(heads.map(String));
  for (const name of [...slots.keys()]) if (!names.has(name)) slots.delete(name);
  for (const name of names) {
    if (slots.has(name)) continue;
    const taken = new Set(slots.values());
    let free = 0;
    while (taken.has(free)) free++;
    slots.set(name, free);
  }
  return slots;
}

// Pixels drawn and left out, in turn. The first is solid: one head alone needs no dash.
const DASHES = [[], [9, 4], [3, 3], [12, 3, 3, 3], [6, 3], [18, 5], [2, 6], [9, 3, 2, 3, 2, 3]];

/** Lines of one head are told from another's by their dash, too: slot -> pattern. */
export const dashOf = (slot) => DASHES[slot % DASHES.length];
