// Two axes with ticks at round numbers. Drawn through a painter.
import { ticks } from "../drawing/ticks.js";
import { format } from "../drawing/elements.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [46, 10, 30, 40];

export class Plot {
  theme;
  left;
  top;
  width;
  height;
  x;
  y;

  /** @param {{theme: any, left: number, top: number, width: number, height: number, x: number[], y: number[]}} given */
  constructor(given) {
    Object.assign(this, given);
    this.size = Math.round(11 * given.theme.unit);
    [this.x, this.y] = [given.x, given.y].map(([low, high]) => (high > low ? [low, high] : [low - 0.5, low + 0.5]));
    this.inner = [given.width - LEFT - RIGHT, given.height - TOP - BOTTOM];
  }

  /** Where two numbers stand in the picture. */
  point(x, y) {
    const [across, up] = [x, y].map((v, i) => {
      const [low, high] = i ? this.y : this.x;
      return (v - low) / (high - low);
    });
    return [this.left + LEFT + across * this.inner[0], this.top + TOP + (1 - up) * this.inner[1]];
  }

  /** How far along the x axis a place of the picture is, 0 to 1. */
  share = (px) => (px - this.left - LEFT) / this.inner[0];

  holds(px, py) {
    const up = (py - this.top - TOP) / this.inner[1];
    return this.share(px) >= 0 && this.share(px) <= 1 && up >= -0.05 && up <= 1.05;
  }

  /** Title, ticks, and what the two axes are. */
  frame(p, title, [across, up]) {
    const { theme, left, top, size } = this;
    const [[x0, y0], [x1, y1]] = [this.point(this.x[0], this.y[0]), this.point(this.x[1], this.y[1])];
    const small = { fill: theme.soft, size, font: theme.code };
    p.text(title, left, top + 10, { fill: theme.text, size: size + 2, font: theme.font, weight: 600 });
    const [heights, digits] = ticks(this.y);
    for (const value of heights) {
      const [, y] = this.point(0, value);
      p.segment(x0, y, x1, y, { color: theme.line, width: 0.75 });
      p.text(format(value, digits), x0 - 6, y, { ...small, align: "right" });
    }
    const [places, few] = ticks(this.x);
    for (const value of places) {
      const [x] = this.point(value, 0);
      p.segment(x, y0, x, y0 + 4, { color: theme.line });
      p.text(format(value, few), x, y0 + 13, { ...small, align: "center" });
    }
    p.segment(x0, y0, x1, y0, { color: theme.soft, width: 0.75 });
    p.text(across, x1, y0 + 30, { ...small, font: theme.font, align: "right" });
    p.text(up, left + size / 2, y1 + this.inner[1] / 2, { ...small, font: theme.font, align: "center", rotate: -90 });
  }
}
