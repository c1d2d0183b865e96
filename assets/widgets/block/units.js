// The units of a feed-forward layer at one token: how many numbers fall where before the nonlinearity, and each unit
// before and after it. A unit is pointed at, or walked to with the arrow keys.
import { alongRow } from "../drawing/along_row.js";
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";
import { Plot } from "./plot.js";

const [HEIGHT, GAP, NARROW, DOT] = [250, 28, 560, 3.4];
const TITLES = ["Before the nonlinearity", "Each unit, before and after"];

export default define((shell) => {
  let plots = [];
  let size = [0, 0];

  const before = (unit) => shell.arrays.before.data[unit];
  const after = (unit) => shell.arrays.after.data[unit];
  const count = () => shell.arrays.before.data.length;
  const point = (unit) => plots[1].point(before(unit), after(unit));

  const row = alongRow(shell, {
    count,
    hint: "Point at a unit or a bar; the arrow keys walk through the units.",
    size: () => size,
    under,
    paint,
    mark,
    tell,
  });

  /** The nearest unit to a point, or the bar of the histogram there: {bar}. */
  function under(x, y) {
    if (plots[0].holds(x, y)) {
      const { counts } = shell.header.bars;
      const bar = Math.floor(plots[0].share(x) * counts.length);
      return { bar: Math.min(counts.length - 1, Math.max(0, bar)) };
    }
    if (!plots[1].holds(x, y)) return null;
    let [best, nearest] = [null, 15 ** 2];
    for (let unit = 0; unit < count(); unit++) {
      const [px, py] = point(unit);
      const far = (px - x) ** 2 + (py - y) ** 2;
      if (far < nearest) [best, nearest] = [unit, far];
    }
    return best;
  }

  function tell(at) {
    if (typeof at === "number") {
      return [`unit ${at}: ${format(before(at))} → `, el("b", { text: format(after(at)) })];
    }
    const [low, high] = edges(at.bar).map((edge) => format(edge));
    return [`from ${low} to ${high}: `, el("b", { text: String(shell.header.bars.counts[at.bar]) })];
  }

  function edges(bar) {
    const { low, high, counts } = shell.header.bars;
    const wide = (high - low) / counts.length;
    return [low + bar * wide, low + (bar + 1) * wide];
  }

  /** Side by side, or below each other where there is no room. */
  function place() {
    const { width, header: h, arrays, theme } = shell;
    const isNarrow = width < NARROW;
    const wide = isNarrow ? width : (width - GAP) / 2;
    const shift = isNarrow ? [0, HEIGHT + GAP] : [wide + GAP, 0];
    const look = { theme, width: wide, height: HEIGHT };
    const ends = (data) => data.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [0, 0]);
    plots = [
      new Plot({ ...look, left: 0, top: 0, x: [h.bars.low, h.bars.high], y: [0, Math.max(...h.bars.counts)] }),
      new Plot({ ...look, left: shift[0], top: shift[1], x: ends(arrays.before.data), y: ends(arrays.after.data) }),
    ];
    size = [width, HEIGHT + shift[1]];
  }

  function paint(p) {
    const { theme, header: h } = shell;
    plots.forEach((plot, i) => plot.frame(p, TITLES[i], ["before the nonlinearity", ["how many", "after it"][i]]));
    h.bars.counts.forEach((n, bar) => {
      const [[left, top], [right, bottom]] = [plots[0].point(edges(bar)[0], n), plots[0].point(edges(bar)[1], 0)];
      p.rect(left + 0.25, top, Math.max(0.5, right - left - 0.5), bottom - top, { fill: theme.categorical[0] });
    });
    for (let unit = 0; unit < count(); unit++) sign(p, point(unit), before(unit) > 0, DOT);
    const [x, y] = [plots[1].left + plots[1].width - 96, plots[1].top + 10];
    [true, false].forEach((isOn, i) => {
      sign(p, [x + 48 * i, y], isOn, DOT);
      p.text(isOn ? "on" : "off", x + 48 * i + 9, y, { fill: theme.soft, size: plots[1].size, font: theme.font });
    });
  }

  /** A triangle for a unit that is on, a circle for one that is off. */
  function sign(p, [x, y], isOn, r) {
    const color = shell.theme.categorical[isOn ? 1 : 7];
    if (!isOn) p.rect(x - r, y - r, 2 * r, 2 * r, { stroke: color, radius: r, width: 1.4 });
    else {
      const corners = [-90, 30, 150, -90].map((deg) => (deg * Math.PI) / 180);
      p.line(
        corners.map((turn) => [x + 1.25 * r * Math.cos(turn), y + 1.25 * r * Math.sin(turn)]),
        { color, width: 1.4 },
      );
    }
  }

  function mark(p, at) {
    const look = { stroke: shell.theme.accent, width: 2 };
    if (typeof at === "number") {
      const [x, y] = point(at);
      p.rect(x - 7, y - 7, 14, 14, { ...look, radius: 7 });
      return;
    }
    const [[left, top], [right, bottom]] = edges(at.bar).map((x, i) =>
      plots[0].point(x, i ? 0 : shell.header.bars.counts[at.bar]),
    );
    p.rect(left, top, right - left, bottom - top, look);
  }

  return {
    update: row.forget,
    draw() {
      place();
      row.draw();
    },
    table: () => ({
      columns: ["unit", "before", "after"],
      rows: Array.from({ length: count() }, (_, unit) => [String(unit), before(unit), after(unit)]),
    }),
    picture: row.picture,
  };
});
