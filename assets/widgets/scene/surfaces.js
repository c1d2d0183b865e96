// What a picture is drawn on: elements in a row or a column, a painting, or the cells of a matrix. Each finds what is
// pointed at, is walked with the keys, and gives itself as a file.
import { fitted } from "../drawing/tokens.js";
import { el } from "../drawing/elements.js";
import { Grid } from "../drawing/grid.js";
import { indexUnder, mouseLeaves, pointer } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { photograph } from "./photograph.js";
import { keys } from "./walking.js";

/** What lies nearest to a point, no farther than `reach`: for `at` of a picture of spots [x, y]. */
export const nearest =
  (spots, reach = 20) =>
  (x, y) => {
    const away = spots.map(([sx, sy]) => Math.hypot(sx - x, sy - y));
    const least = Math.min(...away);
    return least < reach ? away.indexOf(least) : null;
  };

class Surface {
  now;

  holds(place) {
    return place !== null && place < this.now.things.length;
  }

  /** How its places are walked. */
  get walk() {
    const { walked, things, across, keys: own, choose } = this.now;
    return { count: walked ?? things.length, across, own, canChoose: Boolean(choose) };
  }

  thing(place) {
    return this.now.things[place];
  }
}

/** Things that are elements: buttons where they can be chosen. They flow as their layout says, a class. */
export class Elements extends Surface {
  node = el("div");
  parts = [];
  current = 0;

  constructor({ point, walk, choose, reset }) {
    super();
    const { node } = this;
    node.addEventListener("pointerover", (event) => point(indexUnder(event)));
    mouseLeaves(node, () => point(null));
    node.addEventListener("click", (event) => choose(indexUnder(event)));
    node.addEventListener("focusin", (event) => {
      const i = indexUnder(event);
      if (i === null) return;
      this.reach(i);
      point(i);
    });
    node.addEventListener("focusout", () => point(null));
    keys(node, {
      at: () => (this.areButtons ? this.current : (this.marked ?? this.now.chosen ?? null)),
      walk: () => ({ ...this.walk, isFree: (i) => !this.parts[i].disabled }),
      go: (i) => {
        if (!this.parts[i].checkVisibility()) this.now.reveal?.();
        walk(i);
        if (this.areButtons) this.parts[i].focus();
        this.parts[i].scrollIntoView({ block: "nearest", inline: "nearest" });
      },
      choose,
      reset: () => {
        if (reset() === false) return false;
        if (this.parts.some((one) => one.matches(":focus"))) this.parts[this.now.chosen]?.focus();
        return true;
      },
    });
  }

  show(now, shell, label) {
    const { node } = this;
    const focused = this.parts.findIndex((one) => one.matches(":focus"));
    this.now = now;
    this.parts = now.things.map(now.draw);
    this.areButtons = Boolean(now.choose) && this.parts[0] instanceof HTMLButtonElement;
    this.parts.forEach((one, i) => (one.dataset.i = i));
    node.className = now.layout ?? "gf-rows";
    node.setAttribute("role", this.areButtons ? "toolbar" : now.said ? "group" : "img");
    node.toggleAttribute("data-chooses", this.areButtons && Boolean(shell.header.chooses));
    node.toggleAttribute("data-held", "held" in now); // not by its buttons: see page/view.js
    if (now.said && !this.areButtons) node.tabIndex = 0;
    node.setAttribute("aria-label", label);
    node.replaceChildren(...(now.arrange?.(this.parts) ?? this.parts));
    if (!this.areButtons) return;
    for (const one of this.parts) one.tabIndex = -1;
    if ("chosen" in now) this.parts.forEach((one, i) => one.setAttribute("aria-pressed", String(i === now.chosen)));
    const first = this.parts.findIndex((one) => !one.disabled);
    const current = focused < 0 ? (now.chosen ?? this.current) : focused;
    this.reach(this.parts[current] && !this.parts[current].disabled ? current : Math.max(0, first));
    if (focused >= 0) this.parts[Math.min(focused, this.parts.length - 1)]?.focus();
  }

  /** Things that flow are walked up and down by where they stand; a button is chosen by the browser itself. */
  get walk() {
    const { keys, across, choose } = this.now;
    const lines = { ArrowDown: (i) => this.beside(i, 1), ArrowUp: (i) => this.beside(i, -1) };
    return { ...super.walk, own: across ? keys : { ...lines, ...keys }, canChoose: choose && !this.areButtons };
  }

  /** The thing in the line above or below; in a single line, the one before or after. */
  beside(i, sign) {
    const box = this.parts[i ?? 0].getBoundingClientRect();
    const middle = ({ left, width }) => left + width / 2;
    const far = this.parts.map((part) => {
      const other = part.getBoundingClientRect();
      const down = (other.top - box.top) * sign;
      return down > 4 && !part.disabled ? 10 * down + Math.abs(middle(other) - middle(box)) : Infinity;
    });
    const least = Math.min(...far);
    if (Number.isFinite(least)) return far.indexOf(least);
    const next = (i ?? -1) + sign;
    return this.parts[next] && !this.parts[next].disabled ? next : i;
  }

