// Additive attention, cell by cell: point at an output token and a source token, and see the energy as a sum over the
// hidden units of the small net, the softmax that makes the weight, and the context as a weighted sum.
import { contextSum, share, unitTerms } from "./additive_math.js";
import { BarLines, largest, STYLE as BARS } from "../drawing/bar_lines.js";
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { formula } from "../drawing/formula.js";
import { Grid } from "../drawing/grid.js";
import { quoted, visible } from "../drawing/tokens.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

const STYLE = `${BARS}
.gf-split { grid-template-columns: minmax(0, 1fr); }
.gf-readout { min-height: 3em; }
@container (min-width: 700px) { .gf-split { grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); } }
`;

export default define((shell) => {
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const sum = el("div", { class: "gf-formula" });
  const context = el("div", { class: "gf-formula" });
  const order = el("button", {
    class: "gf-solid",
    "data-name": "by_size",
    "aria-pressed": "true",
    text: labels("by_size"),
    onclick: () => {
      bySize = !bySize;
      order.setAttribute("aria-pressed", String(bySize));
      tell(grid.at ?? grid.selected);
    },
  });
  const bars = new BarLines((i, byKeyboard) => {
    describe();
    if (byKeyboard) shell.say(unitText(i));
  });
  const grid = new Grid({
    hover: (at, byKeyboard) => {
      tell(at ?? grid.selected);
      if (byKeyboard && at) shell.say(sentence(at));
    },
    choose: (at) => {
      select(at);
      shell.say(labels("selected", { cell: sentence(at) }));
      shell.commit("pick", { row: at[0], column: at[1] });
    },
    reset: () => select(shell.header.selected),
  });
  const title = el("span", { class: "gf-soft", text: labels("units") });
  const taken = el("div", { class: "gf-soft" }); // the cell that is taken apart
  const scroll = el("div", { class: "gf-scroll" }, bars.node);
  const side = el("div", {}, el("div", { class: "gf-controls" }, title, order), taken, scroll, readout);
  const left = el("div", {}, grid.node, key);
  shell.body.append(el("div", { class: "gf-split" }, left, side), sum, context);

  let bySize = true;
  let pair = null;
  let terms = null;

  function select(at) {
    grid.selected = at;
    grid.drawOver();
    tell(at);
  }

  const weightOf = ([t, s]) => shell.arrays.weights.data[t * shell.header.columns.length + s];
  const sentence = ([t, s]) =>
    labels("cell", {
      written: `${quoted(shell.header.rows[t])} (${t})`,
      read: `${quoted(shell.header.columns[s])} (${s})`,
      energy: format(unitTerms(shell.arrays, t, s).energy),
      weight: format(weightOf([t, s]), 4),
    });
  const unitText = (i) => {
    const c = terms.order[i];
    const v = shell.arrays.v.data[c];
    const n = terms.products.length;
    const [a, r] = [shell.arrays.asked.data[pair[0] * n + c], shell.arrays.read.data[pair[1] * n + c]];
    const values = { i: c, product: format(terms.products[c]), sum: format(terms.running[i]) };
    if (shell.header.plain) return labels("unit.plain", values);
    return labels("unit", {
      ...values,
      v: format(v),
      asked: format(a),
      read: format(r),
      inner: format(terms.inner[c]),
    });
  };

  function describe() {
    if (bars.at !== null) {
      readout.textContent = unitText(bars.at);
      return;
    }
    readout.replaceChildren(el("span", { class: "gf-hint", text: labels("hint") }));
  }

  /** Take a cell apart. */
  function tell(at) {
    pair = at ?? [0, 0];
    terms = unitTerms(shell.arrays, ...pair, bySize);
    taken.textContent = sentence(pair);
    const most = largest(terms.inner);
    bars.show({
      lines: terms.order.map((i) => ({ name: `${i}`, factors: [terms.inner[i]] })),
      sums: terms.running,
      limits: [most],
      ranges: [`${format(-most, 1)} … ${format(most, 1)}`],
      heads: shell.header.plain ? [labels("states"), labels("adds")] : ["W s + U h", labels("products")],
      index: 26,
      letters: 12,
      isHollow: true,
      step: clamp(Math.floor(Math.min(420, shell.tall - 220) / terms.order.length), 6, 12),
      room: side.clientWidth || shell.width,
      theme: shell.theme,
      label: labels("units_of", { cell: sentence(pair) }),
    });
    describe();
    addUp();
  }

  function addUp() {
    sum.hidden = context.hidden = Boolean(shell.header.plain);
    if (shell.header.plain) return;
    const { largest, total, weight } = share(shell.arrays, ...pair);
    const n = shell.header.columns.length;
    sum.replaceChildren(
      ...formula([
        ["", labels("over_units", { n: terms.products.length }), labels("energy", { energy: format(terms.energy) })],
        ["→", labels("exp_energy"), format(Math.exp(terms.energy - largest))],
        ["/", labels("over_tokens", { n }), format(total)],
        ["=", labels("weight"), format(weight, 4), true],
      ]),
    );
    const { shown, sum: first, rest } = contextSum(shell.arrays, pair[0], 0);
    context.replaceChildren(
      ...formula([
        ...shown.map((p, i) => [
          i ? "+" : "",
          labels("weight_times", { token: visible(shell.header.columns[p.s]), i: p.s }),
          `${format(p.weight)} × ${format(p.value)}`,
        ]),
        ...(rest ? [["+", labels("more", { n: rest }), "…"]] : []),
        ["=", labels("context"), format(first), true],
      ]),
    );
  }

  return {
    /** What is selected stays while the rows and columns are the same and the server does not say otherwise. */
    update() {
      const { rows, columns, selected } = shell.header;
      const before = shell.previous;
      const same = before && JSON.stringify([before.rows, before.columns]) === JSON.stringify([rows, columns]);
      if (!same || JSON.stringify(selected) !== JSON.stringify(before.selected)) grid.selected = selected;
    },
    draw() {
      const h = shell.header;
      grid.set({
        values: shell.arrays.weights.data,
        rows: h.rows,
        columns: h.columns,
        truth: shell.arrays.truth?.data,
        rowTitle: labels("writes"),
        columnTitle: labels("reads"),
        scale: scale("probability", 0, 1, shell.theme.mode),
        labelFor: h.takeaway,
      });
      grid.draw(shell.theme, left.clientWidth || shell.width, {
        maxHeight: Math.min(480, (shell.tall - 170) / shell.theme.unit),
      });
      key.replaceChildren(...legend(grid.scale, labels("weight"), { truth: shell.arrays.truth && h.truth_title }));
      tell(grid.at ?? grid.selected);
    },
    table: () => ({
      columns: [labels("writes"), ...shell.header.columns.map(visible)],
      rows: shell.header.rows.map((t, r) => [visible(t), ...shell.header.columns.map((_, c) => grid.value(r, c))]),
    }),
    picture: () => ({ ...photograph(shell.body), scale: grid.scale, scaleTitle: labels("weight") }),
  };
}, STYLE);
