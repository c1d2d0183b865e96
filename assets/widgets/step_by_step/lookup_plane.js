// A plane with arrows or dots, some of which can be dragged.
import { clamp, el } from "../drawing/elements.js";
import { grips } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";

export class Plane {
  size;
  theme;
  marks;

  /** handlers: drag(index, [x, y]), drop() */
  constructor(title, handlers) {
    this.title = title;
    this.canvas = el("canvas");
    this.stage = el("div", { class: "gf-stage", role: "img" }, this.canvas);
    this.node = el("div", { class: "lk-plane" }, el("div", { class: "gf-soft", text: title }), this.stage);
    grips(this.stage, (touch) => this.nearest(touch) !== null);
    this.stage.addEventListener("pointerdown", (e) => {
      this.held = this.nearest(e);
      if (this.held === null) return;
      this.stage.setPointerCapture(e.pointerId);
      this.move(e, handlers);
    });
    this.stage.addEventListener("pointermove", (e) => {
      if (this.held !== null && this.held !== undefined) this.move(e, handlers);
      else this.stage.style.cursor = this.nearest(e) === null ? "default" : "grab";
    });
    for (const end of ["pointerup", "pointercancel"]) {
      this.stage.addEventListener(end, () => {
        if (this.held !== null && this.held !== undefined) {
          this.held = null;
          handlers.drop();
        }
      });
    }
  }

  at([x, y]) {
    return [
      this.size / 2 + (x / this.range) * (this.size / 2 - 14),
      this.size / 2 - (y / this.range) * (this.size / 2 - 14),
    ];
  }

  move(event, handlers) {
    const box = this.stage.getBoundingClientRect();
    const unit = this.range / (this.size / 2 - 14);
    const snap = (v) => Math.round(clamp(v, -this.range, this.range) * 20) / 20;
    handlers.drag(this.held, [
      snap((event.clientX - box.left - this.size / 2) * unit),
      snap((this.size / 2 - event.clientY + box.top) * unit),
    ]);
  }

  nearest(event) {
    const box = this.stage.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = null;
    let least = event.pointerType === "mouse" ? 16 : 28;
    this.marks.forEach((mark, i) => {
      if (mark.drag === undefined) return;
      const [mx, my] = this.at(mark.to);
      const distance = Math.hypot(mx - x, my - y);
      if (distance < least) [best, least] = [i, distance];
    });
    return best === null ? null : this.marks[best].drag;
  }

  /**
   * marks: {to: [x, y], kind: "arrow" | "dot" | "ring" | "cross" | "star", label, color, width, drag, lines: [[x, y,
   * width]]}
   */
  draw(marks, size, theme, sentence) {
    // The range stays while a mark is dragged: the ground must not move under the finger.
    if (this.held === null || this.held === undefined || !this.range) {
      this.range = Math.max(2.5, ...marks.flatMap((m) => m.to.map((v) => Math.abs(v) * 1.15)));
    }
    Object.assign(this, { marks, size, theme });
    Object.assign(this.stage.style, { width: `${size}px`, height: `${size}px` });
    this.stage.setAttribute("aria-label", `${this.title}. ${sentence}`);
    this.paint(new CanvasPainter(fit(this.canvas, size, size)));
  }

  paint(p) {
    const { size, theme } = this;
    const half = size / 2;
    const tick = this.range > 5 ? 2 : 1;
    p.rect(0.5, 0.5, size - 1, size - 1, { fill: theme.panel, stroke: theme.line, radius: 6 });
    for (let v = -Math.floor(this.range / tick) * tick; v <= this.range; v += tick) {
      const [x] = this.at([v, 0]);
      const [, y] = this.at([0, v]);
      const style = { color: theme.line, width: v ? 0.6 : 1.6 };
      p.segment(x, 4, x, size - 4, style);
      p.segment(4, y, size - 4, y, style);
      if (v) {
        p.text(`${v}`.replace("-", "−"), x, half + 9, {
          fill: theme.soft,
          size: 10,
          font: theme.code,
          align: "center",
        });
        p.text(`${v}`.replace("-", "−"), half - 5, y, { fill: theme.soft, size: 10, font: theme.code, align: "right" });
      }
    }
    for (const mark of this.marks) this.mark(p, mark);
    for (const mark of this.marks) {
      if (!mark.label) continue;
      const [x, y] = this.at(mark.to);
      const isEdge = x > size - 46;
      const isAbove = isEdge && mark.kind === "dot"; // clear of a ring
      const place = isAbove
        ? [Math.min(x, size - 22), y - 24, "center"]
        : [x + (isEdge ? -10 : 10), y + (mark.under ? 13 : -10), isEdge ? "right" : "left"];
      p.text(mark.label, place[0], place[1], {
        fill: mark.kind === "dot" ? theme.text : mark.color,
        size: 12,
        font: theme.font,
        weight: 600,
        align: place[2],
      });
    }
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
    } else if (kind === "dot") p.rect(x - width, y - width, 2 * width, 2 * width, { fill: color, radius: width });
    else if (kind === "ring") {
      p.rect(x - width, y - width, 2 * width, 2 * width, { stroke: color, width: 2.5, radius: width });
    } else if (kind === "cross") {
      p.segment(x - 6, y - 6, x + 6, y + 6, { color, width: 2 });
      p.segment(x - 6, y + 6, x + 6, y - 6, { color, width: 2 });
    } else {
      const points = [...Array(11).keys()].map((i) => [
        x + (i % 2 ? 4 : 10) * Math.sin((i * Math.PI) / 5),
        y - (i % 2 ? 4 : 10) * Math.cos((i * Math.PI) / 5),
      ]);
      p.line(points, { color, width: 3 });
    }
  }
}
