// Which token goes to which expert: a flow from kinds of tokens to experts, and a text below it, over a training.
import { grouped } from "../page/numbers.js";
import { readableOn } from "../drawing/color.js";
import { el } from "../drawing/elements.js";
import { quoted, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { columns, ribbons, spread } from "./flow_math.js";
import { labels } from "./labels.js";

const [GAP, BAR, LEAST, MOST] = [7, 12, 190, 290];
const STYLE = `
.gf-routed { display: flex; flex-wrap: wrap; margin-top: 6px; align-items: baseline; gap: 1px 0; }
.gf-routed b { flex-basis: 100%; font-size: 0.75rem; font-weight: 550; color: var(--gf-soft); margin-top: 3px; }
.gf-routed span { font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.35; min-width: 1.15em; text-align: center; white-space: pre; }
.gf-routed .off { opacity: 0.25; }
.gf-routed .on { outline: 2px solid var(--gf-accent); }
`;

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const characters = (text) => [...text].map(visible).join(" ");
const percent = (part, whole) => `${whole ? Math.round((100 * part) / whole) : 0}%`;

export default picture(
  (h, arrays, { shell, theme, width, step }) => {
    const height = Math.max(LEAST, Math.min(MOST, shell.tall - 330));
    const isNarrow = width < 520;
    const [before, after] = isNarrow ? [84, 66] : theme.presenting ? [190, 150] : [160, 124];
    const [left, right] = [before, width - after - BAR];
    const [nRow, n] = [h.rows.length, h.n_expert];
    const start = step * nRow * n;
    const counts = h.rows.map((_, row) => [...arrays.counts.data.subarray(start + row * n, start + (row + 1) * n)]);
    const shares = Array.from({ length: n }, (_, e) => sum(counts.map((one) => one[e])));
    const all = sum(shares);
    const nodes = columns(counts, height, GAP);
    const color = (expert) => theme.categorical[expert % theme.categorical.length];
    const things = [
      ...h.rows.map((name, row) => ({ name, row })),
      ...shares.map((_, expert) => ({ expert })),
      ...h.characters.map((character, i) => ({ character, expert: arrays.text.data[step * h.characters.length + i] })),
    ];
    const letters = things.slice(nRow + n).map(({ character, expert }, i) =>
      el("span", {
        translate: "no",
        text: visible(character),
        title: labels("expert", { i: expert + 1 }),
        style: `background: ${color(expert)}; color: ${readableOn(color(expert))}`,
        "data-i": nRow + n + i,
      }),
    );
    const each = letters.length / h.titles.length;

    return {
      things,
      walked: nRow + n,
      size: [width, height],
      at(x, y) {
        const side = x > width / 2 ? 1 : 0;
        const which = nodes[side].findIndex(([top, tall]) => y >= top - GAP / 2 && y <= top + tall + GAP / 2);
        return which < 0 ? null : which + side * nRow;
      },
      paint(p, place) {
        const marked = things[place];
        for (const one of ribbons(counts, nodes, left + BAR, right)) {
          const isOn = !marked || (marked.name ? one.row === marked.row : one.expert === marked.expert);
          p.path(one.outline, { fill: color(one.expert), opacity: isOn ? 0.5 : 0.08 });
        }
        const [code, most] = [{ font: theme.code, weight: 600 }, h.experts[step]];
        const look = { size: theme.presenting ? 16 : 13, font: theme.font, fill: theme.text };
        const beside = nodes.map((side) => {
          const middles = side.map(([top, tall]) => top + tall / 2);
          return spread(middles, look.size + 5, height - look.size / 2);
        });
        nodes[0].forEach(([top, tall], row) => {
          p.rect(left, top, BAR, Math.max(1, tall), { fill: theme.soft });
          const sample = isNarrow ? "" : characters(h.samples[row] ?? "");
          p.text(sample, left - 8, beside[0][row], { ...look, ...code, align: "right" });
          p.text(h.rows[row], left - (sample ? 62 : 8), beside[0][row], { ...look, align: "right" });
        });
        nodes[1].forEach(([top, tall], expert) => {
          p.rect(right, top, BAR, Math.max(1, tall), { fill: color(expert) });
          const said = isNarrow ? `${expert + 1}` : labels("expert", { i: expert + 1 });
          const y = beside[1][expert];
          p.segment(right + BAR, top + tall / 2, right + BAR + 8, y, { color: theme.soft, width: 1 });
          p.text(said, right + BAR + 11, y, look);
          p.text(characters(most[expert]), width, y, { ...look, ...code, align: "right" });
        });
        letters.forEach((letter, i) => {
          const { expert } = things[nRow + n + i];
          letter.classList.toggle("off", marked?.expert !== undefined && expert !== marked.expert);
          letter.classList.toggle("on", place === nRow + n + i);
        });
      },
      said({ name, row, character, expert }) {
        if (name) {
          const best = counts[row].indexOf(Math.max(...counts[row]));
          const share = percent(counts[row][best], sum(counts[row]));
          return labels.parts("most_to", { kind: el("b", { text: name }), i: best + 1, share });
        }
        const got = counts.map((one) => one[expert]);
        const most = h.kinds[got.indexOf(Math.max(...got))];
        return [
          character === undefined ? "" : `${quoted(character)} → `,
          ...labels.parts("expert_gets", {
            expert: el("b", { text: labels("expert", { i: expert + 1 }) }),
            ...{ share: percent(shares[expert], all), kind: most },
          }),
        ];
      },
      sentence: [h.sentence],
      hint: h.hint,
      below: letters.length
        ? [
            el(
              "div",
              { class: "gf-routed", "aria-hidden": "true" },
              ...h.titles.flatMap((title, i) => [el("b", { text: title }), ...letters.slice(i * each, (i + 1) * each)]),
            ),
          ]
        : undefined,
      columns: [labels("tokens"), ...shares.map((_, e) => labels("expert", { i: e + 1 }))],
      rows: counts.map((one, row) => [h.rows[row], ...one]),
    };
  },
  {
    style: STYLE,
    steps: ({ steps }) => steps.map((one) => labels("step", { step: grouped(one) })),
    player: {
      what: labels("training_step"),
      start: (h, before, at) => (before?.steps?.length === h.steps.length ? at : Infinity),
    },
  },
);
