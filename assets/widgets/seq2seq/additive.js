// Additive attention, cell by cell: point at an output token and a source token, and see the energy as a sum over the
// hidden units of the small net, the softmax that makes the weight, and the context as a weighted sum.
import { contextSum, share, unitTerms } from "./additive_math.js";
import { BarLines, gridAndBars, STYLE as APART } from "../drawing/bar_lines.js";
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { formula } from "../drawing/formula.js";
import { quoted, visible } from "../drawing/tokens.js";

const STYLE = `${APART}
@container (min-width: 700px) { .gf-apart .gf-split { grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); } }
`;
const TOP = 34;
const INDEX = 26;
const GAP = 12;

export default define((shell) => {
  const sum = el("div", { class: "gf-formula" });
  const context = el("div", { class: "gf-formula" });
  const bars = new BarLines({
    top: TOP,
    tell: (i, byKeyboard) => {
      describe();
      if (byKeyboard) shell.say(unitText(i));
    },
  });
  const parts = gridAndBars(shell, bars, {
    tell,
    sentence: (at) => sentence(at),
    bySize: true,
    heading: "The energy, unit by unit",
  });
  const { grid, key, readout, left, side } = parts;
  shell.body.append(sum, context);

  let pair = null;
  let terms = null;
  let geometry = null;

  const weightOf = ([t, s]) => shell.arrays.weights.data[t * shell.header.columns.length + s];
  const names = ([t, s]) =>
    `writing ${quoted(shell.header.rows[t])} (${t}), reading ${quoted(shell.header.columns[s])} (${s})`;
  const sentence = (at) =>
    `${names(at)}: energy ${format(unitTerms(shell.arrays, ...at).energy)}, weight ${format(weightOf(at), 4)}`;
  const unitText = (i) => {
    const c = terms.order[i];
    const v = shell.arrays.v.data[c];
    const n = terms.products.length;
    const [a, r] = [shell.arrays.asked.data[pair[0] * n + c], shell.arrays.read.data[pair[1] * n + c]];
    if (shell.header.plain) {
      return `unit ${c} adds ${format(terms.products[c])}, sum so far ${format(terms.running[i])}`;
    }
    return `unit ${c}: v ${format(v)} × tanh(W s ${format(a)} + U h ${format(r)} = ${format(terms.inner[c])}) = ${format(terms.products[c])}, sum so far ${format(terms.running[i])}`;
  };

  function describe() {
    if (bars.at !== null) {
      readout.textContent = unitText(bars.at);
      return;
    }
    readout.replaceChildren(
      "writing ",
      el("b", { text: visible(shell.header.rows[pair[0]]) }),
      ` ${pair[0]}  ·  reading `,
      el("b", { text: visible(shell.header.columns[pair[1]]) }),
      ` ${pair[1]}  ·  `,
      el("span", {
        class: "gf-hint",
        text: "Point at a bar for the numbers of its unit. A hollow bar lowers the energy.",
      }),
    );
  }

  /** Take a cell apart. */
  function tell(at) {
    pair = at ?? [0, 0];
    terms = unitTerms(shell.arrays, ...pair, parts.bySize);
    const n = terms.products.length;
    const width = Math.max(250, Math.min(side.clientWidth || shell.width, 560));
    const step = clamp(Math.floor(Math.min(420, shell.tall - 220) / n), 6, 12);
    const column = (width - INDEX - GAP - 4) / 2;
    const most = terms.inner.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    const [low, high] = [Math.min(0, ...terms.running), Math.max(0, ...terms.running)];
    geometry = { n, width, step, column, most, low, high: high > low ? high : low + 1, theme: shell.theme };
    paint(
      bars.open({
        n,
        step,
        width,
        theme: shell.theme,
        label: `Hidden units of ${sentence(pair)}. Arrow keys go through them.`,
      }),
    );
    describe();
    addUp();
  }

  function paint(p) {
    const { n, step, column, most, low, high, theme } = geometry;
    const quiet = { fill: theme.soft, size: 12, font: theme.font };
    const x = [INDEX, INDEX + column + GAP];
    const place = (v) => x[1] + ((v - low) / (high - low)) * column;
    const zero = x[0] + column / 2;
    p.text(shell.header.plain ? "both states, added" : "W s + U h", x[0], 9, quiet);
    p.text(shell.header.plain ? "what it adds" : "v × tanh of it, added up", x[1], 9, quiet);
    p.text(`${format(-most, 1)} … ${format(most, 1)}`, x[0], 24, { ...quiet, font: theme.code });
    p.text(`${format(low, 1)} … ${format(high, 1)}`, x[1], 24, { ...quiet, font: theme.code });
    for (const at of [zero, place(0)]) {
      p.segment(at, TOP - 2, at, TOP + n * step + 2, { color: theme.line });
    }
    const every = Math.ceil(13 / step);
    terms.order.forEach((i, row) => {
      const y = TOP + row * step;
      const h = Math.max(step - 2, 2);
      if (row % every === 0) {
        p.text(`${i}`, INDEX - 6, y + h / 2 + 0.5, { fill: theme.soft, size: 12, font: theme.code, align: "right" });
      }
      const w = (Math.abs(terms.inner[i]) / most) * (column / 2);
      p.rect(terms.inner[i] < 0 ? zero - w : zero, y, Math.max(w, 0.5), h, { fill: theme.categorical[7] });
      const [from, to] = [row ? terms.running[row - 1] : 0, terms.running[row]].map(place);
      const lowers = terms.products[i] < 0;
      const wide = Math.max(Math.abs(to - from), 0.75); // what lowers is hollow, too
      p.rect(
        Math.min(from, to),
        y,
        wide,
        h,
        lowers && wide > 2 ? { stroke: theme.categorical[1] } : { fill: theme.categorical[lowers ? 1 : 0] },
      );
    });
  }

  function addUp() {
    sum.hidden = context.hidden = Boolean(shell.header.plain);
    if (shell.header.plain) return;
    const { largest, total, weight } = share(shell.arrays, ...pair);
    const n = shell.header.columns.length;
    sum.replaceChildren(
      ...formula([
        ["", `Σ over ${terms.products.length} units`, `energy ${format(terms.energy)}`],
        ["→", "e^(energy − largest)", format(Math.exp(terms.energy - largest))],
        ["/", `Σ over ${n} source tokens`, format(total)],
        ["=", "weight", format(weight, 4), true],
      ]),
    );
    const { shown, sum: first, rest } = contextSum(shell.arrays, pair[0], 0);
    context.replaceChildren(
      ...formula([
        ...shown.map((p, i) => [
          i ? "+" : "",
          `weight × ${visible(shell.header.columns[p.s])} (${p.s})`,
          `${format(p.weight)} × ${format(p.value)}`,
        ]),
        ...(rest ? [["+", `${rest} more`, "…"]] : []),
        ["=", "context, its first number", format(first), true],
      ]),
    );
  }

  return {
    update: parts.update,
    draw() {
      const h = shell.header;
      grid.set({
        values: shell.arrays.weights.data,
        rows: h.rows,
        columns: h.columns,
        truth: shell.arrays.truth?.data,
        rowTitle: "writes",
        columnTitle: "reads",
        scale: scale("probability", 0, 1, shell.theme.mode),
        labelFor: h.takeaway,
      });
      grid.draw(shell.theme, left.clientWidth || shell.width, {
        maxHeight: Math.min(480, (shell.tall - 170) / shell.theme.unit),
      });
      key.replaceChildren(...legend(grid.scale, "weight", { truth: shell.arrays.truth && h.truth_title }));
      tell(grid.at ?? grid.selected);
    },
    table: () => ({
      columns: ["writes", ...shell.header.columns.map(visible)],
      rows: shell.header.rows.map((t, r) => [visible(t), ...shell.header.columns.map((_, c) => grid.value(r, c))]),
    }),
    picture: () => ({
      width: Math.max(grid.w, geometry.width) + 12,
      height: grid.h + bars.height + 40,
      scale: grid.scale,
      scaleTitle: "weight",
      paint(p) {
        grid.paint(p, 6, 6);
        p.text(sentence(pair), 8, grid.h + 24, { fill: geometry.theme.text, size: 12, font: geometry.theme.font });
        p.shifted(6, grid.h + 34, () => paint(p));
      },
    }),
  };
}, STYLE);
