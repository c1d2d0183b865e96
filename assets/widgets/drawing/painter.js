// One drawing, two outputs: a canvas (screen, PNG) or SVG text. A widget paints itself once through this interface.
import { fixed } from "../page/numbers.js";

const escape = (s) =>
  String(s)
    .replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c])
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
const round = (v) => Math.round(v * 100) / 100;

class Painter {
  /** @param {number[][]} _points @param {object} _look */
  line(_points, _look) {}

  /** One straight line. */
  segment(x1, y1, x2, y2, look) {
    this.line(
      [
        [x1, y1],
        [x2, y2],
      ],
      look,
    );
  }
}

export class CanvasPainter extends Painter {
  constructor(ctx) {
    super();
    this.ctx = ctx;
  }

  /** Draw with the origin moved. */
  shifted(dx, dy, draw) {
    this.ctx.save();
    this.ctx.translate(dx, dy);
    draw();
    this.ctx.restore();
  }

  /** Draw with the plane laid otherwise: x and y become a x + c y + e and b x + d y + f. */
  laid(matrix, draw) {
    this.ctx.save();
    this.ctx.transform(...matrix);
    draw();
    this.ctx.restore();
  }

  /** Any outline, as SVG writes its paths. */
  path(outline, { fill = "", stroke = "", width = 1, opacity = 1 }) {
    const { ctx } = this;
    const path = new Path2D(outline);
    ctx.globalAlpha = opacity;
    if (fill) {
      ctx.fillStyle = fill;
      ctx.fill(path);
    }
    if (stroke) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = width;
      ctx.stroke(path);
    }
    ctx.globalAlpha = 1;
  }

  rect(x, y, w, h, { fill = "", stroke = "", width = 1, radius = 0, dash = [] } = {}) {
    const { ctx } = this;
    ctx.beginPath();
    radius ? ctx.roundRect(x, y, w, h, radius) : ctx.rect(x, y, w, h);
    if (fill) {
      ctx.fillStyle = fill;
      ctx.fill();
    }
    if (stroke) {
      ctx.strokeStyle = stroke;
      ctx.lineWidth = width;
      ctx.setLineDash(dash);
      ctx.stroke();
      ctx.setLineDash([]);
    }
  }

  line(points, { color, width = 1, dash = [] }) {
    const { ctx } = this;
    ctx.beginPath();
    points.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.strokeStyle = color;
    ctx.lineWidth = width;
    ctx.lineJoin = "round";
    ctx.setLineDash(dash);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  text(text, x, y, { fill, size = 12, font = "sans-serif", align = "left", rotate = 0, weight = 400 }) {
    const { ctx } = this;
    ctx.save();
    ctx.translate(x, y);
    ctx.rotate((rotate * Math.PI) / 180);
    ctx.font = `${weight} ${size}px ${font}`;
    ctx.fillStyle = fill;
    ctx.textAlign = align;
    ctx.textBaseline = "middle";
    ctx.fillText(text, 0, 0);
    ctx.restore();
  }

  /** A small canvas drawn larger, or some of its rows; pixels stay squares, unless `smooth`: it is drawn smaller. */
  image(canvas, x, y, w, h, { smooth = false, rows = [0, canvas.height] } = {}) {
    this.ctx.imageSmoothingEnabled = smooth;
    this.ctx.drawImage(canvas, 0, rows[0], canvas.width, rows[1], x, y, w, h);
  }
}

export class SvgPainter extends Painter {
  constructor(width, height) {
    super();
    this.size = [width, height];
    this.parts = [];
  }

  shifted(dx, dy, draw) {
    this.parts.push(`<g transform="translate(${round(dx)} ${round(dy)})">`);
    draw();
    this.parts.push("</g>");
  }

  laid(matrix, draw) {
    this.parts.push(`<g transform="matrix(${matrix.map((v) => v.toPrecision(8)).join(" ")})">`);
    draw();
    this.parts.push("</g>");
  }

  path(outline, { fill = "", stroke = "", width = 1, opacity = 1 }) {
    const line = stroke ? ` stroke="${escape(stroke)}" stroke-width="${width}"` : "";
    this.parts.push(`<path d="${outline}" fill="${escape(fill || "none")}" opacity="${opacity}"${line}/>`);
  }

  rect(x, y, w, h, { fill = "", stroke = "", width = 1, radius = 0, dash = [] } = {}) {
    this.parts.push(
      `<rect x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" rx="${radius}" fill="${fill || "none"}"${
        stroke ? ` stroke="${escape(stroke)}" stroke-width="${width}" stroke-dasharray="${dash.join(" ")}"` : ""
      }/>`,
    );
  }

