// Numbers as points in two directions, and a line from each to the next. Pointing at a number tells which two it is
// joined with; the arrow keys walk along the line.
import { alongRow } from "../drawing/along_row.js";
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";

const [MOST, ROUND, REACH] = [330, 9, 20]; // px: side of the picture, radius of a point, how far a pointer finds one

export default define((shell) => {
  const order = () => shell.header.order;
  const side = () => Math.min(shell.width, MOST * shell.theme.unit);
  const round = () => ROUND * shell.theme.unit;
  const around = (place) => order()[(place + order().length) % order().length];

  /** Where a number stands. */
  function spot(number) {
    const half = side() / 2;
    const [x, y] = [0, 1].map((i) => shell.arrays.points.data[2 * number + i] * (half - round() - 2));
    return [half + x, half - y];
  }

  const row = alongRow(shell, {
    count: () => order().length,
    hint: "Point at a number, or walk with the arrow keys.",
    size: () => [side(), side()],
    under(x, y) {
      const away = order()
        .map(spot)
        .map(([px, py]) => Math.hypot(px - x, py - y));
      const nearest = Math.min(...away);
      return nearest < REACH ? away.indexOf(nearest) : null;
    },
    tell: (at) => [el("b", { text: `${around(at)}` }), ` is joined with ${around(at - 1)} and ${around(at + 1)}`],
    paint(p) {
      const { theme } = shell;
      p.line([...order(), order()[0]].map(spot), { color: theme.categorical[5], width: 1.5 });
      for (const number of order()) paintPoint(p, number, { fill: theme.page, ink: theme.text });
    },
    mark(p, at) {
      const { theme } = shell;
      p.line([around(at - 1), around(at), around(at + 1)].map(spot), { color: theme.accent, width: 2.5 });
      for (const place of [at - 1, at + 1]) paintPoint(p, around(place), { fill: theme.page, ink: theme.text });
      paintPoint(p, around(at), { fill: theme.accent, ink: theme.onAccent });
    },
  });
  row.stage.style.margin = "0 auto";

  function paintPoint(p, number, { fill, ink }) {
    const [x, y] = spot(number);
    const r = round();
    p.rect(x - r, y - r, 2 * r, 2 * r, { fill, stroke: shell.theme.categorical[0], width: 1, radius: r });
    const size = Math.round(11 * shell.theme.unit);
    p.text(`${number}`, x, y, { fill: ink, size, font: shell.theme.font, align: "center", weight: 600 });
  }

  return {
    update() {},
    draw: row.draw,
    table: () => ({
      columns: ["number", "across", "up"],
      rows: order().map((_, n) => [`${n}`, shell.arrays.points.data[2 * n], shell.arrays.points.data[2 * n + 1]]),
    }),
    picture: row.picture,
  };
});
