// A plane with arrows from its middle, or dots, each with its name; some can be dragged.
import { clamp, el, measure } from "../drawing/elements.js";
import { grips } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";

const TURNS = [0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8].map((n) => (n * Math.PI) / 8);
const GAP = 9; // css pixels between a mark and its name

/**
 * The first of some boxes around a point that covers no other mark, or the one that covers fewest.
 * @param {number[]} tip x, y
 * @param {number[]} to the way that the name should stand
 * @param {{w: number, h: number, gap: number}} box
 * @param {number[][]} taken points x, y
 * @param {number[]} size of the plane
 */
export function freeSpot([x, y], [dx, dy], { w, h, gap }, taken, [width, height]) {
  const angle = Math.atan2(dy, dx);
  const ways = [gap, 2 * gap].flatMap((far) => TURNS.map((turn) => [far, angle + turn]));
  const spots = ways.map(([far, way]) => {
    const [ux, uy] = [Math.cos(way), Math.sin(way)];
    const away = far + Math.min(w / 2 / Math.max(Math.abs(ux), 1e-6), h / 2 / Math.max(Math.abs(uy), 1e-6));
    const [left, top] = [x + ux * away - w / 2, y + uy * away - h / 2];
    const out = Math.max(0, -left, -top, left + w - width, top + h - height);
    const covered = taken.filter(([a, b]) => a > left - 3 && a < left + w + 3 && b > top - 2 && b < top + h + 2);
    return { left, top, cost: covered.length + out };
  });
  return spots.reduce((best, one) => (one.cost < best.cost ? one : best));
}

export class Plane {
  size;
  theme;
  marks;
  held = null;
  title = el("div", { class: "lk-name" });
  canvas = el("canvas");
  stage = el("div", { class: "gf-stage", role: "img" }, this.canvas);

  /** handlers: drag(index, [x, y]), drop() */
  constructor(title, { drag, drop }) {
    this.title.textContent = title;
    this.node = el("div", { class: "lk-plane" }, this.title, this.stage);
    grips(this.stage, (touch) => this.nearest(touch) !== null);
    this.stage.addEventListener("pointerdown", (e) => {
      this.held = this.nearest(e);
      if (this.held === null) return;
      this.stage.setPointerCapture(e.pointerId);
      drag(this.held, this.under(e));
    });
    this.stage.addEventListener("pointermove", (e) => {
      if (this.held !== null) drag(this.held, this.under(e));
      else this.stage.style.cursor = this.nearest(e) === null ? "default" : "grab";
    });
    for (const end of ["pointerup", "pointercancel"]) {
      this.stage.addEventListener(end, () => {
        if (this.held === null) return;
        this.held = null;
        drop();
      });
    }
  }

  /** @param {number[]} point */
  at([x, y]) {
    return [this.size[0] / 2 + x * this.unit, this.size[1] / 2 - y * this.unit];
  }

  /** The point of the plane under a pointer, to a twentieth. */
  under(event) {
    const box = this.stage.getBoundingClientRect();
    const [reachX, reachY] = this.size.map((one) => (one / 2 - 8) / this.unit);
    const snap = (v, reach) => Math.round(clamp(v, -reach, reach) * 20) / 20;
    return [
      snap((event.clientX - box.left - this.size[0] / 2) / this.unit, reachX),
      snap((this.size[1] / 2 - event.clientY + box.top) / this.unit, reachY),
    ];
  }

  nearest(event) {
    const box = this.stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    let least = event.pointerType === "mouse" ? 16 : 28;
    for (const { to, drag } of this.marks) {
      if (drag === undefined) continue;
      const [mx, my] = this.at(to);
      const distance = Math.hypot(mx - x, my - y);
      if (distance < least) [best, least] = [drag, distance];
    }
    return best;
  }

  /**
   * marks: {to: [x, y], kind: "arrow" | "dot" | "ring" | "star", name, share, color, width, drag, from: what the name
   * points away from, lines: [[x, y, width]]}
   */
  draw(marks, size, theme, sentence) {
    Object.assign(this, { marks, size, theme });
    this.letters = [
      Math.round(14 * theme.unit),
      Math.round((size[0] < 345 || theme.presenting ? 18 : size[0] < 380 ? 20 : 24) * theme.unit),
    ];
    // The scale stays while a mark is dragged: the ground must not move under the finger.
    if (this.held === null || !this.unit) {
      const large = this.letters[marks[0].share ? 1 : 0];
      const above = large * 1.3 + (marks[0].share ? GAP : 3 * GAP);
      const far = (i) => Math.max(0.4, ...marks.map(({ to }) => Math.abs(to[i])));
      const [x, y] = size.map((one) => one / 2);
      this.unit = Math.min((x - 4.9 * large) / far(0), (y - above) / far(1), y / 1.2);
    }
    this.stage.dataset.unit = this.unit;
    Object.assign(this.stage.style, { width: `${size[0]}px`, height: `${size[1]}px` });
    this.stage.setAttribute("aria-label", `${this.title.textContent}. ${sentence}`);
    this.paint(new CanvasPainter(fit(this.canvas, ...size)));
  }

