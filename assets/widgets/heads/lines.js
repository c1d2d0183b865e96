// Attention as lines between two columns of tokens: thickness is weight; color and dash are the head. Any set of heads.
import { define } from "../drawing/base.js";
import { clamp, el, format, fromByte, measure, ROUNDED } from "../drawing/elements.js";
import { pointer, withModifier } from "../drawing/input.js";
import { mix } from "../drawing/color.js";
import { HeadChips } from "./head_chips.js";
import { dashOf, headsIn, linesAt, linesOf, masksOf, takeSlots } from "./line_set.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { short, visible } from "../drawing/tokens.js";
import { STYLE } from "./lines_style.js";
import { hint, list, otherEnd, sentence as sentenceOf } from "./lines_panel.js";

const SIDES = ["", "query", "key"];
const TOP = 24;
const WIDEST = 9; // px: the heading; a line of weight 1

export default define((shell) => {
  const base = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const labels = el("div");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "group" }, base, over, labels);
  const chips = new HeadChips({
    change: (heads) => {
      on = heads;
      isOwn = true;
      takeSlots(slots, on);
      draw();
      shell.say(`${on.length} heads on`);
    },
  });
  const range = el("input", {
    type: "range",
    min: 0,
    max: 1,
    step: 0.01,
    "aria-label": "hide lines below this weight",
    oninput: () => {
      threshold = Number(range.value);
      draw();
    },
  });
  const shown = el("output");
  const panel = el("div", { class: "gf-panel" });
  const key = el("div", { class: "gf-legend" });
  const left = el("div", {}, stage, key);
  const below = el("label", {}, el("span", { text: "hide below" }), range, shown);
  const pick = el("div", { class: "gf-pick" }, chips.node, el("div", { class: "gf-controls" }, below));
  shell.body.append(pick, el("div", { class: "gf-split" }, left, panel));
  shell.body.classList.add("gf-lines");

  const slots = new Map();
  let on = [];
  let isOwn = false; // whether the person has chosen heads; else it is the open one
  let threshold = null;
  let geometry = null;
  let at = null;
  let pinned = null;
  let set = { lines: [], cut: 0 };
  let nodes = { query: [], key: [] };

  const tokens = (side) => (side === "query" ? shell.header.rows : shell.header.columns);
  const color = (head) => {
    const all = shell.theme.categorical;
    return all[slots.get(String(head)) % all.length];
  };
  const dash = (head) => dashOf(slots.get(String(head)));
  const name = (head) => `${head[0]}.${head[1]}`;

  const leave = () => hover(null);
  pointer(stage, (event) => hover(find(event)), leave);
  stage.addEventListener("click", (event) => {
    const token = find(event);
    if (token) choose(token);
  });
  stage.addEventListener("keydown", (event) => {
    const from = at ?? pinned ?? { side: "query", i: -1 };
    const last = (side) => tokens(side).length - 1;
    const move = (side, i) => {
      hover({ side, i: clamp(i, 0, last(side)) });
      shell.say(sentence(at));
    };
    if (withModifier(event)) return;
    if (event.key === "ArrowDown") move(from.side, from.i + 1);
    else if (event.key === "ArrowUp") move(from.side, from.i - 1);
    else if (event.key === "ArrowLeft") move("query", from.i);
    else if (event.key === "ArrowRight") move("key", from.i);
    else if (event.key === "Home") move(from.side, 0);
    else if (event.key === "End") move(from.side, last(from.side));
    else if ((event.key === "Enter" || event.key === " ") && at) choose(at);
    else if (event.key === "Escape") {
      pinned = null;
      hover(null);
      tell();
      drawOver();
    } else return;
    event.preventDefault();
  });

  /** The token under the pointer: the left part of the picture belongs to the queries, the right one to the keys. */
  function find(event) {
    const { xLeft, xRight, step } = geometry;
    const box = stage.getBoundingClientRect();
    const x = event.clientX - box.left;
    const i = Math.floor((event.clientY - box.top - TOP) / step);
    const reach = (xRight - xLeft) * 0.3;
    const side = x < xLeft + reach ? "query" : x > xRight - reach ? "key" : null;
    return side && i >= 0 && i < tokens(side).length ? { side, i } : null;
  }

  const isSame = (a, b) => a?.side === b?.side && a?.i === b?.i;

  function hover(token) {
    if (isSame(token, at)) return;
    at = token;
    drawOver();
    tell();
  }

  function choose(token) {
    pinned = isSame(token, pinned) ? null : token;
    at = null;
    drawOver();
    tell();
    shell.say(pinned ? `Held: ${sentence(token)}` : "Released");
    // With the time, so that the same token clicked once more is news again.
    if (pinned?.side === "query") shell.commit("pick", { row: token.i, at: Date.now() });
  }

  /** What one token reads or is read by, and the tokens it may. */
  const linesOfToken = ({ side, i }) => linesAt(shell.arrays.weights, on, side, i, threshold);
  const others = ({ side }) => tokens(side === "query" ? "key" : "query");
  const named = (head) => name(on[head]);
  const sentence = (token) => sentenceOf(token, tokens(token.side)[token.i], linesOfToken(token), others(token), named);

  /** The values of the token pointed at or held. */
  function tell() {
    const token = at ?? pinned;
    if (!token) return panel.replaceChildren(hint());
    const look = { named, color: (head) => color(on[head]), most: shell.width < 760 ? 4 : 14 };
    panel.replaceChildren(...list(token, tokens(token.side)[token.i], linesOfToken(token), others(token), look));
  }

  /** The ends of a line: heads lie a little apart, so that lines of one pair do not hide each other. */
  function ends({ head, row, column }) {
    const { xLeft, xRight, step } = geometry;
    const shift = ((head + 0.5) / on.length - 0.5) * step * 0.6;
    return [
      [xLeft, TOP + (row + 0.5) * step + shift],
      [xRight, TOP + (column + 0.5) * step + shift],
    ];
  }

  function paintLines(painter, lines) {
    for (const one of lines) {
      const head = on[one.head];
      const width = Math.max(0.6, one.weight * WIDEST * geometry.thin);
      const longer = clamp(width / 2, 1, 3);
      painter.line(ends(one), {
        color: mix(shell.theme.page, color(head), 0.3 + 0.7 * one.weight),
        width,
        dash: dash(head).map((part) => part * longer),
      });
    }
  }

  function draw() {
    const { theme } = shell;
    const n = Math.max(shell.header.rows.length, shell.header.columns.length);
    shown.value = format(threshold, 2);
    chips.draw(on, color, dash, theme);
    const width = Math.min(left.clientWidth || shell.width, 860);
    const size = Math.round((width < 480 ? 11 : 12) * theme.unit);
    const names = {
      query: shell.header.rows.map((t) => short(t, width < 480 ? 8 : 16)),
      key: shell.header.columns.map((t) => short(t, width < 480 ? 8 : 16)),
    };
    const widest = (list) => Math.ceil(list.reduce((w, t) => Math.max(w, measure(t, size, theme.code)), 40)) + 12;
    const above = (64 + 30 * shell.arrays.weights.shape[0]) * theme.unit + TOP;
    const step = clamp(Math.floor((shell.tall - above) / n), 9, 30);
    geometry = {
      width,
      height: TOP + n * step + 4,
      step,
      size,
      every: Math.ceil((size - 1) / step), // of so many names one is drawn, where lines are lower than letters
      names,
      xLeft: widest(names.query),
      xRight: width - widest(names.key),
      thin: step < 20 ? 0.7 : 1,
    };
    Object.assign(stage.style, { width: `${width}px`, height: `${geometry.height}px` });
    set = linesOf(shell.arrays.weights, on, threshold);
    paintLines(new CanvasPainter(fit(base, width, geometry.height)), set.lines);
    drawLabels();
    drawOver();
    tell();
    stage.setAttribute("aria-label", `${shell.header.takeaway} Arrow keys go from token to token.`);
    const widths = [0.1, 0.5, 1].flatMap((w) => {
      const line = el("span");
      line.style.height = `${Math.max(1, w * WIDEST * geometry.thin)}px`;
      return [line, format(w, 1)];
    });
    key.replaceChildren(
      el("span", { class: "gf-widths" }, "weight", ...widths),
      el("span", { text: ROUNDED }),
      ...(on.length && !set.lines.length
        ? [el("span", { text: `no weight reaches ${format(threshold, 2)}: hide less` })]
        : []),
      ...(set.cut
        ? [
            el("span", {
              text: `the ${set.cut.toLocaleString("en")} weakest lines are left out: switch heads off, or hide more`,
            }),
          ]
        : []),
    );
  }

  function drawLabels() {
    const { names, xLeft, xRight, step, size, every } = geometry;
    const put = (side) =>
      names[side].map((text, i) => {
        const node = el("span", { class: "gf-label", text, title: `${visible(tokens(side)[i])} (${i})` });
        node.classList.toggle("gf-rest", i % every > 0);
        node.style.cssText = `top:${TOP + (i + 0.5) * step}px;font-size:${size}px;transform:translateY(-50%);${side === "query" ? `right:${geometry.width - xLeft + 6}px` : `left:${xRight + 6}px`}`;
        return node;
      });
    nodes = { query: put("query"), key: put("key") };
    const head = (text, css) => {
      const node = el("span", { class: "gf-axis", text });
      node.style.cssText = css;
      return node;
    };
    labels.replaceChildren(
      head(shell.header.row_title, `right:${geometry.width - xLeft + 6}px;top:0`),
      head(shell.header.column_title, `left:${xRight + 6}px;top:0`),
      ...nodes.query,
      ...nodes.key,
    );
  }

  /** The lines of one token alone, over the others faded. */
  function drawOver() {
    const token = at ?? pinned;
    const painter = new CanvasPainter(fit(over, geometry.width, geometry.height));
    for (const node of labels.querySelectorAll(".on")) node.classList.remove("on");
    base.classList.toggle("gf-dim", Boolean(token));
    if (!token) return;
    const found = linesOfToken(token);
    paintLines(painter, found.slice().reverse());
    nodes[token.side][token.i]?.classList.add("on");
    const far = nodes[token.side === "query" ? "key" : "query"];
    for (const one of found) far[otherEnd(token.side, one)]?.classList.add("on");
  }

  return {
    held: () => (pinned || isOwn) && [SIDES.indexOf(pinned?.side ?? ""), pinned?.i ?? 0, ...(isOwn ? masksOf(on) : [])],
    hold([side, i, ...masks]) {
      if (masks.length) {
        on = headsIn(masks, shell.arrays.weights.shape);
        isOwn = true;
        takeSlots(slots, on);
        draw();
      }
      const token = { side: SIDES[side], i };
      if (token.side && i < tokens(token.side).length && !isSame(token, pinned)) choose(token);
    },
    update() {
      const h = shell.header;
      const [nLayer, nHead] = shell.arrays.weights.shape;
      threshold ??= h.threshold;
      range.value = threshold;
      on = on.filter(([l, n]) => l < nLayer && n < nHead);
      isOwn &&= on.length > 0;
      if (!isOwn) on = [h.open];
      takeSlots(slots, on);
      chips.build(nLayer, nHead, h.open);
      const fits = (token) => token && token.i < tokens(token.side).length;
      if (!fits(at)) at = null;
      if (!fits(pinned) || JSON.stringify(h.rows) !== JSON.stringify(shell.previous?.rows)) pinned = null;
    },
    draw,
    table: () => ({
      columns: ["head", "query", "token", "key", "token", `weight (${ROUNDED})`],
      rows: set.lines
        .slice(-1000)
        .reverse()
        .map((one) => [
          name(on[one.head]),
          String(one.row),
          visible(shell.header.rows[one.row]),
          String(one.column),
          visible(shell.header.columns[one.column]),
          fromByte(one.weight),
        ]),
    }),
    picture: () => ({
      width: geometry.width,
      height: geometry.height + 22,
      paint(p) {
        const { names, xLeft, xRight, step, size, every } = geometry;
        const { theme } = shell;
        const token = at ?? pinned;
        paintLines(p, token ? linesOfToken(token).slice().reverse() : set.lines);
        const font = { size, font: theme.code, fill: theme.text };
        const put = (list, x, look) =>
          list.forEach((text, i) => i % every || p.text(text, x, TOP + (i + 0.5) * step, { ...font, ...look }));
        put(names.query, xLeft - 6, { align: "right" });
        put(names.key, xRight + 6, {});
        p.text(shell.header.row_title, xLeft - 6, 9, { fill: theme.soft, size: 11, font: theme.font, align: "right" });
        p.text(shell.header.column_title, xRight + 6, 9, { fill: theme.soft, size: 11, font: theme.font });
        on.slice(0, 16).forEach((head, i) => {
          p.segment(6 + i * 58, geometry.height + 12, 30 + i * 58, geometry.height + 12, {
            color: color(head),
            width: 3,
            dash: dash(head),
          });
          p.text(name(head), 34 + i * 58, geometry.height + 12, { ...font, size: 11 });
        });
      },
    }),
  };
}, STYLE);
