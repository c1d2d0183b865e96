// A loss curve over steps on a logarithmic axis, with a line for guessing blindly and a cursor. Drawn through a
// painter.
import { format } from "../drawing/elements.js";
import { ticks } from "../drawing/ticks.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [46, 12, 14, 36];

export class Curve {
  steps;
  series;
  chance;
  width;
  height;
  theme;

  /** series: [{name, color, dash, values}] with null where nothing was measured. */
  set({ steps, series, chance, width, height, theme }) {
    Object.assign(this, { steps, series, chance, width, height, theme });
    const known = series
      .flatMap((s) => s.values)
      .concat(chance ?? [])
      .filter((v) => v !== null && v !== undefined);
    const high = Math.max(...known, 0.1);
    const low = Math.min(...known, high);
    const pad = Math.max((high - low) * 0.08, 0.05);
    this.range = [Math.max(0, low - pad), high + pad];
    this.last = Math.log1p(Math.max(1, steps[steps.length - 1]));
  }

  x(step) {
    return LEFT + (Math.log1p(step) / this.last) * (this.width - LEFT - RIGHT);
  }
  y(loss) {
    return TOP + ((this.range[1] - loss) / (this.range[1] - this.range[0])) * (this.height - TOP - BOTTOM);
  }

  /** The frame nearest to a place on the axis. */
  nearest(px) {
    let best = 0;
    this.steps.forEach((s, i) => {
      if (Math.abs(this.x(s) - px) < Math.abs(this.x(this.steps[best]) - px)) best = i;
    });
    return best;
  }

  paint(p, at, dx = 0, dy = 0) {
    const { theme, width, height } = this;
    const small = { fill: theme.soft, size: Math.min(15, 11 * theme.unit), font: theme.code };
    const [left, right, bottom] = [dx + LEFT, dx + width - RIGHT, dy + height - BOTTOM];
    const [losses, digits] = ticks(this.range, 4);
    for (const v of losses) {
      p.segment(left, dy + this.y(v), right, dy + this.y(v), { color: theme.line, width: 0.75 });
      p.text(format(v, digits), left - 7, dy + this.y(v), { ...small, align: "right" });
    }
    const last = this.steps[this.steps.length - 1];
    for (let s = 1; s <= Math.max(1, last); s *= 10) {
      p.text(s >= 1000 ? `${s / 1000}k` : `${s}`, dx + this.x(s), bottom + 12, { ...small, align: "center" });
    }
    if (this.x(1) > LEFT + 14) p.text("0", left, bottom + 12, { ...small, align: "center" });
    p.text("step", right, bottom + 26, { ...small, font: theme.font, align: "right" });
    if (this.chance !== null && this.chance !== undefined) {
      const y = dy + this.y(this.chance);
      p.segment(left, y, right, y, { color: theme.soft, width: 1.25, dash: [2, 4] });
      p.text(`guessing blindly ${format(this.chance, 2)}`, right, y - 8, {
        ...small,
        font: theme.font,
        align: "right",
      });
    }
    this.series.forEach(({ name, color, dash, values }, n) => {
      const points = values
        .map((v, i) => (v === null ? null : [dx + this.x(this.steps[i]), dy + this.y(v)]))
        .filter(Boolean);
      if (points.length > 1) p.line(points, { color, width: theme.presenting ? 3.2 : 2, dash });
      for (const [i, v] of values.entries()) {
        if (v !== null && (points.length < 2 || i === at)) {
          p.rect(dx + this.x(this.steps[i]) - 3.5, dy + this.y(v) - 3.5, 7, 7, { fill: color, radius: 3.5 });
        }
      }
      const x = left + n * 110;
      p.segment(x, bottom + 26, x + 22, bottom + 26, { color, width: 2, dash });
      p.text(name, x + 28, bottom + 26, { ...small, font: theme.font });
    });
    const x = dx + this.x(this.steps[at]);
    p.segment(x, dy + TOP - 6, x, bottom, { color: theme.accent, width: 1.5 });
  }
}
