// The matrices of one step as tables of numbers. A product stands so that the row on the left and the column above meet
// in the cell that they make. The cell under the pointer or the cursor lights what it came from.
import { fixed } from "../page/numbers.js";
import { el, measure } from "../drawing/elements.js";
import { mouseLeaves } from "../drawing/input.js";
import { readableOn } from "../drawing/color.js";
import { MATRICES, nameOf, short } from "./stepper_explain.js";
import { valueOf } from "./stepper_math.js";
import { short as cut, visible } from "../drawing/tokens.js";
import { labels } from "./labels.js";

const SIZES = [
  [62, 17, 38],
  [56, 16, 34],
  [50, 15, 30],
  [46, 14, 28],
  [43, 13, 27],
  [39, 12, 25],
  [35, 11, 23],
  [32, 10, 22],
]; // cell width, letters, cell height
const SIGNS = {
  "+": "+",
  "=": "=",
  and: labels("and"),
  scale: labels("divided_by_root"),
  mask: labels("mask"),
  exp: labels("e_to_the_power"),
  share: labels("divided_by_sigma"),
};

/** "W_q" with its index below the line. */
export function symbol(text) {
  const parts = text.split(/_(\w+)/);
  const nodes = parts.map((part, i) => (i % 2 ? el("sub", { text: part }) : part));
  return nodes.filter((node) => node !== "");
}

export const keyOf = (ref) => ref.join(".");

export class Sheet {
  // What `draw` was given: tensors, what is said about them, and what changed.
  t;
  about;
  changed;
  isEdited;
  theme;
  scales;
  // Where things lie, in css pixels.
  step;
  cell;
  size;
  high;

