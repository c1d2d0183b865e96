// Small pictures beside and below each other, with a weight on each patch: where each lies, and how it is painted.
import { el, measure, percent } from "../drawing/elements.js";
import { mix } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { COLORS } from "../drawing/theme.js";
import { GAP, LEAST, hatching, layout, painted, strength, wrapped } from "./pictures_math.js";
import { labels } from "./labels.js";

export const EDGE = 4; // around everything, for the frame of what is chosen
const LEAST_SAID = 0.1; // the least weight that is written on its patch
const FRAME = 0.24; // of a patch's side: the frame at full weight

export class PictureCells {
  canvas = Object.assign(el("canvas"), { paint: (p) => this.paint(p) });
  over = el("canvas", { class: "gf-over" });
  stage = el(
    "div",
    { class: "gf-stage", tabindex: 0, role: "img", "aria-label": labels("pictures") },
    this.canvas,
    this.over,
  );
  node = el("div", { class: "gf-scroll" }, this.stage);
  at = null;
  chosen = null;
  images = new Map();
  // What `set` was given.
  header;
  n;
  x;
  y;
  depth;
  pixels;
  weights;
  hidden;
  // Where things lie, in css pixels.
  theme;
  box;
  fontSize;
  line;

  /** header: as core.ui.widgets.picture_grid sends it; hidden: 1 for each patch that is drawn as hidden, or null. */
  set(header, arrays, hidden = arrays.hidden?.data ?? null) {
    const [n, y, x, depth = 1] = arrays.pixels.shape;
    Object.assign(this, {
      header,
      n,
      x,
      y,
      depth,
      pixels: arrays.pixels.data,
      weights: arrays.weights?.data ?? null,
      hidden,
    });
    this.grid = header.grid; // [rows, columns] of patches, or null
    this.patch = this.grid ? [y / this.grid[0], x / this.grid[1]] : [1, 1];
    this.images.clear();
    if (this.at && this.at.picture >= n) this.at = null;
    this.stage.setAttribute("aria-label", header.takeaway);
    this.stage.style.cursor = header.pick ? "pointer" : "crosshair";
  }

  patchOf(row, column) {
    return this.grid ? Math.floor(row / this.patch[0]) * this.grid[1] + Math.floor(column / this.patch[1]) : 0;
  }
  nPatch() {
    return this.grid ? this.grid[0] * this.grid[1] : 1;
  }
  weight(picture, patch) {
    return this.weights ? this.weights[picture * this.nPatch() + patch] : null;
  }
  isHidden(picture, patch) {
    return Boolean(this.hidden?.[picture * this.nPatch() + patch]);
  }
  title(picture) {
    return this.header.titles?.[picture] ?? (this.n > 1 ? labels("picture_n", { picture }) : "");
  }

  /** The overlay's color at a strength of -1 to 1. */
  color(share) {
    const { theme } = this;
    const { diverging } = COLORS[theme.mode];
    return this.header.kind === "signed"
      ? diverging[theme.mode === "dark" ? (share < 0 ? 2 : 8) : share < 0 ? 1 : 9]
      : theme.accent;
  }

  /** How much of its color the paper takes at full weight: the ink above has to stay readable. */
  get most() {
    return this.theme.mode === "dark" ? 0.62 : 0.66;
  }

