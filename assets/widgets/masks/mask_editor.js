// Draw a mask: click and drag cells; beside it, who can learn of whom through several layers.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { Grid } from "../drawing/grid.js";
import { STYLE as OF_STROKES, strokes } from "./mask_strokes.js";
import { inWords } from "./mask_words.js";
import { fromAddress, layersNeeded, path, PRESETS, preset, toAddress } from "./reach.js";
import { quoted, visible } from "../drawing/tokens.js";
import { photograph } from "../scene/photograph.js";
import { History } from "../shared/undo.js";

const NAMES = { full: "Full", causal: "Causal", prefix: "Prefix", window: "Window", blocks: "Blocks", none: "None" };
const SIZED = ["prefix", "window", "blocks"];
const STYLE = `
.gf-mask .gf-controls { gap: 0.4rem 0.5rem; }
.gf-mask .gf-controls label { margin-left: 0.4rem; }
.gf-mask-head { font-size: 0.8125rem; margin: 0 0 0.4rem; min-height: 2rem; display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.9rem; }
.gf-mask-head b { font-weight: 600; }
.gf-mask-head label { display: inline-flex; align-items: center; gap: 0.5rem; }
.gf-mask .gf-readout { min-height: 3.2em; }
.gf-mask .gf-scroll { padding: 5px; margin: -5px; }
`;

