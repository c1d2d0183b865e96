// A picture, its patches in reading order, and the matrix that they become, step by step. A patch that is pointed at in
// one of the three is marked in the others. Nothing asks the server.
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { Grid } from "../drawing/grid.js";
import { columnNames, cropped, joined, numberOf, pixelOf, stampSize } from "./patch_rows_math.js";
import { PictureGrid } from "../pictures/picture_grid.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

const SIDE = 288; // css pixels
const LEAST = 160; // of the matrix
const MOST_IN_TABLE = 20_000; // cells

const STYLE = `
.gf-patching { display: flex; flex-wrap: wrap; gap: 0.8rem 1.8rem; align-items: flex-start; }
.gf-patching > :first-child { flex: 0 0 298px; max-width: 100%; }
.gf-patching > :last-child { flex: 1 1 300px; min-width: 0; }
.gf-patching .gf-soft { margin: 0 0 0.25rem; }
.gf-patching .gf-stamps { margin-top: 0.6rem; }
.gf-steps { display: flex; flex-wrap: wrap; gap: 0.3rem; margin: 0 0 0.35rem; }
.gf .gf-steps button { border-color: var(--gf-line); }
.gf .gf-steps button[aria-pressed="true"] { border-color: var(--gf-accent); font-weight: 600; }
.gf-patched { min-height: 4.4em; }
.gf-told { margin: 0 0 0.5rem; max-width: 46rem; }
`;

