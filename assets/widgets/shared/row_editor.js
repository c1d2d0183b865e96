// Edit one row of weights by hand: drag the bars, renormalize, apply. Nothing is sent before "Apply".
import { clamp, el, format } from "../drawing/elements.js";
import { drags } from "../drawing/input.js";
import { fit } from "../drawing/painter.js";
import { short, visible } from "../drawing/tokens.js";
import { labels } from "./labels.js";

const HEIGHT = 120;
const FOOT = 18;

export class RowEditor {
  columns;
  empty;
  theme;

  constructor({ apply, clear }) {
    this.canvas = el("canvas");
    this.stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, this.canvas);
    this.sum = el("span", { class: "gf-mono" });
    this.title = el("div", { class: "gf-soft" });
    const button = (text, onclick, css = "gf-solid") => el("button", { class: css, text, onclick });
    this.applyButton = button(labels("apply"), () => apply(this.row, [...this.weights]), "gf-primary");
    this.clearButton = button(labels("undo_edit"), clear);
    const preset = (text, weight) =>
      button(text, () =>
        apply(
          this.row,
          this.empty.map((gone, c) => (gone ? 0 : weight(c))),
        ),
      );
    const nOpen = () => this.empty.filter((gone) => !gone).length;
    this.presets = el(
      "div",
      { class: "gf-controls", role: "group", "aria-label": labels("presets") },
      preset(labels("evenly"), () => 1 / nOpen()),
      preset(labels("only_first"), (c) => Number(c === this.empty.indexOf(false))),
      preset(labels("only_itself"), (c) => Number(c === this.row)),
    );
    this.node = el(
      "div",
      { class: "gf-panel gf-editor", hidden: true },
      this.title,
      this.presets,
      el("div", { class: "gf-scroll" }, this.stage),
      el(
        "div",
        { class: "gf-controls" },
        this.applyButton,
        button(labels("renormalize"), () => this.renormalize()),
        button(labels("reset"), () => this.reset()),
        this.clearButton,
        this.sum,
      ),
    );
    this.node.style.marginTop = "0.7rem";
    this.stage.style.touchAction = "pinch-zoom";
    drags(this.stage, (e) => this.drag(e));
    this.stage.addEventListener("keydown", (e) => this.press(e));
  }

  /** state: {row, name, columns, weights, empty, isEdited, hasPresets, theme, width} or null to close. */
  open(state) {
    this.node.hidden = !state;
    if (!state) {
      this.row = null;
      return;
    }
    const isNew = state.row !== this.row || JSON.stringify(state.weights) !== JSON.stringify(this.original);
    Object.assign(this, { row: state.row, columns: state.columns, empty: state.empty, theme: state.theme });
    if (isNew) {
      this.original = state.weights;
      this.weights = [...state.weights];
      this.cursor = 0;
    }
    this.step = clamp(Math.floor((state.width - 30) / this.columns.length), 14, 64);
    this.clearButton.hidden = !state.isEdited;
    this.presets.hidden = !state.hasPresets;
    this.title.textContent = labels("weights_of_row", { row: state.row, name: visible(state.name) });
    this.draw();
  }

  drag(event) {
    const box = this.stage.getBoundingClientRect();
    const c = clamp(Math.floor((event.clientX - box.left) / this.step), 0, this.columns.length - 1);
    this.cursor = c;
    this.put(c, 1 - (event.clientY - box.top - 4) / HEIGHT);
  }

  press(event) {
    const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const change = { ArrowUp: 0.05, ArrowDown: -0.05 }[event.key];
    if (move) this.cursor = clamp(this.cursor + move, 0, this.columns.length - 1);
    else if (change) this.put(this.cursor, this.weights[this.cursor] + change);
    else if (event.key === "Escape") this.reset();
    else return;
    event.preventDefault();
    this.draw();
  }

  put(c, value) {
    if (!this.empty[c]) this.weights[c] = Math.round(clamp(value, 0, 1) * 1000) / 1000;
    this.draw();
  }

  renormalize() {
    const total = this.weights.reduce((a, b) => a + b, 0);
    if (total > 0) this.weights = this.weights.map((w) => w / total);
    this.draw();
  }

  reset() {
    this.weights = [...this.original];
    this.draw();
  }

  draw() {
    const { step, theme, weights } = this;
    const n = weights.length;
    const width = step * n;
    this.stage.style.cssText += `;width:${width}px;height:${HEIGHT + FOOT + 6}px`;
    const ctx = fit(this.canvas, width, HEIGHT + FOOT + 6);
    ctx.textAlign = "center";
    ctx.textBaseline = "middle";
    ctx.font = `11px ${theme.code}`;
    weights.forEach((w, c) => {
      const x = c * step + 2;
      const bar = step - 4;
      const y = 4 + (1 - w) * HEIGHT;
      ctx.fillStyle = theme.wash;
      if (!this.empty[c]) ctx.fillRect(x, 4, bar, HEIGHT);
      ctx.fillStyle = c === this.cursor ? theme.accent : theme.categorical[0];
      ctx.fillRect(x, y, bar, 4 + HEIGHT - y);
      ctx.strokeStyle = theme.soft;
      ctx.lineWidth = 1.5; // where the model itself put it
      ctx.beginPath();
      ctx.moveTo(x, 4 + (1 - this.original[c]) * HEIGHT);
      ctx.lineTo(x + bar, 4 + (1 - this.original[c]) * HEIGHT);
      if (!this.empty[c]) ctx.stroke();
      ctx.fillStyle = c === this.cursor ? theme.accent : theme.soft;
      ctx.fillText(
        this.empty[c] ? "×" : short(this.columns[c], Math.max(1, Math.floor(step / 7))),
        x + bar / 2,
        HEIGHT + FOOT / 2 + 7,
      );
    });
    const total = weights.reduce((a, b) => a + b, 0);
    const at =
      this.columns[this.cursor] === undefined
        ? ""
        : `${visible(this.columns[this.cursor])} ${format(weights[this.cursor])}  ·  `;
    const sum = labels(Math.abs(total - 1) < 5e-4 ? "sum_is_1" : "sum_is_not_1", { sum: format(total) });
    this.sum.replaceChildren(el("span", { translate: "no", text: at }), sum);
    this.stage.setAttribute("aria-label", labels("row_editor", { sum: `${at}${sum}` }));
  }
}
