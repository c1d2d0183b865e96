// Words on a map, nudged apart until none lies over another. Pure; tested with node.
const ROUNDS = 300;

/**
 * @typedef {{x: number, y: number, w: number, h: number, group: number}} Box x, y: of its middle, in css pixels
 * @param {Box[]} boxes where the words belong
 * @param {{width: number, height: number, gap: number, groupGap: number}} room gap: between words of a group
 * @returns {{x: number, y: number}[]} where they stand
 */
export function spreadWords(boxes, { width, height, gap, groupGap }) {
  const spots = boxes.map(({ x, y }) => ({ x, y }));
  const inside = () =>
    spots.forEach((spot, i) => {
      const { w, h } = boxes[i];
      spot.x = Math.min(width - w / 2, Math.max(w / 2, spot.x));
      spot.y = Math.min(height - h / 2, Math.max(h / 2, spot.y));
    });
  for (let round = 0; round < ROUNDS; round++) {
    inside();
    let moved = false;
    for (let i = 1; i < boxes.length; i++) {
      for (let j = 0; j < i; j++) {
        // Groups keep more room between them at first; where there is not enough, only their words are kept apart.
        const isOne = boxes[i].group === boxes[j].group;
        const between = isOne ? gap : gap + (groupGap - gap) * Math.max(0, 1 - (1.5 * round) / ROUNDS);
        const across = (boxes[i].w + boxes[j].w) / 2 + between - Math.abs(spots[i].x - spots[j].x);
        const down = (boxes[i].h + boxes[j].h) / 2 + between - Math.abs(spots[i].y - spots[j].y);
        if (across <= 0.01 || down <= 0.01) continue;
        moved = true;
        const isLongWay = round > 0.7 * ROUNDS && round % 4 === 0; // out of a column that is higher than the map
        const [axis, by] = down <= across !== isLongWay ? ["y", down] : ["x", across];
        const sign = spots[i][axis] < spots[j][axis] ? -1 : 1;
        spots[i][axis] += (sign * by) / 2;
        spots[j][axis] -= (sign * by) / 2;
      }
    }
    if (!moved) break;
  }
  inside();
  return spots;
}