export default define((shell) => {
  let mask = new Uint8Array(0);
  let n = 0;
  let needed = null;
  let n_layer = 1;
  let text = null; // of the mask, as the address has it
  const history = new History(mask);
  let chosen = null;
  let stroke; // whether it opens, and what was there before it
  const button = (text, onclick, title) => el("button", { class: "gf-solid", text, title, onclick });
  const range = (min, label, oninput, onchange) =>
    el("input", { type: "range", min, step: 1, "aria-label": label, oninput, onchange });

  const size = range(
    1,
    "Size of prefix, window or blocks",
    () => {
      sizeOut.textContent = size.value;
      if (chosen) put(preset(chosen, n, +size.value), false);
    },
    () => {
      if (chosen) done();
    },
  );
  const sizeOut = el("output");
  const presets = Object.keys(PRESETS).map((name) =>
    button(NAMES[name], () => {
      put(preset(name, n, +size.value));
      chosen = SIZED.includes(name) ? name : null;
      mark();
    }),
  );
  const undo = button("Undo", () => put(history.undo(), true, false));
  const redo = button("Redo", () => put(history.redo(), true, false));
  const again = button("Reset", () => put(first().mask), "Back to the starting mask");
  const layers = range(
    1,
    "Number of layers",
    () => {
      n_layer = +layers.value;
      show();
    },
    () => commit(),
  );
  const layersOut = el("output");

  const other = { hover: (at, byKeyboard) => point(at, byKeyboard) };
  const edit = new Grid({
    ...other,
    choose: (at) => {
      if (brush.served()) return;
      flip(at);
      done();
    },
  });
  const brush = strokes(edit, {
    // The first cell decides whether the stroke opens or blocks.
    begin: ([r, c]) => (stroke = { open: mask[r * n + c] ? 0 : 1, mask: mask.slice(), chosen }),
    set: ([r, c]) => (mask[r * n + c] = stroke.open),
    show() {
      chosen = null;
      show();
    },
    end: () => done(),
    drop() {
      ({ mask, chosen } = stroke);
      show();
    },
  });
  const far = new Grid(other);
  edit.print = null; // a switch needs no number
  far.print = String;
  edit.stage.setAttribute("role", "application"); // a screen reader hands its keys over
  const status = el("div", { class: "gf-soft" });
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const left = el(
    "div",
    {},
    el("div", { class: "gf-mask-head" }, el("b", { text: "The mask of one layer" }), "solid: may read"),
    edit.node,
    status,
  );
  const right = el(
    "div",
    {},
    el("div", { class: "gf-mask-head" }, el("b", { text: "What arrives through" }), el("label", {}, layers, layersOut)),
    far.node,
    key,
  );
  const bar = el(
    "div",
    { class: "gf-controls", role: "group", "aria-label": "Masks to begin with" },
    ...presets,
    el("label", {}, el("span", { text: "Size" }), size, sizeOut),
  );
  const steps = el(
    "div",
    { class: "gf-controls", role: "group", "aria-label": "Changes" },
    brush.button,
    undo,
    redo,
    again,
  );
  const grids = el("div", { class: "gf-split even" }, left, right);
  shell.body.append(el("div", { class: "gf-mask" }, bar, grids, readout, steps));

  edit.stage.addEventListener(
    "keydown",
    (event) => {
      const letter = event.key.toLowerCase();
      if (!(event.ctrlKey || event.metaKey) || !["z", "y"].includes(letter)) return;
      event.preventDefault();
      put(letter === "y" || event.shiftKey ? history.redo() : history.undo(), true, false);
    },
    true,
  );

  function flip([r, c]) {
    mask[r * n + c] = mask[r * n + c] ? 0 : 1;
    chosen = null;
    show();
    shell.say(sentence([r, c]));
  }

  /** Put a whole mask in place. isOver: tell Python; isNew: a step to undo. */
  function put(next, isOver = true, isNew = true) {
    mask = next;
    show();
    if (!isNew) {
      chosen = null;
      mark();
      commit();
    } else if (isOver) done();
  }

  function done() {
    if (history.push(mask)) commit();
    mark();
  }

  function commit() {
    text = toAddress(mask, n, n_layer);
    shell.commit("drawn", text);
    mark();
  }

  const first = () => fromAddress(shell.header.first, n);

  function mark() {
    undo.disabled = !history.canUndo;
    redo.disabled = !history.canRedo;
    presets.forEach((node, i) => node.setAttribute("aria-pressed", String(Object.keys(PRESETS)[i] === chosen)));
  }

  function show() {
    needed = layersNeeded(mask, n);
    draw();
    const arrived = needed.reduce((a, v) => a + (v >= 0 && v <= n_layer), 0);
    status.textContent = inWords(mask, shell.header.rows);
    layersOut.textContent = n_layer === 1 ? "1 layer" : `${n_layer} layers`;
    far.stage.setAttribute(
      "aria-label",
      `Through ${layersOut.textContent}, ${arrived} of ${n * n} pairs are connected.`,
    );
    edit.stage.setAttribute(
      "aria-label",
      `${shell.header.takeaway} ${status.textContent} Arrow keys move, Space opens or blocks a cell, Control and Z undoes.`,
    );
  }

  function sentence([t, s]) {
    const h = shell.header;
    const steps = needed[t * n + s];
    const own = `${quoted(h.rows[t])} (${t}) ${mask[t * n + s] ? "may" : "may not"} read ${quoted(h.rows[s])} (${s}) in one layer. `;
    if (t === s) return `${own}Its own vector stays with it anyway: the residual path carries it along.`;
    if (steps < 0) return `${own}No number of layers brings anything of it here.`;
    const way = path(mask, n, t, s)
      .map((i) => `${quoted(h.rows[i])} (${i})`)
      .join(" → ");
    return `${own}It arrives after ${steps} layer${steps === 1 ? "" : "s"}${steps > n_layer ? `, more than the ${n_layer} shown` : ""}: ${way}.`;
  }

  function point(at, byKeyboard) {
    for (const grid of [edit, far]) {
      if (grid.rows) {
        grid.at = at;
        grid.drawOver();
      }
    }
    readout.replaceChildren(
      at
        ? sentence(at)
        : el("span", {
            class: "gf-hint",
            text: "Click or drag to open and block cells; arrow keys and Space do it too. Point at a cell to trace its information.",
          }),
    );
    if (byKeyboard && at) shell.say(sentence(at));
  }

  function draw() {
    const h = shell.header;
    const { mode } = shell.theme;
    const columns = { rows: h.rows, columns: h.rows, rowTitle: "query (reading)", columnTitle: "key (read from)" };
    edit.set({
      ...columns,
      values: mask,
      empty: mask.map((v) => 1 - v),
      scale: scale("probability", 0, 1.6, mode),
      labelFor: "",
    });
    const shown = Float32Array.from(needed);
    const hidden = Uint8Array.from(needed, (v) => (v < 0 || v > n_layer ? 1 : 0));
    far.set({ ...columns, values: shown, empty: hidden, scale: scale("value", 0, n_layer, mode), labelFor: "" });
    for (const [grid, box] of [
      [edit, left],
      [far, right],
    ]) {
      grid.draw(shell.theme, box.clientWidth || 300, {
        maxHeight: Math.min(460, shell.tall / shell.theme.unit - 230),
        maxCell: 34,
      });
    }
    key.replaceChildren(
      ...legend(far.scale, "layers needed"),
      el("span", {}, el("span", { class: "gf-swatch gf-hatch" }), "does not arrive"),
    );
    if (edit.at) point(edit.at);
  }

  return {
    tellsAll: false, // the server is told the cells, and not which preset they are
    update() {
      const h = shell.header;
      const isOther = h.rows.length !== n;
      n = h.rows.length;
      if (isOther || h.drawn !== text) {
        text = h.drawn;
        const { mask: cells, nLayer } = fromAddress(text, n) ?? first();
        mask = cells;
        n_layer = Math.min(nLayer, h.max_layers);
        if (isOther) history.reset(mask);
        else history.push(mask);
      }
      layers.max = h.max_layers;
      layers.value = n_layer;
      size.max = Math.max(1, n);
      if (isOther) size.value = Math.min(3, n);
      sizeOut.textContent = size.value;
    },
    draw() {
      show();
      point(edit.at);
      mark();
    },
    table: () => ({
      columns: ["query (reading)", ...shell.header.rows.map(visible)],
      rows: shell.header.rows.map((name, t) => [
        visible(name),
        ...shell.header.rows.map(
          (_, s) =>
            `${mask[t * n + s] ? "open" : "blocked"}, ${needed[t * n + s] < 0 ? "never arrives" : `${needed[t * n + s]} layer${needed[t * n + s] === 1 ? "" : "s"}`}`,
        ),
      ]),
    }),
    picture: () => ({ ...photograph(grids), scale: far.scale, scaleTitle: "layers needed" }),
  };
}, STYLE + OF_STROKES);
