// The logit lens: layers down, positions across, in each cell the token that the layer would say. With several frames,
// a film over a training. Nothing asks the server.
import { grouped } from "../page/numbers.js";
import { readableOn, scale } from "../drawing/color.js";
import { chance, clamp, el, measure } from "../drawing/elements.js";
import { fitted, short } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { bestRank, cellAt, wordFor } from "./lens_math.js";
import { TOP_STYLE, topTokens } from "./top_tokens.js";

const STYLE = `${TOP_STYLE}
.gf-readout { display: flex; flex-wrap: wrap; gap: 0.4rem 1.4rem; align-items: baseline; font-family: var(--st-font); }
.gf-readout > span { flex: 1 1 240px; }
.gf-top { flex: 1 1 340px; }
`;
const LINE = [30, 44]; // of a row of cells, at least and at most
const AROUND = 300; // what stands above and below the cells
const WORD = 7; // letters of a token that are shown in any case
const TOP = 44;

export default picture(
  (h, arrays, { shell, theme, width, step, state, set }) => {
    const { by, pinned } = state;
    const { unit } = theme;
    const [nRow, n] = [h.rows.length, h.tokens.length];
    const cells = Array.from({ length: nRow * n }, (_, i) => cellAt(arrays, step, Math.floor(i / n), i % n));
    const names = Math.max(...h.rows.map((text) => measure(text, 11 * unit, theme.font)));
    const left = Math.ceil(Math.min(names + 10, width < 480 ? 84 : 170));
    const column = clamp(Math.floor((width - left - 4) / n), Math.round(43 * unit), Math.round(112 * unit));
    const letters = clamp((column - 5) / (WORD * (measure("m", 100, theme.code) / 100)), 10 * unit, 12 * unit);
    const line = clamp((shell.tall / unit - AROUND) / nRow, ...LINE) * unit;
    const [top, wide] = [TOP * unit, left + n * column + 2];
    const colors = scale("probability", 0, 1, theme.mode);
    // Before a click the last cell but one is told of, or where a narrow screen begins.
    const first = (nRow - 1) * n + (wide > width + 4 ? 0 : Math.max(0, n - 2));
    const kept = pinned !== null && pinned < cells.length ? pinned : first;
    const x = (c) => left + (c + 0.5) * column;
    const font = { font: theme.code, size: letters, align: "center" };
    const soft = { fill: theme.soft, size: 11 * unit, font: theme.font };
    const cut = (text, room, { size, font: face }, most = 14) =>
      fitted(most ? short(text, most) : text, room, (one) => measure(one, size, face));

    function paintCell(p, one, i) {
      const [cx, y] = [x(i % n), top + Math.floor(i / n) * line];
      const box = (inset, look) =>
        p.rect(cx - column / 2 + inset, y + inset, column - 2 * inset, line - 2 * inset, { radius: 3, ...look });
      const fill = colors.css(by === "rank" ? bestRank(one.rank) : one.top[0][1]);
      box(1, { fill });
      const text = by === "rank" ? (one.rank ? `${one.rank}` : "–") : cut(h.words[one.top[0][0]], column - 4, font);
      p.text(text, cx, y + line / 2 + 0.5, { ...font, fill: readableOn(fill) });
      if (one.rank === 1) box(2.5, { stroke: theme.truth, width: 2 });
    }

    return {
      things: cells,
      across: n,
      size: [wide, (TOP + 36) * unit + line * nRow],
      at(px, py) {
        const [c, r] = [(px - left) / column, (py - top) / line].map(Math.floor);
        return r >= 0 && r < nRow && c >= 0 && c < n ? r * n + c : null;
      },
      paint(p, place) {
        const at = place ?? kept;
        const [row, col] = [Math.floor(at / n), at % n];
        p.text(labels("has_read"), 2, 12 * unit, soft);
        h.tokens.forEach((token, c) => {
          const look = c === col ? { fill: theme.accent, weight: 700 } : { fill: theme.text };
          p.text(cut(token, column - 4, font), x(c), 26 * unit, { ...font, ...look });
        });
        h.rows.forEach((name, r) => {
          const fill = r === row ? theme.accent : theme.soft;
          p.text(cut(name, left - 10, soft, 0), 2, top + (r + 0.5) * line, { ...soft, fill });
        });
        cells.forEach((one, i) => paintCell(p, one, i));
        const ring = { stroke: theme.accent, width: 2.5, radius: 3 };
        p.rect(left + col * column, top + row * line, column, line, ring);
        const below = top + nRow * line + 16 * unit;
        p.text(labels("came_next"), 2, below, soft);
        [...h.tokens.slice(1), null].forEach((token, c) => {
          const text = token === null ? "?" : cut(token, column - 4, font);
          p.text(text, x(c), below, { ...font, fill: theme.truth });
        });
      },
      said({ top: pairs, rank, truth }, i) {
        const words = wordFor(
          h.rows[Math.floor(i / n)],
          h.tokens[i % n],
          { rank, truth },
          h.tokens[(i % n) + 1] ?? null,
        );
        const told = [el("span", { text: words })];
        if (h.steps.length > 1 && theme.presenting) return told;
        const tops = pairs.map(([id, share]) => [h.words[id], share]);
        const place = rank && rank <= tops.length ? rank - 1 : -1;
        return [...told, topTokens(tops, { truth: place, color: theme.categorical[0] })];
      },
      chosen: kept,
      follows: true,
      choose: (_, i) => set({ by, pinned: i }),
      reset: () => set({ by, pinned: null }),
      held: pinned !== null && [Math.floor(pinned / n), pinned % n],
      hold: ([r, c]) => r < nRow && c < n && set({ by, pinned: r * n + c }),
      label: `${h.takeaway} ${labels("lens_keys")}`,
      controls: [
        {
          label: labels("color_by"),
          key: "color_by",
          options: [
            ["probability", labels("color_by.probability")],
            ["rank", labels("color_by.rank")],
          ],
          asButtons: true,
          value: by,
          change: (to) => set({ by: to, pinned }),
        },
      ],
      legends: [[colors, labels(by === "rank" ? "legend.rank" : "probability"), { truth: labels("truth_first") }]],
      columns: [labels("layer"), ...h.tokens.map((token, c) => `${c} ${token}`)],
      rows: h.rows.map((name, r) => [
        name,
        ...cells.slice(r * n, (r + 1) * n).map(({ top: [[id, share]], rank }) => {
          return labels("lens_cell", { token: short(h.words[id]), p: chance(share, 2), rank: rank || "–" });
        }),
      ]),
    };
  },
  {
    style: STYLE,
    state(h, old, before) {
      const isSame =
        JSON.stringify([before?.tokens, before?.rows?.length]) === JSON.stringify([h.tokens, h.rows.length]);
      return { by: old?.by ?? "probability", pinned: isSame ? old.pinned : null };
    },
    steps({ steps, notes }) {
      if (steps.length < 2) return [];
      const told = (one, note) => labels(note ? "step.noted" : "step", { step: grouped(one), note });
      return steps.map((one, i) => told(one, notes[i]));
    },
    player: { what: labels("training_step"), unit: labels("frame") },
  },
);
