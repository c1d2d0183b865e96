// Every number of a model as a dot of color, table by table; the pointer or the arrow keys tell which table it is.
import { define } from "../drawing/base.js";
import { el, format, grouped, measure } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { raster, scale } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";

export default define(
  (shell) => {
    const cells = el("canvas");
    const over = el("canvas", { class: "gf-over" });
    const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, cells, over);
    const readout = el("div", { class: "gf-readout gf-one-line" });
    const key = el("div", { class: "gf-legend" });
    shell.body.append(stage, el("div", { class: "gf-below" }, readout, key));
    let at = null; // {table, row, column} that is pointed at
    let starts = []; // where the numbers of each table begin
    let box = { unit: 1, width: 1, height: 1 };

    const sizeOf = (t) => shell.header.sizes[t];
    const count = () => shell.header.names.length;
    /** Where a number of a table is, among those that were sent: a vector is drawn thick, and is one line. */
    const place = (t, row, column) => {
      if (!shell.header.vector[t]) return row * sizeOf(t)[1] + column;
      return sizeOf(t)[0] < sizeOf(t)[1] ? column : row;
    };
    const level = (t, row, column) => shell.arrays.levels.data[starts[t] + place(t, row, column)];
    const value = (l) => ((l - 127) / 127) * shell.header.limit;

    pointer(
      stage,
      (event) => point(under(event)),
      () => point(null),
    );
    cursorKeys(stage, {
      size: () => [1, count()],
      get: () => at && [0, at.table],
      move: ([, table]) => {
        point({ table, row: 0, column: 0 });
        shell.say(`${shell.header.names[table]}, ${shape(table)}`);
      },
      choose: () => {},
      reset: () => at !== null && point(null),
    });

    function under(event) {
      const { left, top } = stage.getBoundingClientRect();
      const x = (event.clientX - left) / box.unit;
      const y = (event.clientY - top) / box.unit;
      const piece = shell.header.pieces.find(
        ([t, , n, px, py]) => x >= px && x < px + sizeOf(t)[1] && y >= py && y < py + n,
      );
      if (!piece) return null;
      const [table, first, , px, py] = piece;
      return { table, row: first + Math.floor(y - py), column: Math.floor(x - px) };
    }

    function point(found) {
      at = found;
      paintOver();
      describe();
    }

    const shape = (t) => shell.header.shapes[t].map(grouped).join(" × ") || "one number";

    function describe() {
      const { header: h } = shell;
      if (!at) {
        const hint = "Point at a table: its name, its shape, and the number.";
        readout.replaceChildren(el("span", { class: "gf-hint", text: hint }));
        return;
      }
      const l = level(at.table, at.row, at.column);
      const row = h.turned[at.table] ? at.column : at.row;
      const token =
        !h.vector[at.table] && (h.turned[at.table] ? sizeOf(at.table)[1] : sizeOf(at.table)[0]) === h.tokens.length
          ? h.tokens[row]
          : "";
      const sign = l === 0 ? "≤ " : l === 254 ? "≥ " : "≈ ";
      readout.replaceChildren(
        el("b", { text: h.names[at.table] }),
        el("span", { class: "gf-mono", text: ` ${shape(at.table)} ` }),
        token ? ` “${token}” ` : "",
        el("span", { class: "gf-mono", text: ` ${sign}${format(value(l), 2)}` }),
      );
    }

    /** Each table once, a pixel for each number. */
    function drawn(rgb) {
      return shell.header.names.map((_, t) => {
        const [rows, columns] = sizeOf(t);
        return raster(columns, rows, rgb, (i) =>
          Math.round((level(t, Math.floor(i / columns), i % columns) / 254) * 255),
        );
      });
    }

    function paint(p) {
      const { header: h, theme } = shell;
      const colors = scale("signed", -h.limit, h.limit, theme.mode);
      const pictures = drawn(colors.rgb);
      const size = Math.round(11 * theme.unit);
      for (const [t, first, n, x, y] of h.pieces) {
        const [rows, columns] = sizeOf(t);
        const part = n === rows ? pictures[t] : cut(pictures[t], first, n, columns);
        const [px, py, w, tall] = [x, y, columns, n].map((v) => v * box.unit);
        p.image(part, px, py, w, tall, { smooth: box.unit < 1.5 });
        const free = box.unit * (shell.header.room ?? 0);
        const name = shorter(h.names[t], w + 4, size, theme.font);
        if (!h.vector[t] && !first && name && free >= size) {
          p.text(name, px, py - size / 2 - 2, { fill: theme.soft, size, font: theme.font });
        }
      }
    }

    /** A name, or its last parts, as far as there is room. */
    function shorter(name, room, size, font) {
      const parts = name.replace(/^blocks\.|\.weight$/g, "").split(".");
      const joined = () => parts.join(parts.some((part) => part.includes(" ")) ? " " : ".");
      while (parts.length && measure(joined(), size, font) > room) parts.shift();
      return joined();
    }

    function cut(whole, first, n, columns) {
      const canvas = Object.assign(document.createElement("canvas"), { width: columns, height: n });
      canvas.getContext("2d").drawImage(whole, 0, -first);
      return canvas;
    }

    function paintOver() {
      const ctx = fit(over, box.width, box.height);
      if (!at) return;
      ctx.strokeStyle = shell.theme.accent;
      ctx.lineWidth = 2;
      for (const [t, , n, x, y] of shell.header.pieces) {
        if (t !== at.table) continue;
        const [px, py, w, tall] = [x, y, sizeOf(t)[1], n].map((v) => v * box.unit);
        ctx.strokeRect(px + 1, py - 1, w - 2, tall + 2);
      }
    }

    return {
      held: () => false,
      hold() {},
      update() {
        const { vector, names } = shell.header;
        let next = 0;
        starts = names.map((_, t) => {
          const start = next;
          next += vector[t] ? Math.max(...sizeOf(t)) : sizeOf(t)[0] * sizeOf(t)[1];
          return start;
        });
        at = null;
      },
      draw() {
        const { header: h, theme } = shell;
        const unit = Math.min(shell.width / h.width, (shell.tall - 90) / h.tall);
        box = { unit, width: h.width * unit, height: h.tall * unit };
        stage.style.width = `${box.width}px`;
        stage.style.height = `${box.height}px`;
        stage.setAttribute("aria-label", h.takeaway);
        paint(new CanvasPainter(fit(cells, box.width, box.height)));
        key.replaceChildren(...legend(scale("signed", -h.limit, h.limit, theme.mode), "a number"));
        paintOver();
        describe();
      },
      table: () => ({
        columns: ["table", "shape"],
        rows: shell.header.names.map((name, t) => [name, shape(t)]),
      }),
      picture: () => ({ ...box, paint }),
    };
  },
  `.gf-below { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; margin-top: 6px; }
.gf-below > * { margin: 0; }`,
);