export default define((shell) => {
  const whole = new PictureGrid({
    hover: (at, byKeyboard) =>
      point(at && numberOf(at.row, at.column, shell.header.patch, shell.header.side), byKeyboard),
  });
  const stamps = new PictureGrid({
    hover: (at) => point(at && { patch: at.picture, k: at.row * shell.header.patch + at.column }),
  });
  const grid = new Grid({ hover: (at, byKeyboard) => point(at && fromMatrix(at), byKeyboard) });
  stamps.stage.tabIndex = -1; // by keys the patches are reached in the picture and in the matrix
  const steps = el("div", { class: "gf-steps", role: "group", "aria-label": labels("step") });
  const told = el("p", { class: "gf-told" });
  const notice = el("p", { class: "gf-soft" });
  const readout = el("div", { class: "gf-readout gf-patched" });
  const key = el("div", { class: "gf-legend" });
  const right = el("div");
  const caption = (text) => el("p", { class: "gf-soft", text });
  const left = el(
    "div",
    {},
    whole.node,
    el("div", { class: "gf-stamps" }, caption(labels("reading_order")), stamps.node),
  );
  left.append(readout);
  right.append(steps, told, grid.node, notice, key);
  shell.body.append(el("div", { class: "gf-patching" }, left, right));

  let open = 0;
  let shown = 1;

  const step = () => shell.header.steps[open];
  const matrix = () => {
    const { array } = step();
    return array ? shell.arrays[array] : shell.arrays.rows;
  };
  const value = (r, c) => {
    const m = matrix();
    return m.data[r * m.shape[1] + c] / (step().array ? 1 : shell.header.top);
  };

  /**
   * A cell of the matrix as a place: patch (null: the class token), k a number of the patch, column one of the matrix.
   */
  function fromMatrix([r, column]) {
    const patch = r - step().first;
    return { patch: patch < 0 ? null : patch, k: open === 0 ? column : null, row: r, column };
  }

  function point(place, byKeyboard = false) {
    mark(place);
    readout.replaceChildren(
      ...(place
        ? [sentence(place)]
        : [
            el("span", {
              class: "gf-hint",
              text: labels("rows_hint"),
            }),
          ]),
    );
    if (place && byKeyboard) shell.say(readout.textContent);
  }

  function mark(place) {
    const { patch: p, side } = shell.header;
    const at = place && place.patch !== null ? pixelOf(place.patch, place.k ?? 0, p, side) : null;
    whole.at = at && { picture: 0, row: at.y, column: at.x };
    stamps.at = at && { picture: place.patch, row: at.y % p, column: at.x % p };
    whole.drawOver();
    stamps.drawOver();
    if (at && place.k !== null && p > 1) ringPixel(at);
    const row = place ? (place.row ?? place.patch + step().first) : null;
    const column = place ? (place.column ?? (open === 0 ? place.k : null)) : null;
    grid.at = row !== null && column !== null && column < shown ? [row, column] : null;
    grid.drawOver();
    if (row !== null && !grid.at) bandRow(row);
  }

  function ringPixel({ y, x }) {
    const ctx = whole.over.getContext("2d");
    const [left, top] = whole.place(0);
    const cell = whole.box.wide / whole.x;
    ctx.strokeStyle = shell.theme.accent;
    ctx.lineWidth = 2;
    ctx.strokeRect(left + x * cell, top + y * cell, cell, cell);
  }

  /** A row of the matrix without a column: what is pointed at is a patch and no number of its own. */
  function bandRow(row) {
    const ctx = grid.over.getContext("2d");
    const label = grid.rowLabels[row];
    ctx.strokeStyle = shell.theme.accent;
    ctx.lineWidth = 2;
    ctx.strokeRect(grid.left, grid.top + row * grid.line, grid.cell * grid.nColumn, grid.line);
    label.wasHidden = label.hidden;
    label.hidden = false;
    label.classList.add("on");
    grid.lit = [label];
  }

  function sentence({ patch, k, row, column }) {
    const h = shell.header;
    const out = el("span");
    const bold = (text) => el("b", { text });
    if (patch === null) out.append(...labels.parts("class_row", { token: bold(labels("class_token")) }));
    else {
      const [down, across] = [Math.floor(patch / h.side), patch % h.side];
      out.append(...labels.parts("patch_at", { patch: bold(`${patch}`), row: down, column: across }));
    }
    out.append("  ·  ");
    if (open === 0) {
      const valueKey = (c) => (h.channels > 1 ? ["red_value", "green_value", "blue_value"][c] : "light_value");
      const { channel } = pixelOf(patch, k, h.patch, h.side);
      const plane = h.patch * h.patch;
      const all =
        column === undefined ? Array.from({ length: h.channels }, (_, c) => [c, k + c * plane]) : [[channel, k]];
      const within = k % plane;
      const values = all.flatMap(([c, number], i) => [
        i ? ", " : "",
        ...labels.parts(valueKey(c), { value: bold(format(value(patch, number))), number }),
      ]);
      const at = { line: Math.floor(within / h.patch), column: within % h.patch };
      out.append(...labels.parts("its_pixel", { ...at, values: el("span", {}, ...values) }));
    } else {
      const r = row ?? patch + step().first;
      const n = matrix().shape[1];
      if (column !== undefined) {
        out.append(...labels.parts("number_at", { number: column, value: bold(format(value(r, column))) }));
      } else {
        const first = Array.from({ length: Math.min(6, n) }, (_, c) => format(value(r, c), 2)).join("  ");
        out.append(labels("row_begins", { row: r, values: n > 6 ? `${first} …` : first }));
      }
    }
    return out;
  }

  function choose(i) {
    open = i;
    for (const [k, button] of [...steps.children].entries()) button.setAttribute("aria-pressed", String(k === i));
    shell.say(`${step().title}. ${step().told}`);
    drawMatrix();
    point(null);
    if (!shell.tableBox.hidden) shell.fillTable();
  }

  function drawMatrix() {
    const h = shell.header;
    const s = step();
    told.textContent = s.told;
    const [nRow, total] = matrix().shape;
    const room = Math.max(120, (right.clientWidth || shell.width) - 84);
    const above = grid.node.getBoundingClientRect().top - shell.root.getBoundingClientRect().top;
    const crop = cropped(total, nRow, room, Math.max(LEAST, shell.tall - above - 70 * shell.theme.unit));
    shown = crop.shown;
    const values = new Float32Array(nRow * shown);
    for (let r = 0; r < nRow; r++) for (let c = 0; c < shown; c++) values[r * shown + c] = value(r, c);
    const rows = Array.from({ length: nRow }, (_, r) => (r < s.first ? labels("class") : `${r - s.first}`));
    const columns =
      open === 0 ? columnNames(h.patch, h.channels, shown) : Array.from({ length: shown }, (_, c) => `${c}`);
    const colors =
      open === 0 ? scale("probability", 0, 1, shell.theme.mode) : scale("signed", -s.limit, s.limit, shell.theme.mode);
    grid.set({
      values,
      rows,
      columns,
      scale: colors,
      rowTitle: labels("patch"),
      columnTitle: labels(open === 0 ? "columns_axis" : "number"),
      labelFor: labels("matrix", { title: s.title, n_row: nRow, total, told: s.told }),
    });
    grid.draw(shell.theme, room + 80, { maxHeight: crop.cell * nRow, maxCell: crop.cell, minCell: crop.cell });
    notice.textContent = shown < total ? labels("cut", { shown, total }) : "";
    key.replaceChildren(...legend(colors, labels(open === 0 ? (h.ink ? "ink" : "light") : "value")));
  }

  return {
    update() {
      const { header: h, arrays } = shell;
      const size = h.side * h.patch;
      const color = h.channels > 1 ? [3] : [];
      const n = h.side * h.side;
      const common = {
        titles: null,
        details: null,
        kind: "probability",
        low: 0,
        high: 1,
        ink: h.ink,
        full: h.top,
        columns: null,
        pick: null,
      };
      const pixels = joined(arrays.rows.data, h.patch, h.channels, h.side);
      const each = new Uint8Array(pixels.length);
      const per = h.patch * h.patch * h.channels;
      for (let i = 0; i < n; i++) {
        each.set(joined(arrays.rows.data.subarray(i * per, i * per + per), h.patch, h.channels, 1), i * per);
      }
      whole.set(
        {
          ...common,
          grid: [h.side, h.side],
          lines: true,
          size: SIDE,
          takeaway: labels("whole", { side: h.side, patch: h.patch }),
        },
        { pixels: { data: pixels, shape: [1, size, size, ...color] } },
      );
      stamps.set(
        { ...common, grid: [1, 1], lines: false, size: stampSize(n), takeaway: labels("stamps", { n }) },
        { pixels: { data: each, shape: [n, h.patch, h.patch, ...color] } },
      );
      open = Math.min(open, h.steps.length - 1);
      steps.replaceChildren(
        ...h.steps.map((s, i) =>
          el("button", {
            text: s.title,
            "data-name": `step ${i}`, // its title has the sizes in it
            "aria-pressed": String(i === open),
            onclick: () => choose(i),
          }),
        ),
      );
    },
    draw() {
      whole.draw(shell.theme, Math.min(shell.width, SIDE + 8));
      stamps.draw(shell.theme, left.clientWidth || shell.width);
      drawMatrix();
      point(null);
    },
    table() {
      const [nRow, total] = matrix().shape;
      const most = Math.max(1, Math.min(total, Math.floor(MOST_IN_TABLE / nRow)));
      const names =
        open === 0
          ? columnNames(shell.header.patch, shell.header.channels, most)
          : Array.from({ length: most }, (_, c) => `${c}`);
      return {
        columns: [most < total ? labels("patch_cut", { shown: most, total }) : labels("patch"), ...names],
        rows: Array.from({ length: nRow }, (_, r) => [grid.rows[r], ...names.map((_, c) => value(r, c))]),
      };
    },
    picture: () => ({ ...photograph(shell.body), scale: grid.scale, scaleTitle: labels("value") }),
  };
}, STYLE);