  draw(theme, width) {
    const { header: h } = this;
    const size = Math.round(12 * theme.unit);
    if (this.theme?.mode !== theme.mode || this.theme?.page !== theme.page) this.images.clear();
    Object.assign(this, { theme, fontSize: size, line: Math.round(size * 1.3) });
    this.box = layout(this.n, this.x, this.y, width - 2 * EDGE, {
      columns: h.columns,
      size: h.size,
      least: h.least ?? LEAST,
    });
    const { columns, rows, wide, high } = this.box;
    this.lines = (h.titles ?? []).map((one) => wrapped(one, wide, (text) => measure(text, size, theme.font)));
    const head = Math.max(0, ...this.lines.map((one) => one.length)) * this.line;
    Object.assign(this.box, { head, stepX: wide + GAP, stepY: high + head + (head ? 14 : GAP) });
    this.w = columns * this.box.stepX - GAP + 2 * EDGE;
    this.h = rows * this.box.stepY - (head ? 14 : GAP) + 2 * EDGE;
    Object.assign(this.stage.style, { width: `${this.w}px`, height: `${this.h}px` });
    this.paint(new CanvasPainter(fit(this.canvas, this.w, this.h)));
    this.drawOver();
  }

  /** Left and top of a picture. */
  place(picture) {
    const { columns, stepX, stepY, head } = this.box;
    return [EDGE + (picture % columns) * stepX, EDGE + Math.floor(picture / columns) * stepY + head];
  }

  /** The picture as a small canvas, one pixel for each of its own. */
  image(picture) {
    if (!this.images.has(picture)) {
      const { x, y, depth, header: h, theme } = this;
      const n = x * y * depth;
      const tint = (patch) => {
        const share = strength(this.weight(picture, patch), h.low, h.high);
        return [this.color(share), Math.abs(share) * this.most];
      };
      const bytes = painted(
        this.pixels.subarray(picture * n, picture * n + n),
        x,
        y,
        depth,
        h.full,
        { ink: h.ink, page: theme.panel, text: theme.text },
        (r, c) => this.patchOf(r, c),
        tint,
        (patch) => this.isHidden(picture, patch),
      );
      const canvas = Object.assign(document.createElement("canvas"), { width: x, height: y });
      canvas.getContext("2d").putImageData(new ImageData(bytes, x, y), 0, 0);
      this.images.set(picture, canvas);
    }
    return this.images.get(picture);
  }

  paint(p) {
    const { theme, header: h, box } = this;
    const { wide, high } = box;
    for (let i = 0; i < this.n; i++) {
      const [left, top] = this.place(i);
      const isChosen = this.header.pick !== "patch" && this.chosen === i;
      this.lines[i]?.forEach((text, k) =>
        p.text(text, left, top - box.head + (k + 0.45) * this.line, {
          fill: isChosen ? theme.accent : theme.text,
          size: this.fontSize,
          font: theme.font,
          weight: isChosen ? 700 : 400,
        }),
      );
      p.image(this.image(i), left, top, wide, high, { smooth: wide < this.x });
      if (h.lines) this.paintLines(p, left, top, Array.isArray(h.lines) ? [h.lines[i], h.lines[i]] : this.patch);
      if (this.grid) for (let patch = 0; patch < this.nPatch(); patch++) this.paintPatch(p, i, patch);
      p.rect(left - 0.5, top - 0.5, wide + 1, high + 1, { stroke: theme.line });
    }
  }

  paintLines(p, left, top, patch) {
    const {
      box: { wide, high },
      theme,
    } = this;
    const look = { color: theme.soft, width: 0.6 };
    for (let r = patch[0]; r < this.y; r += patch[0]) {
      p.segment(left, top + (r * high) / this.y, left + wide, top + (r * high) / this.y, look);
    }
    for (let c = patch[1]; c < this.x; c += patch[1]) {
      p.segment(left + (c * wide) / this.x, top, left + (c * wide) / this.x, top + high, look);
    }
  }

  /** Left, top, width and height of a patch. */
  patchBox(picture, patch) {
    const [left, top] = this.place(picture);
    const w = this.box.wide / this.grid[1];
    const h = this.box.high / this.grid[0];
    return [left + (patch % this.grid[1]) * w, top + Math.floor(patch / this.grid[1]) * h, w, h];
  }

