// One number of every watched tensor over the steps: all lines in one chart, on a logarithmic axis.
import { BOTTOM, StepChart, TOP } from "../shared/step_chart.js";
import { labels } from "./labels.js";
import { decades, layerOf, partOf, power } from "./watch_math.js";

const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 2], [1, 2]];

export class Lines extends StepChart {
  names = [];
  rows = [];
  ends = null;
  reference = null;
  isShare = false;

  /** rows: one for each name, nan where nothing is known; isShare: from 0 to 1 on an even axis. */
  set({ names, rows, steps, width, height, theme, isShare, reference }) {
    Object.assign(this, { names, rows, steps, width, height, theme, isShare, reference });
    this.ends = isShare ? [0, 1] : decades([...rows.flat(), ...(reference ? [reference.value] : [])]);
    const layers = [...new Set(names.map(layerOf))];
    const parts = [...new Set(names.map(partOf))];
    const hue = (name) => (layers.length > 1 ? layers.indexOf(layerOf(name)) : parts.indexOf(partOf(name)));
    this.look = names.map((name) => ({
      color: theme.categorical[hue(name) % theme.categorical.length],
      dash: DASHES[parts.indexOf(partOf(name)) % DASHES.length],
    }));
  }

  /** null for what such an axis has no place for: 0, and what is not known. */
  y(value) {
    const [low, high] = this.ends ?? [0, 1];
    if (!Number.isFinite(value) || (!this.isShare && value <= 0)) return null;
    const at = ((this.isShare ? value : Math.log10(value)) - low) / (high - low);
    return TOP + (1 - at) * (this.height - TOP - BOTTOM);
  }

  points(k) {
    return this.steps.map((step, i) => [this.x(step), this.y(this.rows[k][i])]).filter((point) => point[1] !== null);
  }

  /** The line nearest to a height in a frame; null if none is within 24 pixels. */
  lineAt(frame, py) {
    let [found, least] = [null, 24];
    this.rows.forEach((row, k) => {
      const y = this.y(row[frame]);
      if (y !== null && Math.abs(y - py) < least) [found, least] = [k, Math.abs(y - py)];
    });
    return found;
  }

  paint(p, frame, on) {
    const { theme, ends, reference } = this;
    const tick = (value, text) => this.paintTick(p, this.y(value), text);
    if (this.isShare) for (const share of [0, 0.25, 0.5, 0.75, 1]) tick(share, `${100 * share}%`);
    else if (ends) {
      const every = Math.ceil((ends[1] - ends[0]) / 8);
      for (let n = ends[0]; n <= ends[1]; n += every) tick(10 ** n, power(n));
    }
    this.paintSteps(p);
    if (reference && ends) this.paintReference(p, this.y(reference.value), reference.label);
    const paintLine = (k, width, color) => {
      const points = this.points(k);
      if (points.length > 1) p.line(points, { color, width, dash: this.look[k].dash });
      else for (const [x, y] of points) p.rect(x - 3, y - 3, 6, 6, { fill: color, radius: 3 });
    };
    this.names.forEach((_, k) => k !== on && paintLine(k, 1.6, this.look[k].color));
    this.paintCursor(p, frame);
    if (on !== null && on < this.names.length) {
      paintLine(on, 3.2, theme.accent);
      const [x, y] = [this.x(this.steps[frame]), this.y(this.rows[on][frame])];
      if (y !== null) p.rect(x - 4, y - 4, 8, 8, { fill: theme.accent, radius: 4 });
    }
  }

  /** What colors and dashes mean: [{text, color, dash}]. */
  legend() {
    const { theme, names } = this;
    const layers = new Map(names.map((name, k) => [layerOf(name), this.look[k].color]));
    const parts = new Map(names.map((name, k) => [partOf(name), this.look[k].dash]));
    const ofLayers = [...layers].map(([layer, color]) => ({
      text: layer < 0 ? labels("no_layer") : labels("layer", { layer }),
      color,
      dash: [],
    }));
    const isOneLayer = ofLayers.length === 1;
    const ofParts = [...parts].map(([text, dash], n) => ({
      text,
      color: isOneLayer ? theme.categorical[n % theme.categorical.length] : theme.soft,
      dash,
    }));
    return [...(isOneLayer ? [] : ofLayers), ...(ofParts.length > 1 ? ofParts : [])];
  }
}