  /** One button is reached by Tab, the others by the arrow keys. */
  reach(i) {
    this.parts[this.current]?.setAttribute("tabindex", "-1");
    this.current = i;
    this.parts[i]?.setAttribute("tabindex", "0");
  }

  mark(place) {
    this.marked = place;
    this.parts.forEach((one, i) => one.classList.toggle("on", i === place));
    this.now.mark?.(this.node, place);
  }

  file(shell) {
    return photograph(shell.body);
  }
}

const NAME = 80; // letters of such a button
const SPOKEN = 64; // more things than these a screen reader walks through with the arrow keys, or in the table

/** Things that stand at coordinates: painted below, and marked above. */
export class Painting extends Surface {
  constructor({ point, walk, choose, reset }) {
    super();
    this.under = el("canvas", { "data-held": true }); // inside it stand the buttons of a screen reader, which nobody sees
    this.over = el("canvas", { class: "gf-over" });
    this.stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, this.under, this.over);
    this.node = el("div", {}, this.stage);
    const at = (event) => {
      const box = this.stage.getBoundingClientRect();
      return this.now.at?.(event.clientX - box.left, event.clientY - box.top) ?? null;
    };
    let pulled = null; // where a pressed pointer has come to: it chooses as it moves, where the keys do so
    const follow = (event) => {
      const place = at(event);
      const isPressed = this.now.follows && event.isPrimary && event.type === "pointermove" && event.buttons;
      if (!isPressed) point(place);
      else if (place !== pulled) choose(place, true);
      pulled = isPressed ? place : null;
    };
    pointer(this.stage, follow, () => point(null));
    this.stage.addEventListener("pointerup", () => pulled !== null && choose(pulled)); // a finger that moved is no click
    this.stage.addEventListener("click", (event) => choose(indexUnder(event) ?? at(event)));
    keys(this.stage, {
      at: () => this.marked ?? this.now.chosen ?? null,
      walk: () => this.walk,
      go: walk,
      choose,
      reset,
    });
  }

  show(now, shell, label) {
    const { stage, under } = this;
    const [width, height] = now.size;
    this.now = now;
    this.node.classList.toggle("gf-scroll", width > shell.width + 1);
    Object.assign(stage.style, { width: `${width}px`, height: `${height}px` });
    stage.setAttribute("role", now.choose && now.at ? "group" : "img");
    stage.setAttribute("aria-label", label);
    if (!now.at && !now.keys) stage.removeAttribute("tabindex"); // there is nothing to find in it
    if (now.mark) now.paint(new CanvasPainter(fit(under, width, height)));
    const { count } = this.walk;
    const isSpoken = now.choose && now.said && now.at && count <= SPOKEN;
    under.replaceChildren(...(isSpoken ? now.things.slice(0, count).map(this.button) : []));
  }

  button = (thing, i) => {
    const said = el("span", {}, ...this.now.said(thing, i)).textContent;
    const text = fitted(said, NAME, (some) => some.length);
    return el("button", { "data-i": i, tabindex: -1, "aria-pressed": String(i === this.now.chosen), text });
  };

  /** What is marked is painted over the rest, or changes all of it. */
  mark(place) {
    const { now } = this;
    this.marked = place;
    const p = new CanvasPainter(fit(now.mark ? this.over : this.under, ...now.size));
    if (!now.mark) now.paint(p, place);
    else if (place !== null) now.mark(p, place);
  }

  file() {
    const { size, paint } = this.now;
    return { width: size[0] + 8, height: size[1] + 4, paint: (p) => p.shifted(4, 2, () => paint(p, null)) };
  }
}

/** A matrix; its places are [row, column]. */
export class Cells extends Surface {
  constructor({ point, walk, choose, reset }) {
    super();
    this.grid = new Grid({ hover: (at, byKeyboard) => (byKeyboard ? walk : point)(at), choose, reset });
    this.node = this.grid.node;
  }

  show(now, shell, label) {
    const { grid } = this;
    this.now = now;
    grid.set({ ...now.cells, labelFor: label });
    if (now.cells.print) grid.print = now.cells.print;
    grid.redraw(shell.theme, grid.node.clientWidth || shell.width, now.cells);
  }

  holds(place) {
    return place !== null && place[0] < this.grid.nRow && place[1] < this.grid.nColumn;
  }

  thing([row, column]) {
    return this.grid.value(row, column);
  }

  mark() {} // it does so itself

  file() {
    return photograph(this.node);
  }
}