  /** handlers: point(ref | null, byKeyboard), press(ref, cell, pointerType), type(ref, cell, letter) */
  constructor(handlers) {
    this.node = el("div", { class: "st-sheet" });
    this.cells = new Map();
    const refOf = (event) => event.target.closest?.("td[data-ref]");
    this.node.addEventListener("pointerover", (e) => {
      const td = refOf(e);
      if (td && e.pointerType === "mouse") handlers.point(td.ref, false);
    });
    mouseLeaves(this.node, () => handlers.point(null, false));
    this.node.addEventListener("focusin", (e) => {
      const td = refOf(e);
      if (td && td === e.target) {
        this.rove(td);
        handlers.point(td.ref, true);
      }
    });
    this.node.addEventListener("pointerdown", (e) => (this.pointer = e.pointerType));
    this.node.addEventListener("click", (e) => {
      const td = refOf(e);
      if (td && e.target.tagName !== "INPUT") {
        td.focus({ preventScroll: true });
        handlers.press(td.ref, td, this.pointer);
      }
    });
    this.node.addEventListener("keydown", (e) => {
      const td = e.target;
      if (td.tagName !== "TD" || e.ctrlKey || e.metaKey || e.altKey) return;
      const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key];
      if (by) this.move(td, by);
      else if (e.key === "Enter" || e.key === "F2") handlers.press(td.ref, td, "keyboard");
      else if (e.key.length === 1 && /[-−\d.,]/.test(e.key)) handlers.type(td.ref, td, e.key);
      else return;
      e.preventDefault();
      e.stopPropagation();
    });
  }

  /** Every cell of its table is reached by arrows, the table by Tab. */
  rove(td) {
    for (const other of td.closest("table").querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    td.tabIndex = 0;
  }

  move(td, [dr, dc]) {
    const rows = [...td.closest("tbody").rows];
    const row = rows.indexOf(td.parentNode);
    const cells = [...rows[row].cells];
    const next = rows[row + dr]?.cells[cells.indexOf(td) + dc];
    if (next?.ref) next.focus();
  }

  /** state: {step, t, about, scales, theme, width, isEdited(ref), changed(ref)} */
  draw(state) {
    const focused = this.node.getRootNode().activeElement?.ref;
    Object.assign(this, state);
    this.cells = new Map();
    const { panels } = this.step;
    [this.cell, this.size, this.high] = this.fit(panels, state.width, state.theme);
    const box = el(
      "div",
      { class: `st-panels${panels.length > 1 ? " many" : ""}` },
      ...panels.map((p) => this.panel(p)),
    );
    box.style.cssText = `--cw:${this.cell}px;--ch:${this.high}px;--fs:${this.size}px`;
    this.node.replaceChildren(box);
    if (focused) this.cells.get(keyOf(focused))?.at(-1).focus({ preventScroll: true });
  }

  /** The largest letters with which all panels stand side by side; else those with which one of them fits. */
  fit(panels, width, theme) {
    const sizes = SIZES.map((size) => size.map((v) => v * theme.unit));
    const wide = (p, [cw, fs]) => {
      const label = (v) => this.labelWidth(v, fs);
      const span = (v) => label(v) + (v.columns.length + (v.tail && !v.flipped ? 1 : 0)) * cw;
      if (p.kind === "product") return span(p.left) + 12 + span(p.top);
      return panels.length > 1 ? Math.max(...p.views.map(span)) : p.views.reduce((sum, v) => sum + span(v) + 30, 0);
    };
    const all = (size) => panels.reduce((sum, p) => sum + wide(p, size) + 40, -40) <= width;
    const one = (size) => Math.max(...panels.map((p) => wide(p, size))) <= width;
    return sizes.find((size, i) => i < 6 && all(size)) ?? sizes.find((size, i) => i > 3 && one(size)) ?? sizes.at(-1);
  }

  labelWidth(v, size) {
    return Math.ceil(Math.max(...v.rows.map((text) => measure(cut(text, 8), size, this.theme.code)))) + 11;
  }

  panel(p) {
    const title = p.title ? el("div", { class: "st-head", text: p.title }) : null;
    if (p.kind === "product") {
      const gutter = this.labelWidth(p.top, this.size);
      return el(
        "div",
        { class: "st-panel" },
        title,
        el(
          "div",
          { class: "st-falk" },
          el("div"),
          this.matrix(p.top, { gutter }),
          this.matrix(p.left),
          this.matrix(p.result, { gutter, bare: true, isResult: true }),
        ),
      );
    }
    const views = p.views.map((v, i) =>
      el(
        "div",
        { class: "st-link" },
        i ? this.sign(p.signs[i - 1]) : null,
        this.matrix(v, { isResult: v === p.result }),
      ),
    );
    return el("div", { class: "st-panel" }, title, el("div", { class: "st-chain" }, ...views));
  }

  sign(kind) {
    const { dHead, plain } = this.about;
    const root = plain ? fixed(Math.sqrt(dHead), 2) : `√${dHead}`;
    const named = plain
      ? { mask: labels("mask"), exp: "→", share: labels("divided_by_sum") }
      : { mask: "+ M", exp: "eˢ", share: "÷ Σ" };
    const text = { "+": "+", "=": "=", and: "", scale: `÷ ${root}`, ...named }[kind];
    return el("span", { class: "st-sign", text, title: plain ? null : SIGNS[kind] });
  }

  /** bare: labels stand at the factors already. */
  matrix(v, { gutter = 0, bare = false, isResult = false } = {}) {
    const { about } = this;
    const width = gutter || this.labelWidth(v, this.size);
    const tail = v.tail && [v.tail[0], about.plain ? labels("sum") : v.tail[1]];
    const label = about.plain ? MATRICES[v.name] : v.label[about.columns ? 1 : 0];
    const headings = v.columns.map((text, c) =>
      el("th", {
        scope: "col",
        translate: "no",
        text: bare ? "" : cut(text, 8),
        title: bare ? null : visible(text),
        class: this.edge(v, c, true),
      }),
    );
    if (tail && !v.flipped) headings.push(el("th", { scope: "col", text: tail[1], class: "sum" }));
    const rows = v.rows.map((text, r) =>
      el(
        "tr",
        {},
        el("th", { scope: "row", translate: "no", text: bare ? "" : cut(text, 8), title: bare ? null : visible(text) }),
        ...v.columns.map((_, c) =>
          this.td(v, v.ref(r, c), isResult, `${this.edge(v, c, true)} ${this.edge(v, r, false)}`),
        ),
        tail && !v.flipped ? this.td({ ...v, kind: "plain" }, [tail[0], v.head, r, 0], false, "sum") : null,
      ),
    );
    if (tail && v.flipped) {
      rows.push(
        el(
          "tr",
          { class: "sum" },
          el("th", { scope: "row", text: tail[1] }),
          ...v.columns.map((_, c) => this.td({ ...v, kind: "plain" }, [tail[0], v.head, c, 0], false, "sum")),
        ),
      );
    }
    const first = rows[0].querySelector("td");
    if (first) first.tabIndex = 0;
    const table = el(
      "table",
      {
        role: "grid",
        "aria-label": labels("table", {
          name: label.replace("_", " "),
          rows: v.rows.length,
          columns: v.columns.length,
        }),
      },
      el("colgroup", {}, el("col")),
      el("thead", {}, el("tr", {}, el("th"), ...headings)),
      el("tbody", {}, ...rows),
    );
    table.querySelector("col").style.width = `${width}px`;
    table.style.width = `${width + headings.length * this.cell}px`;
    const size = el("small", { text: `${v.rows.length} × ${v.columns.length}` });
    const name = el("div", { class: "st-name" }, el("b", {}, ...symbol(label)), size);
    name.style.paddingLeft = `${width}px`;
    return el("div", { class: `st-m${bare ? " bare" : ""}${isResult ? " result" : ""}` }, name, table);
  }

  /** The border between two heads. */
  edge(v, i, isColumn) {
    return v.group && i && i % v.group === 0 && isColumn === !v.flipped ? (isColumn ? "cut-c" : "cut-r") : "";
  }

  td(v, ref, isResult, css) {
    const value = valueOf(this.t, ref);
    const td = el("td", {
      role: "gridcell",
      tabindex: -1,
      "data-ref": keyOf(ref),
      class: css.trim() || null,
      text: short(value, v.digits),
    });
    td.ref = ref;
    td.isResult = isResult;
    const was = this.changed(ref);
    const set = this.isEdited(ref);
    td.setAttribute(
      "aria-label",
      labels(set ? "cell_set" : was === null ? "cell" : "cell_changed", {
        name: nameOf(this.about, ref),
        value: this.about.plain && value === -Infinity ? labels("masked") : short(value, 3),
        before: was === null ? "" : short(was, 3),
      }),
    );
    const isClosed =
      value === -Infinity ||
      (value === 0 && ["exp", "weights"].includes(ref[0]) && this.t.masked[ref[1]][ref[2]][ref[3]] === -Infinity);
    if (isClosed) {
      td.classList.add("gf-hatch");
      td.textContent = !value ? "0" : this.about.plain ? "" : "−∞";
    } else if (v.kind !== "plain") {
      const color = this.scales[v.kind].css(value);
      td.style.background = color;
      td.style.color = readableOn(color);
    }
    td.classList.toggle("set", set);
    td.classList.toggle("moved", was !== null && !set);
    const key = keyOf(ref);
    this.cells.set(key, [...(this.cells.get(key) ?? []), td]);
    return td;
  }

  /** Light a cell and its sources; null puts all lights out. */
  light(ref, sources = []) {
    for (const node of this.node.querySelectorAll(".at, .from")) node.classList.remove("at", "from");
    for (const source of sources) for (const td of this.cells.get(keyOf(source)) ?? []) td.classList.add("from");
    if (ref) for (const td of this.cells.get(keyOf(ref)) ?? []) td.classList.add("at");
  }

  /** The cells that this step computes, head by head, in the order in which the film shows them. */
  get results() {
    return [...this.node.querySelectorAll(".st-panel")].map((panel) =>
      [...panel.querySelectorAll(".st-m.result td")].filter((td) => td.isResult),
    );
  }
}