  paint(p) {
    const [width, height] = this.size;
    const { theme, unit } = this;
    p.rect(0.5, 0.5, width - 1, height - 1, { fill: theme.panel, radius: 8 });
    const step = unit < 20 ? 5 : 1;
    for (let v = -Math.floor(width / unit); v <= width / unit; v += 1) {
      if (v % step) continue;
      const look = { color: theme.line, width: v ? 0.6 : 1.6 };
      const [x, y] = this.at([v, v]);
      if (x > 4 && x < width - 4) p.segment(x, 4, x, height - 4, look);
      if (y > 4 && y < height - 4) p.segment(4, y, width - 4, y, look);
    }
    const lined = ([from, to]) =>
      [...Array(25).keys()].map((i) => from.map((v, axis) => v + ((to[axis] - v) * i) / 24));
    const taken = this.marks.flatMap(({ kind, to, lines = [] }) => {
      const tip = this.at(to);
      if (kind === "arrow") return lined([this.at([0, 0]), tip]);
      return [tip, ...lines.flatMap(([x, y, w]) => (w > 0.6 ? lined([this.at([x, y]), tip]) : []))];
    });
    for (const mark of this.marks) this.mark(p, mark);
    for (const mark of this.marks) if (mark.name) this.label(p, mark, taken);
  }

  /** The name of a mark, and its share in larger letters; where they stand is taken then. */
  label(p, { to, from = [0, 0], name, share = "", color, drag, kind, width = 2 }, taken) {
    const { theme, letters } = this;
    const own = this.at(to);
    const start = this.at(from);
    const away = [own[0] - start[0], own[1] - start[1]];
    const widths = [name, share].map((text, i) => text && measure(text, letters[i], theme.font) * [1.1, 1.2][i]);
    const box = { w: widths[0] + (share ? widths[1] + 4 : 0), h: share ? letters[1] : letters[0] + 2 };
    const others = taken.filter(([x, y]) => Math.hypot(x - own[0], y - own[1]) > 1);
    const gap = kind === "arrow" ? GAP : width + GAP;
    const { left, top } = freeSpot(own, Math.hypot(...away) > 1 ? away : [0, 1], { ...box, gap }, others, this.size);
    const middle = top + box.h / 2 + 1;
    const fill = drag === -1 ? color : theme.text;
    p.text(name, left, middle, { fill, size: letters[0], font: theme.font, weight: 650 });
    const look = { fill, size: letters[1], font: theme.font, weight: 750, align: "right" };
    if (share) p.text(share, left + box.w, middle, look);
    for (let i = 0; i <= 4; i++) taken.push([left + (box.w * i) / 4, top], [left + (box.w * i) / 4, top + box.h]);
  }

  mark(p, { to, kind, color, width = 2, lines = [] }) {
    const [x, y] = this.at(to);
    for (const [fx, fy, w] of lines) if (w > 0.2) p.line([this.at([fx, fy]), [x, y]], { color, width: w });
    if (kind === "arrow") {
      const from = this.at([0, 0]);
      const angle = Math.atan2(y - from[1], x - from[0]);
      const wing = 6 + width;
      const tip = (turn) => [x - wing * Math.cos(angle + turn), y - wing * Math.sin(angle + turn)];
      p.line([from, [x, y]], { color, width });
      p.line([tip(0.45), [x, y], tip(-0.45)], { color, width });
    } else if (kind === "star") {
      const points = [...Array(10).keys()].map((i) => {
        const [far, angle] = [i % 2 ? 5 : 12, (i * Math.PI) / 5];
        return `${x + far * Math.sin(angle)} ${y - far * Math.cos(angle)}`;
      });
      p.path(`M${points.join(" L")} Z`, { fill: color });
    } else {
      const look = kind === "ring" ? { stroke: color, width: 2.5 } : { fill: color };
      p.rect(x - width, y - width, 2 * width, 2 * width, { ...look, radius: width });
    }
  }
}
