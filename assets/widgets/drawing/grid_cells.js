// The cells of a matrix: colors, numbers, rings, and where each lies. Row 0 is on top.
import { el, format } from "./elements.js";
import { raster, readableOn } from "./color.js";
import { CanvasPainter, fit } from "./painter.js";

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
  wide;
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
    this.paintMarks(new CanvasPainter(ctx));
  }

  get hasNumbers() {
    return Boolean(this.print) && this.cell >= 27 * this.theme.unit && this.line >= 15 * this.theme.unit;
  }

  numberSize() {
    const { unit } = this.theme;
    if (this.wide) return 13 * unit;
    return unit > 1 ? Math.round(12 * unit) : Math.round(Math.min(this.cell >= 38 ? 11 : 10, this.cell * 0.36));
  }

  /** A number as it stands in its cell; null for none. */
  print = (v) => {
    const digits = this.areCounts || Math.abs(v) >= 10 ? 0 : this.cell >= 38 * this.theme.unit ? 2 : 1;
    return format(v, digits).replace(/^(−?)0\./, "$1.");
  };

  /** What stands in the cells: numbers, where they have room, and rings. */
  paintMarks(p) {
    const { nRow, nColumn, cell, line, left, top, theme } = this;
    const middle = (r, c) => [left + (c + 0.5) * cell, top + (r + 0.5) * line];
    const look = { size: this.numberSize(), font: theme.code, align: "center" };
    for (let r = 0; this.hasNumbers && r < nRow; r++) {
      for (let c = 0; c < nColumn; c++) {
        if (this.isEmpty(r, c)) continue;
        const v = this.value(r, c);
        const [x, y] = middle(r, c);
        p.text(this.print(v), x, y + 0.5, { ...look, fill: readableOn(this.scale.css(v)) });
      }
    }
    const radius = Math.max(2, cell * 0.42);
    this.truth?.forEach((isTrue, i) => {
      if (!isTrue) return;
      const [x, y] = middle(Math.floor(i / nColumn), i % nColumn);
      p.rect(x - radius, y - radius, 2 * radius, 2 * radius, { stroke: theme.truth, width: 2, radius });
    });
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
