// A sum taken apart: one line of bars for each of its terms. The pointer or the arrow keys choose a line.
import { el } from "./elements.js";
import { cursorKeys, pointer } from "./input.js";
import { Grid } from "./grid.js";
import { CanvasPainter, fit } from "./painter.js";

export const STYLE = `
.gf-apart .gf-split { grid-template-columns: minmax(0, 1fr); }
.gf-apart .gf-bars { cursor: default; touch-action: pan-y pinch-zoom; }
.gf-apart .gf-readout { min-height: 3em; }
@container (min-width: 860px) { .gf-apart .gf-split { grid-template-columns: minmax(0, 11fr) minmax(0, 9fr); } }
`;

export class BarLines {
  canvas = el("canvas");
  over = el("canvas", { class: "gf-over" });
  at = null;
  n;
  step;
  width;
  height;
  theme;

  /** top: css pixels above the first line. tell(i, byKeyboard): line i is chosen, or none (null). */
  constructor({ top, tell }) {
    this.top = top;
    this.tell = tell;
    this.node = el("div", { class: "gf-stage gf-bars", tabindex: 0, role: "img" }, this.canvas, this.over);
    const point = (event) => {
      const i = Math.floor((event.clientY - this.node.getBoundingClientRect().top - top) / this.step);
      this.choose(i >= 0 && i < this.n ? i : null);
    };
    pointer(this.node, point, () => this.choose(null));
    cursorKeys(this.node, {
      size: () => [this.n, 1],
      get: () => (this.at === null ? null : [this.at, 0]),
      choose: () => {},
      reset: () => this.choose(null),
      move: ([i]) => this.choose(i, true),
    });
  }

  /** Room for n lines of `step` pixels; no line is chosen. Returns the painter for the bars. */
  open({ n, step, width, theme, label }) {
    Object.assign(this, { n, step, width, theme, at: null, height: this.top + n * step + 6 });
    Object.assign(this.node.style, { width: `${width}px`, height: `${this.height}px` });
    this.node.setAttribute("aria-label", label);
    this.frame();
    return new CanvasPainter(fit(this.canvas, width, this.height));
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
    ctx.strokeStyle = this.theme.accent;
    ctx.lineWidth = 1.5;
    ctx.strokeRect(1, this.top + this.at * this.step - 1, this.width - 2, this.step);
  }
}

/** A grid of sums, and beside it the bars of one of them.
 *  tell(at): take this cell apart, null for none. sentence(at): the cell in words. bySize: whether the largest come
 *   first. */
export function gridAndBars(shell, bars, { tell, sentence, bySize, heading = "" }) {
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const order = el("button", {
    class: "gf-solid",
    "aria-pressed": String(bySize),
    text: "largest first",
    onclick: () => {
      parts.bySize = !parts.bySize;
      order.setAttribute("aria-pressed", String(parts.bySize));
      tell(grid.at ?? grid.selected);
    },
  });
  const grid = new Grid({
    hover: (at, byKeyboard) => {
      tell(at ?? grid.selected);
      if (byKeyboard && at) shell.say(sentence(at));
    },
    choose: (at) => {
      grid.selected = at;
      grid.drawOver();
      tell(at);
      shell.say(`Selected: ${sentence(at)}`);
      shell.commit("pick", { row: at[0], column: at[1] });
    },
    reset: () => {
      grid.selected = shell.header.selected;
      grid.drawOver();
      tell(grid.selected);
    },
  });
  const title = heading ? [el("span", { class: "gf-soft", text: heading })] : [];
  const side = el(
    "div",
    {},
    el("div", { class: "gf-controls" }, ...title, order),
    el("div", { class: "gf-scroll" }, bars.node),
    readout,
  );
  const left = el("div", {}, grid.node, key);
  shell.body.append(el("div", { class: "gf-split" }, left, side));
  shell.body.classList.add("gf-apart");

  /** What is selected stays while the rows and columns are the same and the server does not say otherwise. */
  function update() {
    const h = shell.header;
    const before = shell.previous;
    const same = before && JSON.stringify([before.rows, before.columns]) === JSON.stringify([h.rows, h.columns]);
    if (!same || JSON.stringify(h.selected) !== JSON.stringify(before.selected)) grid.selected = h.selected;
  }

  const parts = { grid, key, readout, left, side, update, bySize };
  return parts;
}
