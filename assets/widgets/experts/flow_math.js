// Where the nodes and the ribbons of a flow stand. Pure; tested with node.

const round = (v) => Math.round(v * 100) / 100;
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** [top, height] of each row at the left and of each column at the right; heights as the counts, with gaps between. */
export function columns(counts, height, gap) {
  const totals = [counts.map(sum), counts[0].map((_, expert) => sum(counts.map((row) => row[expert])))];
  const all = sum(totals[0]) || 1;
  return totals.map((side) => {
    const room = height - gap * (side.length - 1);
    let top = 0;
    return side.map((count) => {
      const node = [top, (room * count) / all];
      top += node[1] + gap;
      return node;
    });
  });
}

/** One band for each count above 0, from x `from` at the left to `to`: at each end as thick as its share. */
export function ribbons(counts, nodes, from, to) {
  const found = [];
  const used = nodes.map((side) => side.map(([top]) => top));
  const totals = [counts.map(sum), counts[0].map((_, expert) => sum(counts.map((row) => row[expert])))];
  const middle = round((from + to) / 2);
  counts.forEach((row, r) =>
    row.forEach((count, expert) => {
      if (!count) return;
      const ends = [r, expert].map((which, side) => {
        const thick = (nodes[side][which][1] * count) / totals[side][which];
        const top = used[side][which];
        used[side][which] += thick;
        return [round(top), round(top + thick)];
      });
      const [[a, b], [c, d]] = ends;
      const there = `M${from} ${a}C${middle} ${a} ${middle} ${c} ${to} ${c}`;
      const back = `L${to} ${d}C${middle} ${d} ${middle} ${b} ${from} ${b}Z`;
      found.push({ row: r, expert, ends, outline: there + back });
    }),
  );
  return found;
}

/** Heights of labels, rising, moved apart to `least` and kept above `end`: the label of a thin node has room, too. */
export function spread(heights, least, end) {
  const found = [];
  for (const y of heights) found.push(found.length ? Math.max(y, found.at(-1) + least) : y);
  for (let i = found.length - 1, most = end; i >= 0; i--, most -= least) found[i] = Math.min(found[i], most);
  return found;
}
