// Small pictures with a cursor and a readout. Shared by the grid of pictures and by the picture whose patches are
// switched off.
import { el, format } from "../drawing/elements.js";
import { pointer, withModifier } from "../drawing/input.js";
import { EDGE, PictureCells } from "./picture_cells.js";
import { moved, pixelWords } from "./pictures_math.js";
import { labels } from "./labels.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class PictureGrid extends PictureCells {
  /** handlers: hover(at | null, byKeyboard), choose({picture, patch}); at is {picture, row, column} in pixels. */
  constructor(handlers = {}) {
    super();
    this.handlers = handlers;
    const follow = (event) => this.hover(this.find(event));
    pointer(this.stage, follow, () => this.hover(null));
    this.stage.addEventListener("click", (event) => {
      const at = this.find(event);
      if (at) this.choose(at);
    });
    this.stage.addEventListener("keydown", (event) => this.key(event));
  }

  find(event) {
    const bounds = this.stage.getBoundingClientRect();
    const { columns, stepX, stepY, wide, high } = this.box;
    const c = Math.floor((event.clientX - bounds.left - EDGE) / stepX);
    const r = Math.floor((event.clientY - bounds.top - EDGE) / stepY);
    const picture = r * columns + c;
    if (c < 0 || c >= columns || r < 0 || picture >= this.n) return null;
    const [left, top] = this.place(picture);
    const dx = event.clientX - bounds.left - left;
    const dy = event.clientY - bounds.top - top;
    if (dx < 0 || dy < 0 || dx >= wide || dy >= high) return null;
    return {
      picture,
      row: Math.min(this.y - 1, Math.floor((dy / high) * this.y)),
      column: Math.min(this.x - 1, Math.floor((dx / wide) * this.x)),
    };
  }

  hover(at, byKeyboard = false) {
    this.at = at;
    this.byKeyboard = byKeyboard;
    if (this.box) this.drawOver();
    this.handlers.hover?.(at, byKeyboard);
  }

  choose(at) {
    this.handlers.choose?.({ picture: at.picture, patch: this.patchOf(at.row, at.column) });
  }

  key(event) {
    if (withModifier(event)) return;
    const at = this.at ?? this.start();
    const turn = { PageUp: -1, PageDown: 1 }[event.key];
    if (ARROWS[event.key]) {
      const step = this.grid ? this.patch : event.shiftKey ? [10, 10] : [1, 1];
      const [row, column] = this.at
        ? moved([at.row, at.column], ARROWS[event.key], step, [this.y, this.x])
        : [at.row, at.column];
      this.hover({ ...at, row, column }, true);
    } else if (turn) {
      this.hover({ ...at, picture: Math.max(0, Math.min(this.n - 1, at.picture + (this.at ? turn : 0))) }, true);
    } else if (event.key === "Home") this.hover({ ...at, picture: 0 }, true);
    else if (event.key === "End") this.hover({ ...at, picture: this.n - 1 }, true);
    else if ((event.key === "Enter" || event.key === " ") && this.at) this.choose(at);
    else if (event.key === "Escape") this.hover(null);
    else return;
    event.preventDefault();
  }

  start() {
    const picture = Number.isInteger(this.chosen) ? this.chosen : Array.isArray(this.chosen) ? this.chosen[0] : 0;
    return { picture, row: 0, column: 0 };
  }

  /** What stands at a place, part by part: [what it is, its number or ""]. */
  parts({ picture, row, column }, byKeyboard = this.byKeyboard) {
    const { header: h } = this;
    const parts = [];
    const first = h.first ?? 0; // the number of the first row and column
    if (this.title(picture)) parts.push([this.title(picture), ""]);
    if (h.details?.[picture]) parts.push([h.details[picture], ""]);
    if (this.grid) {
      const patch = this.patchOf(row, column);
      const weight = this.weight(picture, patch);
      const down = Math.floor(patch / this.grid[1]);
      const across = patch % this.grid[1];
      parts.push([labels("patch_at", { row: down + first, column: across + first }), ""]);
      if (this.isHidden(picture, patch)) parts.push([h.hidden_title ?? labels("hidden"), ""]);
      if (weight !== null) parts.push([h.weight_title, format(weight, this.digits())]);
      const [high, wide] = this.patch;
      if (byKeyboard && this.depth === 1 && high * wide <= 16) {
        const all = Array.from(
          { length: high * wide },
          (_, i) => this.pixel(picture, down * high + Math.floor(i / wide), across * wide + (i % wide))[0],
        );
        parts.push([labels(h.ink ? "ink" : "gray"), labels("all_of", { values: all.join(", "), full: h.full })]);
        return parts;
      }
      if (byKeyboard) return parts;
    }
    const place = { row: row + first, column: column + first };
    parts.push([labels("pixel_at", place), pixelWords(this.pixel(picture, row, column), h.full, h.ink)]);
    return parts;
  }

  digits() {
    return Math.max(Math.abs(this.header.low), Math.abs(this.header.high)) < 0.1 ? 4 : 3;
  }

  say(at) {
    return this.parts(at, true)
      .map(([what, number]) => `${what}${number ? ` ${number}` : ""}`)
      .join(", ");
  }

  /** The readout's content. */
  told(at) {
    return this.parts(at).flatMap(([what, number], i) => [
      i ? "  ·  " : "",
      number ? `${what} ` : what,
      number ? el("b", { text: number }) : "",
    ]);
  }

  /**
   * {columns, rows} for the table: the weights where there are some, else the pixels; a long one is cut, and says so.
   */
  table(most = 20_000) {
    const name = (i) => this.title(i) || labels("picture");
    const hasWeights = this.weights !== null;
    const gone = this.header.hidden_title ?? labels("hidden");
    const cells = hasWeights ? this.nPatch() : this.x;
    const columns = hasWeights
      ? Array.from({ length: cells }, (_, i) =>
          labels("place", { row: Math.floor(i / this.grid[1]), column: i % this.grid[1] }),
        )
      : Array.from({ length: cells }, (_, c) => labels("column_n", { column: c }));
    const total = hasWeights ? this.n : this.n * this.y;
    const shown = Math.min(total, Math.max(1, Math.floor(most / cells)));
    const noted = (value, isGone) => (isGone ? labels("hidden_value", { value, hidden: gone }) : value);
    const row = (k) =>
      hasWeights
        ? [
            name(k),
            ...columns.map((_, i) =>
              this.isHidden(k, i) ? noted(format(this.weight(k, i), 4), true) : this.weight(k, i),
            ),
          ]
        : [
            labels("picture_row", { picture: name(Math.floor(k / this.y)), row: k % this.y }),
            ...columns.map((_, c) =>
              noted(
                this.pixel(Math.floor(k / this.y), k % this.y, c).join(" "),
                this.isHidden(Math.floor(k / this.y), this.patchOf(k % this.y, c)),
              ),
            ),
          ];
    const rows = Array.from({ length: shown }, (_, k) => row(k));
    if (shown < total) rows.push([labels("more_rows", { n: total - shown }), ...columns.map(() => "")]);
    return { columns: [hasWeights ? this.header.weight_title : labels("picture"), ...columns], rows };
  }
}
