// Draw a mask: click and drag cells; beside it, who can learn of whom through several layers.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { Grid } from "../drawing/grid.js";
import { labels } from "./labels.js";
import { STYLE as OF_STROKES, strokes } from "./mask_strokes.js";
import { inWords } from "./mask_words.js";
import { fromAddress, layersNeeded, path, PRESETS, preset, toAddress } from "./reach.js";
import { quoted, visible } from "../drawing/tokens.js";
import { photograph } from "../scene/photograph.js";
import { History } from "../shared/undo.js";

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
  const button = (text, onclick, title, name) =>
    el("button", { class: "gf-solid", text, title, "data-name": name, onclick });
  const range = (key, oninput, onchange) =>
    el("input", { type: "range", min: 1, step: 1, "aria-label": labels(key), "data-name": key, oninput, onchange });

  const size = range(
    "size.told",
    () => {
      sizeOut.textContent = size.value;
      if (chosen) put(preset(chosen, n, +size.value), false);
    },
    () => {
      if (chosen) done();
    },
  );
  const sizeOut = el("output");
  const presets = Object.keys(PRESETS).map((name) => {
    const choose = () => {
      put(preset(name, n, +size.value));
      chosen = SIZED.includes(name) ? name : null;
      mark();
    };
    return button(labels(`preset.${name}`), choose, undefined, `preset.${name}`);
  });
  const undo = button(labels("undo"), () => put(history.undo(), true, false));
  const redo = button(labels("redo"), () => put(history.redo(), true, false));
  const again = button(labels("reset"), () => put(first().mask), labels("reset.told"));
  const layers = range(
    "n_layers",
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
    el("div", { class: "gf-mask-head" }, el("b", { text: labels("one_layer") }), labels("solid")),
    edit.node,
    status,
  );
  const right = el(
    "div",
    {},
    el("div", { class: "gf-mask-head" }, el("b", { text: labels("through") }), el("label", {}, layers, layersOut)),
    far.node,
    key,
  );
  const bar = el(
    "div",
    { class: "gf-controls", role: "group", "aria-label": labels("presets") },
    ...presets,
    el("label", {}, el("span", { text: labels("size") }), size, sizeOut),
  );
  const steps = el(
    "div",
    { class: "gf-controls", role: "group", "aria-label": labels("changes") },
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
    layersOut.textContent = labels("n_layer", { n: n_layer });
    far.stage.setAttribute(
      "aria-label",
      labels("n_connected", { layers: layersOut.textContent, n: arrived, all: n * n }),
    );
    edit.stage.setAttribute("aria-label", `${shell.header.takeaway} ${status.textContent} ${labels("keys")}`);
  }

  function sentence([t, s]) {
    const h = shell.header;
    const steps = needed[t * n + s];
    const name = (i) => `${quoted(h.rows[i])} (${i})`;
    const own = labels(mask[t * n + s] ? "may_read" : "may_not_read", { query: name(t), key: name(s) });
    if (t === s) return `${own} ${labels("itself")}`;
    if (steps < 0) return `${own} ${labels("no_way")}`;
    const way = path(mask, n, t, s).map(name).join(" → ");
    return `${own} ${labels(steps > n_layer ? "arrives.late" : "arrives", { n: steps, shown: n_layer, way })}`;
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
            text: labels("hint"),
          }),
    );
    if (byKeyboard && at) shell.say(sentence(at));
  }

  function draw() {
    const h = shell.header;
    const { mode } = shell.theme;
    const columns = { rows: h.rows, columns: h.rows, rowTitle: labels("query_axis"), columnTitle: labels("key_axis") };
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
      ...legend(far.scale, labels("needed")),
      el("span", {}, el("span", { class: "gf-swatch gf-hatch" }), labels("not_arrived")),
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
      columns: [labels("query_axis"), ...shell.header.rows.map(visible)],
      rows: shell.header.rows.map((name, t) => [
        visible(name),
        ...shell.header.rows.map((_, s) => {
          const steps = needed[t * n + s];
          const arrives = steps < 0 ? labels("never") : labels("n_layer", { n: steps });
          return labels(mask[t * n + s] ? "pair.open" : "pair.blocked", { arrives });
        }),
      ]),
    }),
    picture: () => ({ ...photograph(grids), scale: far.scale, scaleTitle: labels("needed") }),
  };
}, STYLE + OF_STROKES);
