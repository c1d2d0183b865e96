// Every number of a model as a dot of color, table by table; the pointer or the arrow keys tell which table it is.
import { raster, scale } from "../drawing/color.js";
import { el, format, grouped, measure } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const BELOW = 90; // css pixels of what stands under the picture

export default picture((h, { levels }, { shell, theme, width }) => {
  const { names, sizes, pieces, vector, turned, tokens, limit } = h;
  const unit = Math.min(width / h.width, (shell.tall - BELOW) / h.tall);
  const colors = scale("signed", -limit, limit, theme.mode);
  const shape = (t) => h.shapes[t].map(grouped).join(" × ") || labels("one_number");
  // A table that is a vector is drawn thick, and was sent as one line.
  const counts = sizes.map(([rows, columns], t) => (vector[t] ? Math.max(rows, columns) : rows * columns));
  const starts = counts.map((_, t) => counts.slice(0, t).reduce((sum, n) => sum + n, 0));
  const tableOf = (place) => starts.findLastIndex((start) => start <= place);
  const indexOf = (t, row, column) => {
    const [rows, columns] = sizes[t];
    return starts[t] + (!vector[t] ? row * columns + column : rows < columns ? column : row);
  };
  const walk = (by) => (place) =>
    starts[Math.max(0, Math.min(names.length - 1, place === null ? 0 : tableOf(place) + by))];

  /** Each table once, a pixel for each number. */
  const drawn = names.map((_, t) => {
    const [rows, columns] = sizes[t];
    const level = (i) => levels.data[indexOf(t, Math.floor(i / columns), i % columns)];
    return raster(columns, rows, colors.rgb, (i) => Math.round((level(i) / 254) * 255));
  });

  /** A name, or its last parts, as far as there is room. */
  function shorter(name, room, size) {
    const parts = name.replace(/^blocks\.|\.weight$/g, "").split(".");
    const joined = () => parts.join(parts.some((part) => part.includes(" ")) ? " " : ".");
    while (parts.length && measure(joined(), size, theme.font) > room) parts.shift();
    return joined();
  }

  return {
    things: levels.data,
    size: [h.width * unit, h.tall * unit],
    at(px, py) {
      const [x, y] = [px / unit, py / unit];
      const piece = pieces.find(
        ([t, , n, left, top]) => x >= left && x < left + sizes[t][1] && y >= top && y < top + n,
      );
      if (!piece) return null;
      const [t, first, , left, top] = piece;
      return indexOf(t, first + Math.floor(y - top), Math.floor(x - left));
    },
    paint(p) {
      const size = Math.round(11 * theme.unit);
      for (const [t, first, n, x, y] of pieces) {
        const wide = sizes[t][1] * unit;
        p.image(drawn[t], x * unit, y * unit, wide, n * unit, { smooth: unit < 1.5, rows: [first, n] });
        const name = shorter(names[t], wide + 4, size);
        if (!vector[t] && !first && name && unit * (h.room ?? 0) >= size) {
          p.text(name, x * unit, y * unit - size / 2 - 2, { fill: theme.soft, size, font: theme.font });
        }
      }
    },
    mark(p, place) {
      const table = tableOf(place);
      for (const [t, , n, x, y] of pieces.filter(([t]) => t === table)) {
        const look = { stroke: theme.accent, width: 2 };
        p.rect(x * unit + 1, y * unit - 1, sizes[t][1] * unit - 2, n * unit + 2, look);
      }
    },
    keys: {
      ArrowRight: walk(1),
      ArrowDown: walk(0),
      ArrowLeft: walk(-1),
      ArrowUp: walk(0),
      Home: () => 0,
      End: () => starts.at(-1),
    },
    said(level, place) {
      const t = tableOf(place);
      const [rows, columns] = sizes[t];
      const [row, column] = [Math.floor((place - starts[t]) / columns), (place - starts[t]) % columns];
      const hasTokens = !vector[t] && (turned[t] ? columns : rows) === tokens.length;
      const sign = level === 0 ? "≤ " : level === 254 ? "≥ " : "≈ ";
      return [
        el("b", { text: names[t] }),
        el("span", { class: "gf-mono", text: ` ${shape(t)} ` }),
        hasTokens ? ` “${tokens[turned[t] ? column : row]}” ` : "",
        el("span", { class: "gf-mono", text: ` ${sign}${format(((level - 127) / 127) * limit, 2)}` }),
      ];
    },
    hint: labels("hint"),
    legends: [[colors, labels("number")]],
    held: false,
    columns: [labels("table"), labels("shape")],
    rows: names.map((name, t) => [name, shape(t)]),
  };
});