  /** A frame as thick as the weight, dashed below 0; hatching where the patch is hidden. */
  paintPatch(p, picture, patch) {
    const [x, y, w, h] = this.patchBox(picture, patch);
    const share = strength(this.weight(picture, patch), this.header.low, this.header.high);
    if (this.isHidden(picture, patch)) {
      for (const line of hatching(x, y, w, h, Math.max(4, Math.min(7, w / 4)))) {
        p.line(line, { color: this.theme.soft, width: 1 });
      }
      if (this.header.lines === true) p.rect(x + 0.5, y + 0.5, w - 1, h - 1, { stroke: this.theme.soft, width: 1 });
    }
    const thick = Math.abs(share) * FRAME * Math.min(w, h);
    if (thick < 0.3) return;
    this.paintFrame(p, [x, y, w, h], thick, share);
    const weight = this.weight(picture, patch);
    if (!this.header.says || Math.abs(weight) < LEAST_SAID) return;
    const [text, size] = [percent(weight), this.fontSize + 2];
    const wide = measure(text, size, this.theme.font) + 8;
    p.rect(x + (w - wide) / 2, y + h / 2 - 0.75 * size, wide, 1.5 * size, { fill: this.theme.page, radius: 3 });
    const look = { fill: this.theme.accent, size, font: this.theme.font, align: "center", weight: 700 };
    p.text(text, x + w / 2, y + h / 2, look);
  }

  paintFrame(p, [x, y, w, h], thick, share) {
    const inner = thick + 1; // a line of paper, so that the frame does not melt into ink
    if (thick >= 1.5) {
      p.rect(x + inner, y + inner, w - 2 * inner, h - 2 * inner, { stroke: this.theme.panel, width: 1 });
    }
    p.rect(x + thick / 2 + 0.5, y + thick / 2 + 0.5, w - thick - 1, h - thick - 1, {
      stroke: this.color(share),
      width: thick,
      dash: share < 0 ? [thick + 1, thick + 1] : [],
    });
  }

  /** What the pointer or the keys are on, and what is chosen: a few strokes on a canvas of their own. */
  drawOver() {
    const ctx = fit(this.over, this.w, this.h);
    const { theme, box } = this;
    /** @param {number[]} box */
    const ring = ([x, y, w, h], width, color) => {
      ctx.strokeStyle = color;
      ctx.lineWidth = width;
      ctx.strokeRect(x, y, w, h);
    };
    const whole = (picture) => {
      const [x, y] = this.place(picture);
      return [x - 1.5, y - 1.5, box.wide + 3, box.high + 3];
    };
    if (this.chosen !== null && this.header.pick === "patch" && this.grid) {
      ring(this.patchBox(...this.chosen), 3, theme.text);
    } else if (Number.isInteger(this.chosen) && this.chosen < this.n) ring(whole(this.chosen), 3, theme.accent);
    if (!this.at) return;
    const { picture, row, column } = this.at;
    const [left, top] = this.place(picture);
    const cell = box.wide / this.x;
    if (this.header.pick === "picture") ring(whole(picture), 1.5, theme.accent);
    const around = this.grid
      ? this.patchBox(picture, this.patchOf(row, column))
      : [left + column * cell - 1, top + row * cell - 1, cell + 2, cell + 2];
    ring(around, 3.5, theme.page);
    ring(around, 2, theme.text);
  }

  pixel(picture, row, column) {
    const i = ((picture * this.y + row) * this.x + column) * this.depth;
    return Array.from(this.pixels.subarray(i, i + this.depth));
  }

  /** A scale for the legend, from bare paper to full weight. */
  scale() {
    const { header: h, theme } = this;
    const css = (v) => this.color(strength(v, h.low, h.high));
    const stops = h.kind === "signed" ? [css(h.low), theme.panel, css(h.high)] : [theme.panel, css(h.high)];
    return {
      low: h.low,
      high: h.high,
      stops,
      css: (v) => mix(theme.panel, css(v), Math.abs(strength(v, h.low, h.high))),
    };
  }
}
