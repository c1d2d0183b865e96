// Tensors that were watched in a training: maps, histograms, or one number of each over the steps. Nothing asks the
// server; the film of the same run goes to the same step.
import { grouped } from "../page/numbers.js";
import { el } from "../drawing/elements.js";
import { quoted } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { Lines } from "./watch_lines.js";
import { brief, mapsOf, valueOf } from "./watch_math.js";
import { cellAt, laidOut, paintHistograms, paintMaps, tileAt } from "./watch_tiles.js";

const SVG = "http://www.w3.org/2000/svg";
const STYLE = `
.gf-legend svg { width: 26px; height: 8px; overflow: visible; }
.gf-legend span { font-family: var(--st-code-font); }
.gf-stage { touch-action: pan-y pinch-zoom; }
`;

/** What a color and a dash mean. */
function sign({ text, color, dash }) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "line");
  const look = { x1: 0, x2: 26, y1: 4, y2: 4, stroke: color, "stroke-width": 2, "stroke-dasharray": dash.join(" ") };
  for (const [name, value] of Object.entries(look)) line.setAttribute(name, String(value));
  svg.append(line);
  return el("span", {}, svg, el("span", { text }));
}

const row = ({ steps, tensors }, { data }, k) => steps.map((_, i) => data[i * tensors.length + k]);

/** One number of each: a line for each tensor. A place is a line, or none of them, at a step. */
function chart(h, arrays, { shell, theme, width, step, go }) {
  const rows = h.tensors.map((_, k) => row(h, arrays[h.measure], k));
  const kept = h.tensors.map((_, k) => k).filter((k) => rows[k].some(Number.isFinite));
  const height = Math.round(Math.min(340 * theme.unit, Math.max(220, shell.tall - 110)));
  const lines = new Lines();
  lines.set({
    names: kept.map((k) => h.tensors[k].name),
    rows: kept.map((k) => rows[k]),
    steps: h.steps,
    width,
    height,
    theme,
    isShare: h.measure === "silent",
    reference: h.measure === "ratio" ? { value: 0.001, label: labels("thousandth") } : null,
  });
  const n = kept.length;
  const isLine = (line) => line !== undefined && line < n;
  const walk = (by) => (place) => step * (n + 1) + (place === null ? 0 : (((place + by) % (n + 1)) + n + 1) % (n + 1));
  return {
    things: h.steps.flatMap((_, frame) => Array.from({ length: n + 1 }, (__, line) => ({ frame, line }))),
    size: [width, height],
    at: (x, y) => lines.nearest(x) * (n + 1) + (lines.lineAt(step, y) ?? n),
    paint: (p, place) => lines.paint(p, step, place === null || place % (n + 1) === n ? null : place % (n + 1)),
    keys: { ArrowDown: walk(1), ArrowUp: walk(-1), ArrowLeft: null, ArrowRight: null, Home: null, End: null },
    said: ({ line }) =>
      isLine(line)
        ? [el("b", { text: lines.names[line] }), ` ${brief(lines.rows[line][step])}`]
        : [el("span", { class: "gf-hint", text: labels("hint") })],
    follows: true,
    choose: ({ frame }) => go(frame),
    key: lines.legend().map(sign),
  };
}

/** Maps, or histograms: a tile for each tensor. A place is a cell of a map, or a histogram. */
function tiled(h, arrays, { theme, width, step }) {
  const { tiles, height } = laidOut(h.view, h.tensors, width, theme);
  const given = { tensors: h.tensors, frame: step, tiles, theme };
  const numberAt = (name, k) => arrays[name].data[step * h.tensors.length + k];
  if (h.view === "histogram") {
    const { histogram, low, high } = arrays;
    const all = { histogram: histogram.data, low: low.data, high: high.data, nBin: histogram.shape[2] };
    return {
      things: h.tensors,
      size: [width, height],
      at: (x, y) => tileAt(tiles, x, y)?.k ?? null,
      paint: (p) => paintHistograms(p, { ...given, ...all }),
      said({ name }, k) {
        const told = ["mean", "deviation", "low", "high"].map((one) => `${h.measures[one]} ${brief(numberAt(one, k))}`);
        return [el("b", { text: name }), ` ${told.join(", ")}`];
      },
      hint: labels("histogram_hint"),
    };
  }
  const cells = h.tensors.flatMap(({ maps: [m, r, c] }, k) => Array.from({ length: m * r * c }, (_, i) => ({ k, i })));
  const starts = h.tensors.map((_, k) => cells.findIndex((one) => one.k === k));
  return {
    things: cells,
    size: [width, height],
    at(x, y) {
      const cell = cellAt(tiles, h.tensors, x, y);
      if (!cell) return null;
      const [, r, c] = h.tensors[cell.k].maps;
      return starts[cell.k] + (cell.map * r + cell.row) * c + cell.column;
    },
    paint: (p) => paintMaps(p, { ...given, levels: arrays.levels.data, limits: arrays.limit.data }),
    mark: () => {},
    said({ k, i }) {
      const tensor = h.tensors[k];
      const [m, r, c] = tensor.maps;
      const value = valueOf(mapsOf(arrays.levels.data, tensor, step)[i], numberAt("limit", k), tensor.signed);
      const [y, x] = [(Math.floor(i / c) % r) * tensor.stride[1], (i % c) * tensor.stride[2]];
      const where = tensor.tokens
        ? labels("token_reads", { query: quoted(h.tokens[y]), key: quoted(h.tokens[x]) })
        : labels("at_cell", { row: y, column: x });
      return [
        el("b", { text: tensor.name }),
        m > 1 ? ` ${tensor.each} ${Math.floor(i / (r * c))}` : "",
        ` ${where}: ${brief(value)}`,
      ];
    },
  };
}

export default picture(
  (h, arrays, at) => ({
    hint: labels("hint"),
    keys: { ArrowLeft: null, ArrowRight: null, ArrowUp: null, ArrowDown: null, Home: null, End: null },
    ...(h.view === "time" ? chart : tiled)(h, arrays, at),
    columns: [labels("tensor"), ...h.steps.map((step) => labels("step", { step }))],
    rows: h.tensors.map((one, k) => [one.name, ...row(h, arrays[h.measure], k).map(brief)]),
  }),
  {
    style: STYLE,
    steps: ({ steps }) => steps.map((step) => labels("step", { step: grouped(step) })),
    player: { what: labels("training_step"), perSecond: 8, speeds: true },
  },
);
