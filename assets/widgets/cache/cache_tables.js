// The key-value cache of one head while a text is written: one row for each token read, the new one lit, and the
// weights with which the newest query reads all rows. Stepped and scrubbed in the browser.
import { scale } from "../drawing/color.js";
import { el, format, measure } from "../drawing/elements.js";
import { fitted, short } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { rowsAt, sentence } from "./cache_steps.js";
import { labels } from "./labels.js";

const STYLE = `
.gf-said { min-height: 2.9em; margin: 0 0 0.3rem; }
.gf-controls { margin: 0 0 0.4rem; }
.gf-stage { cursor: default; }
.gf.presenting .gf-head { display: none; }
`;
const shown = (token) => short(token.trim() || token);

export default picture(
  (h, arrays, { shell, theme, width, step, go }) => {
    const n = h.tokens.length - 1;
    const d = arrays.keys.shape[1];
    const { count, fresh } = rowsAt(step, h.n_prompt);
    const weights = arrays.weights.data.subarray((count - 1) * n, count * n);
    const scales = h.limits.map((limit) => scale("signed", -limit, limit, theme.mode));
    const size = Math.round(11.5 * theme.unit);
    const widest = Math.max(...h.tokens.map((token) => measure(shown(token), size, theme.code)));
    const names = Math.min(width * 0.24, widest + 12);
    const bar = Math.max(44, Math.min(150, width * 0.16));
    // As high as fits on the screen; where that is too low for the letters, every second or third row is named.
    const others = theme.unit * (theme.presenting ? 130 : 125);
    const line = Math.max(5, Math.min(size + 4, (shell.tall - others) / h.tokens.length));
    const every = Math.ceil((size + 1) / line);
    const wide = (width - names - bar - 26) / 2;
    const starts = [names + bar + 12, names + bar + 24 + wide];
    const top = size + 12;
    const said = sentence(step, h.n_prompt, h.tokens, weights);

    function paintRow(p, r) {
      const y = top + r * line;
      const middle = y + (line - 2) / 2;
      if (r >= count) {
        for (const x of starts) p.rect(x, y + 1, wide, line - 3, { stroke: theme.line, dash: [2, 3] });
        return;
      }
      const isFresh = r >= count - fresh;
      const isNear = fresh === 1 && Math.abs(r - count + 1) < every;
      if ((isFresh && fresh === 1) || (r % every === 0 && !isNear)) {
        const name = fitted(shown(h.tokens[r]), names - 10, (text) => measure(text, size, theme.code));
        const look = { fill: isFresh ? theme.accent : theme.text, weight: isFresh ? 700 : 400, align: "right" };
        p.text(name, names - 6, middle, { ...look, size, font: theme.code });
      }
      const length = weights[r] * (bar - 38);
      p.rect(names, y + 1, Math.max(0.5, length), line - 3, { fill: theme.categorical[0] });
      if (weights[r] === Math.max(...weights) || (weights[r] >= 0.1 && every === 1)) {
        const look = { fill: theme.text, size: size - 1, font: theme.code };
        p.text(format(weights[r], 2), names + length + 3, middle, look);
      }
      [arrays.keys, arrays.values].forEach(({ data }, part) => {
        for (let c = 0; c < d; c++) {
          const fill = scales[part].css(data[r * d + c]);
          p.rect(starts[part] + (c * wide) / d, y, wide / d + 0.4, line - Math.min(2, line / 8), { fill });
        }
        if (isFresh) p.rect(starts[part] - 1, y - 1, wide + 2, line, { stroke: theme.accent, width: 2 });
      });
    }

    return {
      size: [width, line * n + size + 14],
      paint(p) {
        const titles = { fill: theme.soft, size, font: theme.font };
        p.text(labels("weight"), names, 8, titles);
        ["keys", "values"].forEach((name, part) =>
          p.text(labels(wide > 150 ? `${name}.wide` : name, { n: d }), starts[part], 8, titles),
        );
        for (let r = 0; r < n; r++) paintRow(p, r);
      },
      // Rows lie below one another.
      keys: { ArrowUp: () => go(step - 1), ArrowDown: () => go(step + 1), Escape: () => go(0) },
      spoken: said,
      first: [el("div", { class: "gf-readout gf-said", text: said })],
      legends: scales.map((one, part) => [one, labels(part ? "values" : "keys"), { digits: 1 }]),
      key: [el("span", { text: labels("marks") })],
      columns: [
        ...[labels("token"), labels("weight")],
        ...["key", "value"].flatMap((name) => Array.from({ length: d }, (_, c) => labels(`column.${name}`, { i: c }))),
      ],
      rows: Array.from({ length: count }, (_, r) => [
        shown(h.tokens[r]),
        weights[r],
        ...[arrays.keys, arrays.values].flatMap(({ data }) => [...data.subarray(r * d, r * d + d)]),
      ]),
    };
  },
  {
    style: STYLE,
    steps({ tokens, n_prompt: given }) {
      const last = tokens.length - 1 - given;
      return Array.from({ length: last + 1 }, (_, i) => labels("step_of", { step: i, all: last }));
    },
    player: {
      perSecond: 2,
      start: (h, before, at) => (JSON.stringify(before?.tokens) === JSON.stringify(h.tokens) ? at : 1),
    },
  },
);
