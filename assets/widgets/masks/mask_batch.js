// A padded batch in one picture: a row of panels for each text, one panel for each mask. Hover says why a cell is
// closed.
import { el, measure } from "../drawing/elements.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { short, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { LATER, OPEN, PADDED, state, WORDS } from "./batch_cells.js";
import { labels } from "./labels.js";

const [GAP, HEAD, FOOT] = [22, 26, 10];
const STYLE = ".gf-legend canvas { border: 1px solid var(--gf-line); border-radius: 3px; }";

export default picture(
  ({ tokens, panels, lengths, panel_names: titles }, _, { shell, theme, width }) => {
    const n = tokens[0].length;
    const [nText, nPanel] = [tokens.length, panels.length];
    const size = Math.round(11 * theme.unit);
    const left = Math.ceil(Math.max(...tokens.flat().map((one) => measure(short(one, 8), size, theme.code)))) + 10;
    const wide = (width - left - GAP * (nPanel - 1) - 4) / (n * nPanel);
    const high = (shell.tall - 110 * theme.unit - HEAD - FOOT - GAP * (nText - 1)) / (n * nText);
    const cell = Math.max(7, Math.floor(Math.min(18, wide, high)));
    const title = { fill: theme.text, size: size + 1, font: theme.font, weight: 600 };
    const widest = Math.max(...titles.map((one) => 1.08 * measure(one, title.size, theme.font))); // bold
    const down = n * cell + GAP; // from panel to panel
    const right = Math.max(down, Math.min(widest + 10, (width - left - n * cell - 4) / (nPanel - 1)));
    const corner = ({ text, panel, query, key }) => [
      left + panel * right + key * cell,
      HEAD + text * down + query * cell,
    ];

    // All cells as one matrix: over the edge of a panel lies its neighbor.
    const across = nPanel * n;
    const things = Array.from({ length: nText * n * across }, (_, i) => {
      const [row, column] = [Math.floor(i / across), i % across];
      const [text, panel] = [Math.floor(row / n), Math.floor(column / n)];
      const [query, key] = [row % n, column % n];
      return { text, panel, query, key, code: state(panels[panel], lengths[text], query, key) };
    });

    /** Solid: open. Lines down: later. Lines up: padding. Both: a lattice. A sign each, so that no color is needed. */
    function sign(p, code, x, y, room) {
      const [near, far] = [2, room - 2];
      if (code === OPEN) p.rect(x + 0.5, y + 0.5, room - 1, room - 1, { fill: theme.categorical[0] });
      if (code & LATER) p.segment(x + near, y + near, x + far, y + far, { color: theme.soft });
      if (code & PADDED) p.segment(x + near, y + far, x + far, y + near, { color: theme.accent });
    }

    function names(p, text, y) {
      const every = Math.ceil((size + 1) / cell);
      tokens[text].forEach((name, t) => {
        if (t % every) return;
        const fill = t < lengths[text] ? theme.text : theme.soft;
        p.text(short(name, 8), left - 6, y + (t + 0.5) * cell, { fill, size, font: theme.code, align: "right" });
      });
    }

    const swatch = (code) => {
      const canvas = el("canvas");
      sign(new CanvasPainter(fit(canvas, 14, 14)), code, 0, 0, 14);
      return el("span", {}, canvas, WORDS[code]);
    };
    return {
      things,
      across,
      size: [left + (nPanel - 1) * right + n * cell + 2, HEAD + nText * down - GAP + FOOT],
      at(x, y) {
        const [column, row] = [x - left, y - HEAD].map((v, i) => {
          const step = i ? down : right;
          const part = Math.floor(v / step);
          const inside = Math.floor((v - part * step) / cell);
          return v >= 0 && inside < n ? part * n + inside : -1;
        });
        return row < 0 || column < 0 || row >= nText * n || column >= across ? null : row * across + column;
      },
      paint(p) {
        for (const one of things) sign(p, one.code, ...corner(one), cell);
        for (let text = 0; text < nText; text++) {
          for (let panel = 0; panel < nPanel; panel++) {
            const [x, y] = corner({ text, panel, query: 0, key: 0 });
            p.rect(x - 0.5, y - 0.5, n * cell + 1, n * cell + 1, { stroke: theme.line });
            if (!text) p.text(titles[panel], x, y - 13, title);
            if (!panel) names(p, text, y);
          }
        }
      },
      /** The same cell in all panels of this text. */
      mark(p, place) {
        for (let panel = 0; panel < nPanel; panel++) {
          const width = panel === things[place].panel ? 2.5 : 1.5;
          p.rect(...corner({ ...things[place], panel }), cell, cell, { stroke: theme.accent, width });
        }
      },
      said({ text, query, key, code }) {
        const name = (i) => `${visible(tokens[text][i])} (${i})`;
        return [labels("at_cell", { text: text + 1, query: name(query), key: name(key), state: WORDS[code] })];
      },
      hint: labels("batch_hint"),
      key: [OPEN, LATER, PADDED, LATER | PADDED].map(swatch),
      columns: [labels("text"), labels("mask"), labels("query"), ...tokens[0].map((_, s) => labels("key", { i: s }))],
      rows: tokens.flatMap((names, b) =>
        panels.flatMap((panel, p) =>
          names.map((name, t) => [
            String(b + 1),
            titles[p],
            visible(name),
            ...names.map((_, s) => WORDS[state(panel, lengths[b], t, s)]),
          ]),
        ),
      ),
    };
  },
  { style: STYLE },
);
