// A vector on its way through a block: a strip of cells for each stage, its length as a bar; one number is followed
// through all strips under the pointer or with the arrow keys.
import { scale } from "../drawing/color.js";
import { el, format, measure } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { sums } from "./strip_sums.js";
import { labels } from "./labels.js";

const [HIGH, GAP, BAR, NARROW] = [20, 8, 92, 620]; // for letters of 12 px; narrow: names stand above

export default picture(
  (h, { values }, { theme, width, state: pinned, set }) => {
    const n = values.shape[1];
    const numbers = Array.from({ length: n }, (_, c) => h.names.map((_, r) => values.data[r * n + c]));
    const scales = h.limits.map((limit) => scale("signed", -limit, limit, theme.mode));
    const size = Math.round(12 * theme.unit);
    const isAbove = width < NARROW;
    const widest = Math.max(...h.names.map((name) => measure(name, size, theme.font)));
    const left = isAbove ? 1 : Math.ceil(widest * 1.1) + 12;
    const high = Math.round((HIGH / 12) * size); // a row is as high for its letters on a slide as on a page
    const step = isAbove ? high + size + GAP + 4 : high + GAP;
    const bar = Math.min(BAR, width * 0.16);
    const number = Math.ceil(measure("000.0", size, theme.code)) + 6;
    const wide = Math.max(40, width - left - bar - number - 12);
    const top = size + 8;
    const height = top + step * h.names.length;
    const kept = pinned < n ? pinned : null;
    const ring = (p, c, dash) =>
      p.rect(left + (c * wide) / n - 1, top - 3, Math.max(wide / n, 2) + 2, height - top + 1, {
        stroke: theme.accent,
        width: 2,
        dash,
      });

    function paintRow(p, r) {
      const y = top + r * step + (isAbove ? size + 4 : 0);
      const text = { size, font: theme.font };
      const ink = { ...text, fill: h.sums[r] ? theme.text : theme.soft, weight: h.kind[r] === 0 ? 600 : 400 };
      if (isAbove) p.text(h.names[r], 0, y - size / 2 - 2, ink);
      else p.text(h.names[r], left - 9, y + high / 2, { ...ink, align: "right" });
      numbers.forEach((one, c) =>
        p.rect(left + (c * wide) / n, y, wide / n + 0.4, high, { fill: scales[h.range[r]].css(one[r]) }),
      );
      p.rect(left - 0.5, y - 0.5, wide + 1, high + 1, { stroke: theme.line });
      const [x, share] = [left + wide + 10, h.lengths[r] / Math.max(...h.lengths, 1e-9)];
      const fill = theme.categorical[h.kind[r] % theme.categorical.length];
      p.rect(x, y + 4, Math.max(1, share * bar), high - 8, { fill, radius: 2 });
      const look = { fill: theme.text, size, font: theme.code, align: "right" };
      p.text(format(h.lengths[r], 1), x + bar + number, y + high / 2 + 0.5, look);
    }

    const part = ({ text, number: value }) =>
      value === undefined ? el("span", { class: "gf-hint", text }) : el("b", { text: format(value, 3) });
    return {
      things: numbers,
      size: [width, height],
      at(x) {
        const c = Math.floor(((x - left) / wide) * n);
        return c >= 0 && c < n ? c : null;
      },
      paint(p, place = null) {
        const soft = { fill: theme.soft, size, font: theme.font };
        p.text(labels("numbers", { n }), left, 1 + size / 2, soft);
        p.text(labels("length"), left + wide + 10, 1 + size / 2, soft);
        h.names.forEach((_, r) => paintRow(p, r));
        if (kept !== null) ring(p, kept, [4, 3]);
        if (place !== null) ring(p, place, []);
      },
      mark: (p, place) => ring(p, place, []),
      said: (one, c) => [
        el("div", { class: "gf-hint", text: labels("number_of_vectors", { number: c }) }),
        ...sums(one, h).map((line) => el("div", {}, ...line.map(part))),
      ],
      hint: labels("strips_hint"),
      chosen: kept,
      choose: (_, c) => set(c),
      reset: () => set(null),
      held: kept !== null && [kept],
      hold: ([c]) => c < n && set(c),
      legends: h.ranges.map((name, i) => [scales[i], name, { digits: 1 }]),
      columns: [labels("number"), ...h.names],
      row: (one, c) => [String(c), ...one],
    };
  },
  {
    style: ".gf-readout { min-height: 5.2em; } .gf-readout div { margin-bottom: 0.15rem; }",
    state: (_, pinned = null) => pinned,
  },
);
