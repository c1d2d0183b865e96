// The weights of a matrix before and after they are rounded: two histograms over one axis. Pointing at a bar tells how
// many weights fall there in both; the arrow keys walk through the bars.
import { alongRow } from "../drawing/along_row.js";
import { define } from "../drawing/base.js";
import { clamp, el, format, grouped } from "../drawing/elements.js";

const [TITLE, HIGH, GAP, FOOT, SIDE] = [4, 88, 24, 24, 6];
const HEIGHT = TITLE + HIGH + GAP + HIGH + FOOT;
const SENSE = 3; // digits of a weight

export default define((shell) => {
  const bars = () => shell.header.bars;
  const count = () => bars().before.length;
  const wide = () => (shell.width - 2 * SIDE) / count();
  const left = (bar) => SIDE + bar * wide();
  const edge = (bar) => bars().limit * ((2 * bar) / count() - 1);

  const row = alongRow(shell, {
    count,
    hint: "Heights grow with the square root. Point at a bar, or walk with the arrow keys.",
    size: () => [shell.width, HEIGHT],
    under: (x) => clamp(Math.floor((x - SIDE) / wide()), 0, count() - 1),
    paint,
    mark(p, at) {
      for (const ground of grounds()) {
        p.rect(left(at) - 1, ground - HIGH, wide() + 2, HIGH, { stroke: shell.theme.accent, width: 1.5 });
      }
    },
    tell(at) {
      const { names } = shell.header;
      const [low, high] = [edge(at), edge(at + 1)].map((one) => format(one, SENSE));
      const [before, after] = [bars().before[at], bars().after[at]].map(grouped);
      return [
        `from ${low} to ${high}: `,
        el("b", { text: before }),
        ` with ${names[0]}, `,
        el("b", { text: after }),
        ` with ${names[1]}`,
      ];
    },
  });

  /** Where the two histograms stand: the y of their ground. */
  const grounds = () => [TITLE + HIGH, TITLE + HIGH + GAP + HIGH];

  function paint(p) {
    const { theme, header: h, width } = shell;
    const size = Math.round(12 * theme.unit);
    const words = { size, font: theme.font };
    [bars().before, bars().after].forEach((counts, i) => {
      const ground = grounds()[i];
      const most = Math.sqrt(Math.max(1, ...counts)); // of a few levels, the rare ones would not be seen
      counts.forEach((n, bar) => {
        const tall = n ? Math.max(1, (Math.sqrt(n) / most) * HIGH) : 0;
        p.rect(left(bar), ground - tall, Math.max(0.8, wide() - 0.6), tall, { fill: theme.categorical[i] });
      });
      p.segment(SIDE, ground, width - SIDE, ground, { color: theme.soft, width: 0.75 });
      p.text(h.names[i], SIDE, ground - HIGH + 8, { ...words, fill: theme.soft });
    });
    const zeros = `${Math.round(100 * bars().zeros)}% are 0`;
    p.text(zeros, width - SIDE, grounds()[1] - HIGH + 8, { ...words, fill: theme.soft, align: "right" });
    const below = { ...words, size: size - 1, fill: theme.soft, font: theme.code };
    const y = grounds()[1] + 12;
    p.text(format(-bars().limit, SENSE), SIDE, y, below);
    p.text("0", width / 2, y, { ...below, align: "center" });
    p.text(format(bars().limit, SENSE), width - SIDE, y, { ...below, align: "right" });
  }

  return {
    update: row.forget,
    draw: row.draw,
    table: () => ({
      columns: ["from", ...shell.header.names],
      rows: bars().before.map((n, bar) => [format(edge(bar), SENSE), n, bars().after[bar]]),
    }),
    picture: row.picture,
  };
});
