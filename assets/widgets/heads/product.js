// A score and the coordinates that it is the sum of: point at a cell, and see q, k and their products, one by one.
import { BarLines, gridAndBars, STYLE } from "../drawing/bar_lines.js";
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { halfOf, pairTerms } from "./coordinates.js";
import { formula, rootOf } from "../drawing/formula.js";
import { quoted, visible } from "../drawing/tokens.js";

const TOP = 34;
const INDEX = 30;
const GAP = 10;

export default define((shell) => {
  const sum = el("div", { class: "gf-formula" });
  const bars = new BarLines({
    top: TOP,
    tell: (i, byKeyboard) => {
      describe();
      if (byKeyboard) shell.say(lineText(i));
    },
  });
  const parts = gridAndBars(shell, bars, { tell, sentence: (at) => sentence(at), bySize: false });
  const { grid, key, readout, left, side } = parts;
  shell.body.append(sum);

  let pair = null;
  let terms = null;
  let geometry = null;

  const operands = () => {
    const { q, k, bias } = shell.arrays;
    return { q, k, bias, scale: shell.header.scale, softcap: shell.header.softcap };
  };
  const names = ([r, c]) =>
    `query ${quoted(shell.header.rows[r])} (${r}), key ${quoted(shell.header.columns[c])} (${c})`;
  const sentence = (at) => {
    const t = pairTerms(operands(), at[0], at[1]);
    return `${names(at)}: dot product ${format(t.dot)}, score ${format(t.score)}${grid.isEmpty(...at) ? ", masked" : ""}`;
  };
  const lineText = (i) => {
    const c = terms.order[i];
    return `coordinate ${c}: ${format(terms.q[c])} × ${format(terms.k[c])} = ${format(terms.products[c])}, sum so far ${format(terms.running[i])}`;
  };

  function describe() {
    if (bars.at !== null) {
      readout.textContent = lineText(bars.at);
      return;
    }
    const n = halfOf(terms.products);
    readout.replaceChildren(
      el("b", { text: visible(shell.header.rows[pair[0]]) }),
      ` ${pair[0]}  ·  `,
      el("b", { text: visible(shell.header.columns[pair[1]]) }),
      ` ${pair[1]}  ·  `,
      el("span", {
        class: "gf-hint",
        text: `${n} of ${terms.products.length} coordinates make half of all that is added and taken away.`,
      }),
    );
  }

  /** Take a pair apart. */
  function tell(at) {
    pair = at ?? [0, 0];
    terms = pairTerms(operands(), pair[0], pair[1], parts.bySize);
    const { theme } = shell;
    const d = terms.products.length;
    const width = Math.max(250, Math.min(side.clientWidth || shell.width, 560));
    const step = clamp(Math.floor(460 / d), 12, 19);
    const column = (width - INDEX - 2 * GAP - 4) / 3;
    const most = (list) => list.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    const [low, high] = [Math.min(0, ...terms.running), Math.max(0, ...terms.running)];
    // q and k share one scale, so that their bars can be compared; the products have their own.
    geometry = {
      width,
      step,
      column,
      entry: Math.max(most(terms.q), most(terms.k)),
      low,
      high: high > low ? high : low + 1,
      theme,
    };
    paint(
      bars.open({ n: d, step, width, theme, label: `Coordinates of ${sentence(pair)}. Arrow keys go through them.` }),
    );
    describe();
    addUp();
  }

  function paint(p) {
    const { step, column, entry, low, high, theme } = geometry;
    const size = Math.min(11, step - 2);
    const [plus, minus] = [theme.categorical[0], theme.categorical[1]];
    const quiet = { fill: theme.soft, size: 11, font: theme.font };
    const x = [0, 1, 2].map((i) => INDEX + i * (column + GAP));
    const number = (v, at, y, align) =>
      step >= 14 &&
      column >= 84 &&
      p.text(format(v, 2), at, y, { fill: theme.soft, size: 10, font: theme.code, align });
    const { plain } = shell.header;
    (plain ? ["query", "key", "added up"] : ["q", "k", "q × k, added up"]).forEach((text, i) =>
      p.text(text, x[i], 9, quiet),
    );
    if (!plain) p.text("i", 4, 9, quiet);
    for (const at of [x[0], x[1]]) {
      p.text(`${format(-entry, 1)} … ${format(entry, 1)}`, at, 24, { ...quiet, size: 10, font: theme.code });
    }
    p.text(`${format(low, 1)} … ${format(high, 1)}`, x[2], 24, { ...quiet, size: 10, font: theme.code });
    const place = (v) => x[2] + ((v - low) / (high - low)) * column;
    for (const at of [x[0] + column / 2, x[1] + column / 2, place(0)]) {
      p.segment(at, TOP - 2, at, TOP + terms.order.length * step + 2, { color: theme.line });
    }
    terms.order.forEach((i, row) => {
      const y = TOP + row * step;
      const h = step - 3;
      const middle = y + h / 2 + 0.5;
      p.text(`${i}`, INDEX - 8, middle, { fill: theme.soft, size, font: theme.code, align: "right" });
      [terms.q[i], terms.k[i]].forEach((v, side) => {
        const zero = x[side] + column / 2;
        const w = (Math.abs(v) / entry) * (column / 2);
        p.rect(v < 0 ? zero - w : zero, y, Math.max(w, 0.5), h, { fill: theme.categorical[7] });
        number(v, v < 0 ? x[side] + column : x[side], middle, v < 0 ? "right" : "left");
      });
      const [from, to] = [row ? terms.running[row - 1] : 0, terms.running[row]].map(place);
      p.rect(Math.min(from, to), y, Math.max(Math.abs(to - from), 0.75), h, {
        fill: terms.products[i] < 0 ? minus : plus,
      });
      p.segment(to, y, to, y + step, { color: theme.soft, width: 0.75 });
    });
  }

  function addUp() {
    const { scale, softcap } = shell.header;
    const masked = grid.isEmpty(...pair);
    const weight = shell.arrays.weights.data[pair[0] * shell.header.columns.length + pair[1]];
    sum.replaceChildren(
      ...formula([
        ["", `Σ of ${terms.products.length} products`, format(terms.dot)],
        ...(scale === 1 ? [] : [["×", rootOf(scale), format(scale)]]), // T5 does not scale
        ...(softcap ? [["→", `${softcap} · tanh(x / ${softcap})`, format(terms.bound)]] : []),
        ...(shell.arrays.bias ? [["+", "bias of the distance", format(terms.bias)]] : []),
        ["=", "score", format(terms.score), true],
        [
          "→",
          masked ? "masked" : `softmax over the row${shell.header.sink ? " and its sink" : ""}`,
          masked ? "weight 0" : `weight ${format(weight, 4)}`,
        ],
      ]),
    );
  }

  return {
    update: parts.update,
    draw() {
      const h = shell.header;
      const { scores, empty } = shell.arrays;
      grid.set({
        values: scores.data,
        rows: h.rows,
        columns: h.columns,
        empty: empty?.data,
        rowTitle: "query (reading)",
        columnTitle: "key (read from)",
        scale: scale("signed", -h.limit, h.limit, shell.theme.mode),
        labelFor: h.takeaway,
      });
      grid.draw(shell.theme, left.clientWidth || shell.width, { maxHeight: 460 });
      key.replaceChildren(...legend(grid.scale, "score", { masked: empty && "masked" }));
      tell(grid.at ?? grid.selected);
    },
    table: () => ({
      columns: ["coordinate", "q", "k", "q × k", "sum so far"],
      rows: terms.order.map((i, row) => [String(i), terms.q[i], terms.k[i], terms.products[i], terms.running[row]]),
    }),
    picture: () => ({
      width: geometry.width + 12,
      height: bars.height + 20,
      paint(p) {
        p.shifted(6, 0, () => paint(p));
        p.text(`${names(pair)}: dot product ${format(terms.dot)}, score ${format(terms.score)}`, 8, bars.height + 10, {
          fill: geometry.theme.text,
          size: 11,
          font: geometry.theme.font,
        });
      },
    }),
  };
}, STYLE);
