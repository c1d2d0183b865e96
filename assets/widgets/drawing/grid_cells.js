// The cells of a matrix: colors, numbers, rings, and where each lies. Row 0 is on top.
import { el, format } from "./elements.js";
import { raster, readableOn } from "./color.js";
import { fit } from "./painter.js";

export class GridCells {
  cells = el("canvas");
  // What `set` was given.
  values;
  rows;
  columns;
  scale;
  empty;
  truth;
  rowTitle;
  columnTitle;
  of;
  nRow;
  nColumn;
  areCounts;
  // Where things lie, in css pixels: `draw` of the grid decides.
  theme;
  bare;
  left;
  top;
  cell;
  line;
  w;
  h;
  /** One pixel for each cell. */
  small;

  /** What to show. values: row by row; empty: 1 where a cell is masked; truth: 1 where a ring is drawn. */
  set({ values, rows, columns, scale, empty = null, truth = null, rowTitle = "", columnTitle = "", of = (v) => v }) {
    Object.assign(this, { values, rows, columns, scale, empty, truth, rowTitle, columnTitle, of });
    this.nRow = rows.length;
    this.nColumn = columns.length;
    this.areCounts = values.every((v) => Number.isNaN(v) || Number.isInteger(this.of(v)));
  }

  value(r, c) {
    return this.of(this.values[r * this.nColumn + c]);
  }
  isEmpty(r, c) {
    return Boolean(this.empty?.[r * this.nColumn + c]) || Number.isNaN(this.value(r, c));
  }

  drawCells() {
    const { cell, line, left, top, nRow, nColumn, theme, scale } = this;
    const level = (i) => {
      const v = this.of(this.values[i]);
      return this.empty?.[i] || Number.isNaN(v) ? null : scale.level(v);
    };
    this.small = raster(nColumn, nRow, scale.rgb, level, this.small);
    const ctx = fit(this.cells, this.w, this.h);
    const w = cell * nColumn;
    const h = line * nRow;
    if (this.empty) {
      ctx.fillStyle = hatch(ctx, theme.line);
      ctx.fillRect(left, top, w, h);
    }
    ctx.imageSmoothingEnabled = false;
    ctx.drawImage(this.small, left, top, w, h);
    if (cell >= 9) {
      ctx.strokeStyle = theme.page;
      ctx.lineWidth = cell >= 20 ? 1.5 : 0.75;
      ctx.beginPath();
      for (let r = 1; r < nRow; r++) {
        ctx.moveTo(left, top + r * line);
        ctx.lineTo(left + w, top + r * line);
      }
      for (let c = 1; c < nColumn; c++) {
        ctx.moveTo(left + c * cell, top);
        ctx.lineTo(left + c * cell, top + h);
      }
      ctx.stroke();
    }
    ctx.strokeStyle = theme.line;
    ctx.lineWidth = 1;
    ctx.strokeRect(left - 0.5, top - 0.5, w + 1, h + 1);
    if (this.hasNumbers) {
      this.eachNumber((text, x, y, fill) => {
        ctx.font = `${this.numberSize()}px ${theme.code}`;
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        ctx.fillStyle = fill;
        ctx.fillText(text, x, y);
      });
    }
    this.eachTruth((x, y, radius) => {
      ctx.strokeStyle = theme.truth;
      ctx.lineWidth = 2;
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 7);
      ctx.stroke();
    });
  }

  get hasNumbers() {
    return Boolean(this.print) && this.cell >= 27 * this.theme.unit;
  }

  numberSize() {
    const { unit } = this.theme;
    return unit > 1 ? Math.round(12 * unit) : Math.round(Math.min(this.cell >= 38 ? 11 : 10, this.cell * 0.36));
  }

  /** A number as it stands in its cell; null for none. */
  print = (v) => {
    const digits = this.areCounts || Math.abs(v) >= 10 ? 0 : this.cell >= 38 * this.theme.unit ? 2 : 1;
    return format(v, digits).replace(/^(−?)0\./, "$1.");
  };

  /** `put(text, x, y, color)` for each cell that is not empty. */
  eachNumber(put) {
    for (let r = 0; r < this.nRow; r++) {
      for (let c = 0; c < this.nColumn; c++) {
        if (this.isEmpty(r, c)) continue;
        const v = this.value(r, c);
        const ink = readableOn(this.scale.css(v));
        put(this.print(v), this.left + (c + 0.5) * this.cell, this.top + (r + 0.5) * this.line + 0.5, ink);
      }
    }
  }

  eachTruth(put) {
    if (!this.truth) return;
    for (let i = 0; i < this.truth.length; i++) {
      if (this.truth[i]) {
        const r = Math.floor(i / this.nColumn);
        const c = i % this.nColumn;
        put(this.left + (c + 0.5) * this.cell, this.top + (r + 0.5) * this.line, Math.max(2, this.cell * 0.42));
      }
    }
  }
}

/** Thin diagonal lines for cells that may not be read. */
function hatch(ctx, color) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const t = tile.getContext("2d");
  t.strokeStyle = color;
  t.lineWidth = 1;
  t.beginPath();
  for (const o of [-8, 0, 8]) {
    t.moveTo(o, 8);
    t.lineTo(o + 8, 0);
  }
  t.stroke();
  return ctx.createPattern(tile, "repeat");
}
