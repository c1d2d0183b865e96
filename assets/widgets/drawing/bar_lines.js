// A sum taken apart: one line of bars for each of its terms, with the factors and the sum so far. The pointer or the
// arrow keys choose a line.
import { el, format } from "./elements.js";
import { cursorKeys, pointer } from "./input.js";
import { CanvasPainter, fit } from "./painter.js";
import { labels } from "./labels.js";

export const STYLE = ".gf-bars { cursor: default; touch-action: pan-y pinch-zoom; }";
const TOP = 34;
const GAP = 10;

/** The largest of some numbers, whatever their sign. */
export const largest = (numbers) => numbers.reduce((most, v) => Math.max(most, Math.abs(v)), 0) || 1;

export class BarLines {
  canvas = Object.assign(el("canvas"), { paint: (p) => this.paint(p) });
  over = el("canvas", { class: "gf-over" });
  at = null;
  now;
  width;
  height;

  /** tell(i, byKeyboard): line i is chosen, or none (null). */
  constructor(tell = (_i, _byKeyboard) => {}) {
    this.tell = tell;
    this.node = el("div", { class: "gf-stage gf-bars", tabindex: 0, role: "img" }, this.canvas, this.over);
    const point = (event) => {
      const i = Math.floor((event.clientY - this.node.getBoundingClientRect().top - TOP) / this.now.step);
      this.choose(i >= 0 && i < this.now.lines.length ? i : null);
    };
    pointer(this.node, point, () => this.choose(null));
    cursorKeys(this.node, {
      size: () => [this.now.lines.length, 1],
      get: () => (this.at === null ? null : [this.at, 0]),
      choose: () => {},
      reset: () => this.choose(null),
      move: ([i]) => this.choose(i, true),
    });
  }

  /**
   * Draw lines of `step` pixels, as wide as there is room; none is chosen.
   * @param {{lines: {name: string, factors: number[]}[], sums: number[], limits: number[], heads: string[],
   *   ranges: string[], corner?: string, index: number, letters?: number, isHollow?: boolean,
   *   step: number, room: number, theme: any, label: string}} now sums: so far, after each line; limits: of each
   *   column of factors; index: room for the names; isHollow: what lowers the sum is outlined
   */
  show(now) {
    this.now = now;
    this.at = null;
    this.width = Math.max(250, Math.min(now.room, 560));
    this.height = TOP + now.lines.length * now.step + 6;
    Object.assign(this.node.style, { width: `${this.width}px`, height: `${this.height}px` });
    this.node.setAttribute("aria-label", labels("go_through_bars", { label: now.label }));
    this.frame();
    this.paint(new CanvasPainter(fit(this.canvas, this.width, this.height)));
  }

  choose(i, byKeyboard = false) {
    if (i === this.at) return;
    this.at = i;
    this.frame();
    this.tell(i, byKeyboard);
  }

  frame() {
    const ctx = fit(this.over, this.width, this.height);
    if (this.at === null) return;
    ctx.strokeStyle = this.now.theme.accent;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(1, TOP + this.at * this.now.step - 1, this.width - 2, this.now.step);
  }

  paint(p) {
    const { lines, sums, limits, heads, ranges, corner = "", index, letters = 11, isHollow, step, theme } = this.now;
    const column = (this.width - index - GAP * limits.length - 4) / heads.length;
    const x = heads.map((_, i) => index + i * (column + GAP));
    const low = Math.min(0, ...sums);
    const high = Math.max(low + 1e-9, 0, ...sums);
    const place = (v) => x.at(-1) + ((v - low) / (high - low)) * column;
    const tall = step - Math.min(3, step / 4);
    const quiet = { fill: theme.soft, size: letters, font: theme.font };
    const code = { ...quiet, font: theme.code, size: letters - 1 };
    p.text(corner, 4, 9, quiet);
    heads.forEach((text, i) => p.text(text, x[i], 9, quiet));
    [...ranges, `${format(low, 1)} … ${format(high, 1)}`].forEach((text, i) => p.text(text, x[i], 24, code));
    for (const middle of [...limits.map((_, i) => x[i] + column / 2), place(0)]) {
      p.segment(middle, TOP - 2, middle, TOP + lines.length * step + 2, { color: theme.line });
    }
    const every = Math.ceil((letters + 1) / step);
    lines.forEach(({ name, factors }, i) => {
      const y = TOP + i * step;
      const middle = y + tall / 2 + 0.5;
      if (i % every === 0) p.text(name, index - 7, middle, { ...code, align: "right" });
      factors.forEach((v, k) => {
        const zero = x[k] + column / 2;
        const wide = (Math.abs(v) / limits[k]) * (column / 2);
        p.rect(v < 0 ? zero - wide : zero, y, Math.max(wide, 0.5), tall, { fill: theme.categorical[7] });
      });
      const [from, to] = [sums[i - 1] ?? 0, sums[i]].map(place);
      const wide = Math.max(Math.abs(to - from), 0.75);
      const color = theme.categorical[to < from ? 1 : 0];
      const look = isHollow && to < from && wide > 2 ? { stroke: color } : { fill: color };
      p.rect(Math.min(from, to), y, wide, tall, look);
      p.segment(to, y, to, y + step, { color: theme.soft, width: 0.75 });
    });
  }
}