  line(points, { color, width = 1, dash = [] }) {
    this.parts.push(
      `<polyline points="${points.map((p) => p.map(round).join(",")).join(" ")}" fill="none" stroke="${escape(color)}" ` +
        `stroke-width="${width}" stroke-linejoin="round" stroke-dasharray="${dash.join(" ")}"/>`,
    );
  }

  text(text, x, y, { fill, size = 12, font = "sans-serif", align = "left", rotate = 0, weight = 400 }) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    this.parts.push(
      `<text transform="translate(${round(x)} ${round(y)}) rotate(${rotate})" text-anchor="${anchor}" dominant-baseline="central" ` +
        `fill="${escape(fill)}" font-size="${size}" font-weight="${weight}" font-family="${escape(font)}" xml:space="preserve">${escape(text)}</text>`,
    );
  }

  image(canvas, x, y, w, h, { smooth = false, rows = null } = {}) {
    if (rows) {
      const part = Object.assign(document.createElement("canvas"), { width: canvas.width, height: rows[1] });
      part.getContext("2d").drawImage(canvas, 0, -rows[0]);
      this.image(part, x, y, w, h, { smooth });
      return;
    }
    this.parts.push(
      `<image x="${round(x)}" y="${round(y)}" width="${round(w)}" height="${round(h)}" preserveAspectRatio="none" ` +
        `style="image-rendering:${smooth ? "auto" : "pixelated"}" href="${escape(canvas.toDataURL("image/png"))}"/>`,
    );
  }

  toString() {
    const [w, h] = this.size;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">` +
      `<g shape-rendering="auto">${this.parts.join("")}</g></svg>`
    );
  }
}

/**
 * Paint cells row by row; neighbours of one color become one rectangle, which keeps SVG files small.
 * @param colorAt (row, column) => css color or null for an empty cell
 */
export function paintCells(painter, x, y, cell, nRow, nColumn, colorAt, line = cell) {
  for (let r = 0; r < nRow; r++) {
    for (let c = 0; c < nColumn;) {
      const color = colorAt(r, c);
      let end = c + 1;
      while (end < nColumn && colorAt(r, end) === color) end++;
      if (color) painter.rect(x + c * cell, y + r * line, (end - c) * cell, line, { fill: color });
      c = end;
    }
  }
}

/** A color bar with its range printed at both ends, for a downloaded picture. */
export function paintScale(painter, scale, title, x, y, theme) {
  const font = { fill: theme.soft, size: 11, font: theme.code };
  const print = (v) => (Number.isInteger(v) ? `${v}` : fixed(v, 2)).replace("-", "−");
  const low = print(scale.low);
  const text = `${title} ${low}`;
  const start = x + text.length * 6.8 + 6;
  painter.text(text, x, y, font);
  for (let i = 0; i < 64; i++) {
    painter.rect(start + i * 2, y - 5, 2.3, 10, { fill: scale.css(scale.low + ((scale.high - scale.low) * i) / 63) });
  }
  painter.text(print(scale.high), start + 134, y, font);
}

/** Size a canvas in css pixels for the screen's own resolution; returns its context in css pixels. */
export function fit(canvas, width, height) {
  // A slide may enlarge it.
  const ratio = (globalThis.devicePixelRatio || 1) * Math.max(1, canvas.currentCSSZoom || 1);
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  return ctx;
}

/** Let the browser download a file. */
export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What `paint(painter)` draws, as a file. */
export function asSvg(width, height, page, paint) {
  const painter = new SvgPainter(width, height);
  painter.rect(0, 0, width, height, { fill: page });
  paint(painter);
  return painter.toString();
}

/** Download what `paint(painter)` draws, as "png" (two pixels per css pixel) or "svg". */
export function download(kind, name, width, height, page, paint) {
  if (kind === "svg") {
    save(new Blob([asSvg(width, height, page, paint)], { type: "image/svg+xml" }), `${name}.svg`);
    return;
  }
  const canvas = document.createElement("canvas");
  canvas.width = width * 2;
  canvas.height = height * 2;
  const ctx = canvas.getContext("2d");
  ctx.scale(2, 2);
  ctx.fillStyle = page;
  ctx.fillRect(0, 0, width, height);
  paint(new CanvasPainter(ctx));
  canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
}
