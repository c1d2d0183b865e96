// A labelled matrix of cells: canvas for the cells, a second canvas for the hover, DOM text for the tokens.
// Row 0 is on top. Used by the matrix, the enlarged head and the scrubber.
import { cursorKeys, pointer } from "./input.js";
import { clamp, el, measure } from "./elements.js";
import { GridCells } from "./grid_cells.js";
import { fit, paintCells } from "./painter.js";
import { short, visible } from "./tokens.js";
import { labels } from "./labels.js";

export class Grid extends GridCells {
  /** handlers: hover([row, column] | null, byKeyboard), choose([row, column]), reset(). */
  constructor(handlers = {}) {
    super();
    this.over = el("canvas", { class: "gf-over" });
    this.labels = el("div", { "data-not-in-file": true });
    Object.assign(this.cells, { paint: (p) => this.paint(p) });
    this.stage = el(
      "div",
      { class: "gf-stage", tabindex: 0, role: "img", "aria-label": labels("matrix") },
      this.cells,
      this.over,
      this.labels,
    );
    this.node = el("div", { class: "gf-scroll" }, this.stage);
    this.handlers = handlers;
    this.at = null;
    this.selected = null;
    pointer(
      this.stage,
      (e) => this.hover(this.cellAt(e)),
      () => this.hover(null),
    );
    this.stage.addEventListener("click", (e) => {
      const at = this.cellAt(e);
      if (at) handlers.choose?.(at);
    });
    cursorKeys(this.stage, {
      size: () => [this.nRow, this.nColumn],
      get: () => this.at ?? this.selected,
      move: (at) => this.hover(at, true),
      choose: (at) => handlers.choose?.(at),
      reset: () => {
        const isSet = Boolean(this.at || this.selected);
        this.hover(null);
        handlers.reset?.();
        return isSet;
      },
    });
  }

  /**
   * What to show, see `GridCells`; labelFor: the picture in words.
   * @param {any} shown
   */
  set({ labelFor = "", ...shown }) {
    super.set(shown);
    if (this.at && (this.at[0] >= this.nRow || this.at[1] >= this.nColumn)) this.at = null;
    this.stage.setAttribute("aria-label", labelFor);
  }

  /** Draw again, the cells alone where nothing else has changed since the last time. */
  redraw(theme, width, options) {
    const drawn = JSON.stringify([this.rows, this.columns, width, theme]);
    if (drawn !== this.drawn) this.draw(theme, width, options);
    else {
      this.drawCells();
      this.drawOver();
    }
    this.drawn = drawn;
  }

  /**
   * Find sizes for the width there is, then paint everything. tall: rows as high as their names, for a few rows of many
   * columns; wide: columns as wide as there is room, for a few columns with words above them.
   */
  draw(
    theme,
    width,
    { maxHeight = 620, maxCell = 52, minCell = undefined, bare = false, tall = false, wide = false } = {},
  ) {
    Object.assign(this, { theme, bare, wide });
    const { unit } = theme;
    const isNarrow = width < 480;
    let size = Math.round((isNarrow && unit === 1 ? 11 : 12) * unit);
    if (unit > 1) {
      maxCell *= unit;
      maxHeight = Math.min(maxHeight * unit, 0.62 * innerHeight);
    }
    const axis = size + 6;
    const names = (tokens, cap) => tokens.map((t) => short(t, cap));
    this.rowNames = names(this.rows, isNarrow ? 9 : 14); // "embedding" is whole
    this.columnNames = names(this.columns, isNarrow ? 7 : 14);
    const widest = (list) => list.reduce((w, t) => Math.max(w, measure(t, size, theme.code)), 0);
    this.left = Math.ceil(widest(this.rowNames)) + 10 + (this.rowTitle ? axis : 0);
    const most = Math.max(this.nColumn, this.nRow);
    const smallest = minCell ?? (most > 96 ? 4 : most > 48 ? 6 : 9);
    const room = Math.min((width - this.left - 4) / this.nColumn, maxHeight / this.nRow, maxCell);
    this.cell = Math.max(smallest, Math.floor(room));
    size = this.fontSize = Math.min(size, Math.max(10 * unit, this.cell)); // small names before none
    const columnWidth = Math.ceil(widest(this.columnNames));
    const high = this.cell;
    if (wide) this.cell = Math.max(high, Math.floor(Math.min((width - this.left - 4) / this.nColumn, 60 * unit)));
    const isLetters = this.columnNames.every((t) => [...t].length <= 1);
    this.flat = columnWidth + (isLetters ? 2 : 8) <= this.cell; // column labels fit lying down
    this.steep = !this.flat && (theme.presenting || this.cell < 20); // leaning names of a slide would touch, or be cut
    const rise = this.flat ? size + 8 : this.steep ? columnWidth + 8 : columnWidth * 0.82 + 14;
    this.top = Math.ceil(rise) + (this.columnTitle ? axis : 0);
    let lean = this.flat || this.steep ? 4 : Math.ceil(columnWidth * 0.58);
    if (bare) {
      this.left = this.top = lean = 3;
      this.cell = Math.max(2, Math.min(width - 6, maxHeight) / Math.max(this.nColumn, this.nRow));
    }
    this.line = wide ? high : tall && !bare ? Math.max(this.cell, size + 3) : this.cell;
    this.w = this.left + this.cell * this.nColumn + lean;
    this.h = this.top + this.line * this.nRow + 3;
    this.stage.style.width = `${this.w}px`;
    this.stage.style.height = `${this.h}px`;
    this.drawLabels();
    this.drawCells();
    this.drawOver();
  }

