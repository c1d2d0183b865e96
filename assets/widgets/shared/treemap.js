// Rectangles whose areas are numbers, as square as they can be. Pure; tested with node.
// Source: Bruls, Huizing and van Wijk 2000, "Squarified treemaps".

/**
 * @param {number[]} sizes >= 0, in any order
 * @param {{x: number, y: number, w: number, h: number}} box
 * @returns one box for each size, in the order given; a size of 0 gets an empty one
 */
export function treemap(sizes, box) {
  const out = sizes.map(() => ({ x: box.x, y: box.y, w: 0, h: 0 }));
  const total = sizes.reduce((a, b) => a + b, 0);
  if (!(total > 0) || box.w <= 0 || box.h <= 0) return out;
  const order = sizes
    .map((_, i) => i)
    .filter((i) => sizes[i] > 0)
    .sort((a, b) => sizes[b] - sizes[a]);
  const area = (i) => (sizes[i] / total) * box.w * box.h;
  let free = { ...box };
  let row = [];
  for (const i of order) {
    if (row.length && worst([...row, i]) > worst(row)) {
      lay(row);
      row = [];
    }
    row.push(i);
  }
  lay(row);
  return out;

  /** The worst side ratio of a row laid along the shorter side of what is free. */
  function worst(items) {
    const side = Math.min(free.w, free.h);
    const sum = items.reduce((s, i) => s + area(i), 0);
    const thick = sum / side;
    return Math.max(
      ...items.map((i) => {
        const long = area(i) / thick;
        return Math.max(long / thick, thick / long);
      }),
    );
  }

  function lay(items) {
    const upright = free.w >= free.h;
    const side = upright ? free.h : free.w;
    const sum = items.reduce((s, i) => s + area(i), 0);
    const thick = Math.min(sum / side, upright ? free.w : free.h);
    let along = upright ? free.y : free.x;
    for (const i of items) {
      const long = area(i) / (sum / side);
      out[i] = upright ? { x: free.x, y: along, w: thick, h: long } : { x: along, y: free.y, w: long, h: thick };
      along += long;
    }
    free = upright
      ? { x: free.x + thick, y: free.y, w: free.w - thick, h: free.h }
      : { x: free.x, y: free.y + thick, w: free.w, h: free.h - thick };
  }
}

/** Terms first, then the pieces inside each term's rectangle: [{term, rect, pieces: [rect]}]. */
export function nested(terms, box) {
  const outer = treemap(
    terms.map((term) => term.count),
    box,
  );
  return terms.map((term, i) => ({
    term: i,
    rect: outer[i],
    pieces: treemap(
      term.pieces.map((one) => one.count),
      outer[i],
    ),
  }));
}
