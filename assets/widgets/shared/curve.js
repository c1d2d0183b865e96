// A loss curve over steps, with a line for guessing blindly and a cursor. Drawn through a painter.
import { format } from "../drawing/elements.js";
import { ticks } from "../drawing/ticks.js";
import { BOTTOM, LEFT, StepChart, TOP } from "./step_chart.js";
import { labels } from "./labels.js";

export class Curve extends StepChart {
  series;
  chance;

  /** series: [{name, color, dash, values}] with null where nothing was measured. */
  set({ steps, series, chance, width, height, theme }) {
    Object.assign(this, { steps, series, chance: chance ?? null, width, height, theme });
    const known = [...series.flatMap((s) => s.values), this.chance].filter((v) => v !== null);
    const high = Math.max(...known, 0.1);
    const low = Math.min(...known, high);
    const pad = Math.max((high - low) * 0.08, 0.05);
    this.range = [Math.max(0, low - pad), high + pad];
  }

  y(loss) {
    return TOP + ((this.range[1] - loss) / (this.range[1] - this.range[0])) * (this.height - TOP - BOTTOM);
  }

  paint(p, at) {
    const { theme, small, bottom, chance } = this;
    const [losses, digits] = ticks(this.range, 4);
    for (const v of losses) this.paintTick(p, this.y(v), format(v, digits));
    this.paintSteps(p);
    if (this.x(1) > LEFT + 14) p.text("0", LEFT, bottom + 12, { ...small, align: "center" });
    if (chance !== null) this.paintReference(p, this.y(chance), labels("blind_guess", { loss: format(chance, 2) }));
    this.series.forEach(({ name, color, dash, values }, n) => {
      const measured = values.flatMap((v, i) => (v === null ? [] : [{ i, point: [this.x(this.steps[i]), this.y(v)] }]));
      const points = measured.map(({ point }) => point);
      if (points.length > 1) p.line(points, { color, width: theme.presenting ? 3.2 : 2, dash });
      for (const { i, point } of measured) {
        const [x, y] = point;
        if (points.length < 2 || i === at) p.rect(x - 3.5, y - 3.5, 7, 7, { fill: color, radius: 3.5 });
      }
      const x = LEFT + n * 110;
      p.segment(x, bottom + 26, x + 22, bottom + 26, { color, width: 2, dash });
      p.text(name, x + 28, bottom + 26, { ...small, font: theme.font });
    });
    this.paintCursor(p, at);
  }
}