  /** Of so many names one is drawn, where rows are lower than letters; those that lie side by side fit in any case. */
  every(room, fits = false) {
    return fits ? 1 : Math.ceil((this.fontSize - 1) / room);
  }

  drawLabels() {
    const { cell, line, fontSize: size, left, top } = this;
    const place = (text, title, x, y, rotate, hidden) => {
      const node = el("span", { class: "gf-label", translate: "no", text, title, hidden });
      node.style.cssText = `left:${x}px;top:${y - size / 2}px;font-size:${size}px;transform:rotate(${rotate}deg)`;
      return node;
    };
    this.rowLabels = this.rowNames.map((t, r) => {
      const node = place(t, visible(this.rows[r]), 0, top + (r + 0.5) * line, 0, r % this.every(line) > 0);
      node.style.left = "auto";
      node.style.right = `${this.w - left + 7}px`;
      return node;
    });
    const angle = this.flat ? 0 : this.steep ? -90 : -55;
    this.columnLabels = this.columnNames.map((t, c) => {
      const x = left + (c + 0.5) * cell - (this.flat ? measure(t, size, this.theme.code) / 2 : 0);
      return place(
        t,
        visible(this.columns[c]),
        x,
        top - (this.flat ? size / 2 + 3 : 6),
        angle,
        c % this.every(cell, this.flat) > 0,
      );
    });
    this.lit = [];
    if (this.bare) {
      this.labels.replaceChildren();
      return;
    }
    this.labels.replaceChildren(...this.rowLabels, ...this.columnLabels);
    const axis = (text, css) => {
      const n = el("span", { class: "gf-axis", text });
      n.style.cssText = css;
      this.labels.append(n);
    };
    if (this.columnTitle) axis(`${this.columnTitle} →`, `left:${left}px;top:0`);
    if (this.rowTitle) {
      axis(`← ${this.rowTitle}`, `left:0;top:${top}px;writing-mode:vertical-rl;transform:rotate(180deg)`);
    }
  }

  /** The hover: a band along the row and the column, a ring round the cell, both tokens lit. A few strokes. */
  drawOver() {
    const ctx = fit(this.over, this.w, this.h);
    const { cell, line, left, top, theme } = this;
    const ring = ([r, c], width) => {
      ctx.lineWidth = width;
      ctx.strokeRect(left + c * cell, top + r * line, cell, line);
    };
    ctx.strokeStyle = theme.accent;
    if (this.selected && this.selected[0] < this.nRow && this.selected[1] < this.nColumn) {
      ring(this.selected, 2.5);
      ctx.fillStyle = theme.accent;
      ctx.fillRect(left - 4, top + this.selected[0] * line, 3, line);
    }
    for (const label of this.lit) {
      label.classList.remove("on");
      label.hidden = label.wasHidden;
    }
    this.lit = [];
    if (!this.at) return;
    const [r, c] = this.at;
    ctx.globalAlpha = 0.8;
    ctx.lineWidth = 1.25;
    ctx.strokeRect(left, top + r * line, cell * this.nColumn, line);
    ctx.strokeRect(left + c * cell, top, cell, line * this.nRow);
    ctx.globalAlpha = 1;
    ring(this.at, 3);
    this.lit = [this.rowLabels[r], this.columnLabels[c]];
    for (const label of this.lit) {
      label.wasHidden = label.hidden;
      label.hidden = false;
      label.classList.add("on");
    }
  }

  cellAt(event) {
    if (!this.rows) return null;
    const box = this.stage.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - this.left) / this.cell);
    const r = Math.floor((event.clientY - box.top - this.top) / this.line);
    return r >= 0 && c >= 0 && r < this.nRow && c < this.nColumn ? [r, c] : null;
  }

  hover(at, byKeyboard = false) {
    if (at === this.at || (at && this.at && at[0] === this.at[0] && at[1] === this.at[1])) return;
    this.at = at;
    this.drawOver();
    if (byKeyboard && at) this.reveal(at);
    this.handlers.hover?.(at, byKeyboard);
  }

  reveal([, c]) {
    const x = this.left + c * this.cell;
    const view = this.node;
    view.scrollLeft = clamp(view.scrollLeft, x + this.cell - view.clientWidth, x - this.left);
  }

  /** The same picture for PNG and SVG. */
  paint(painter) {
    const { left: x, top: y, cell, line, theme, fontSize: size } = this;
    paintCells(
      painter,
      x,
      y,
      cell,
      this.nRow,
      this.nColumn,
      (r, c) => (this.isEmpty(r, c) ? null : this.scale.css(this.value(r, c))),
      line,
    );
    painter.rect(x - 0.5, y - 0.5, cell * this.nColumn + 1, line * this.nRow + 1, { stroke: theme.line });
    const font = { fill: theme.text, size, font: theme.code };
    this.rowNames.forEach(
      (t, r) => r % this.every(line) || painter.text(t, x - 7, y + (r + 0.5) * line, { ...font, align: "right" }),
    );
    this.columnNames.forEach((t, c) => {
      if (c % this.every(cell, this.flat)) return;
      const flat = { ...font, align: "center" };
      const leaning = { ...font, rotate: this.steep ? -90 : -55 };
      painter.text(t, x + (c + 0.5) * cell, y - (this.flat ? size / 2 + 3 : 6), this.flat ? flat : leaning);
    });
    const quiet = { fill: theme.soft, size, font: theme.font };
    if (this.columnTitle) painter.text(`${this.columnTitle} →`, x, 8, quiet);
    if (this.rowTitle) painter.text(`← ${this.rowTitle}`, 8, y, { ...quiet, rotate: -90, align: "right" });
    this.paintMarks(painter);
  }
}
