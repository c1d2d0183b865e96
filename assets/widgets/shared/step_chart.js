// What charts over the steps of a training share: a logarithmic axis of steps, and what is painted around the lines.
import { labels } from "./labels.js";

export const LEFT = 52;
export const RIGHT = 12;
export const TOP = 14;
export const BOTTOM = 36;

/** A chart has its own `y(value)`. */
export class StepChart {
  steps = [];
  width = 0;
  height = 0;
  theme;

  x(step) {
    const last = Math.log1p(Math.max(1, this.steps.at(-1)));
    return LEFT + (Math.log1p(step) / last) * (this.width - LEFT - RIGHT);
  }

  /** The frame nearest to a place on the axis. */
  nearest(px) {
    const away = this.steps.map((step) => Math.abs(this.x(step) - px));
    return away.indexOf(Math.min(...away));
  }

  get right() {
    return this.width - RIGHT;
  }

  get bottom() {
    return this.height - BOTTOM;
  }

  get small() {
    return { fill: this.theme.soft, size: Math.min(15, 11 * this.theme.unit), font: this.theme.code };
  }

  /** A line across, with its number beside it. */
  paintTick(p, y, text) {
    p.segment(LEFT, y, this.right, y, { color: this.theme.line, width: 0.75 });
    p.text(text, LEFT - 7, y, { ...this.small, align: "right" });
  }

  paintSteps(p) {
    const { small, bottom, theme } = this;
    for (let step = 1; step <= Math.max(1, this.steps.at(-1)); step *= 10) {
      p.text(step >= 1000 ? `${step / 1000}k` : `${step}`, this.x(step), bottom + 12, { ...small, align: "center" });
    }
    p.text(labels("step"), this.right, bottom + 26, { ...small, font: theme.font, align: "right" });
  }

  /** A height to compare with. */
  paintReference(p, y, label) {
    p.segment(LEFT, y, this.right, y, { color: this.theme.soft, width: 1.25, dash: [2, 4] });
    p.text(label, this.right, y - 8, { ...this.small, font: this.theme.font, align: "right" });
  }

  paintCursor(p, frame) {
    const x = this.x(this.steps[frame]);
    p.segment(x, TOP - 6, x, this.bottom, { color: this.theme.accent, width: 1.5 });
  }
}
