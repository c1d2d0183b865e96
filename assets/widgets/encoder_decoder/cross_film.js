// Whose query, whose keys and values: a film over the output tokens. At each step the decoder's newest token asks, and
// lines go to the source tokens that answer, as wide as their weight. Nothing asks the server.
import { mix } from "../drawing/color.js";
import { el, format, measure } from "../drawing/elements.js";
import { attentionFormula } from "../drawing/formula.js";
import { row as tableRow } from "../drawing/table.js";
import { quoted, short, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { headOf, mixture, spoken, strongest } from "./cross_film_math.js";
import { labels } from "./labels.js";

const [TOP, STEP, WIDEST] = [40, 30, 9];
const STYLE = `
.gf-stage { cursor: pointer; touch-action: pan-y pinch-zoom; }
.gf-panel table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; }
.gf-panel :is(th, td) { text-align: left; padding: 4px 8px 4px 0; border-bottom: 1px solid var(--gf-line); vertical-align: top; font-weight: 400; }
.gf-panel th { font-family: var(--st-code-font); font-weight: 700; }
.gf-panel td:nth-child(2) { font-family: var(--st-code-font); white-space: nowrap; }
.gf-said { margin: 0 0 0.6rem; min-height: 3.2em; overflow-wrap: anywhere; }
.gf-panel .gf-formula { padding-inline: 0; }
@container (min-width: 760px) { .gf-split { grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); } }
`;
export default picture(
  (h, arrays, { theme, width: room, step: at, state: { head, held }, set }) => {
    const part = headOf(arrays, head);
    const row = part.weights.row(at);
    const width = Math.min(room, 620);
    const isNarrow = width < 480;
    const size = Math.round((isNarrow ? 12 : 13) * theme.unit);
    const most = isNarrow ? 9 : 16;
    const wide = (list) => Math.ceil(Math.max(...list.map((t) => measure(short(t, most), size, theme.code)))) + 26;
    const [xLeft, xRight] = [Math.max(wide(h.rows), 92), width - Math.max(wide(h.columns), 92)];
    const middle = (i) => TOP + (i + 0.5) * STEP;
    const kept = held ?? strongest(part.weights, at);
    const bold = (text) => el("b", { translate: "no", text: visible(text) });
    const small = { fill: theme.soft, size: 12, font: theme.font };
    const names = { size, font: theme.code };

    function paintDecoder(p) {
      h.rows.forEach((text, t) => {
        if (t === at) p.rect(2, middle(t) - 11, xLeft - 2, 22, { fill: theme.accent, radius: 5 });
        const fill = t > at ? theme.soft : t === at ? theme.onAccent : theme.text;
        p.text(t > at ? "·" : short(text, most), xLeft - 10, middle(t) + 1, { ...names, fill, align: "right" });
      });
    }

    function paintEncoder(p, chosen) {
      h.columns.forEach((text, s) => {
        const look = s === chosen ? { stroke: theme.accent, width: 2 } : { stroke: theme.line, width: 1 };
        const fill = mix(theme.panel, theme.accent, 0.42 * row[s]);
        p.rect(xRight, middle(s) - 11, width - xRight - 2, 22, { fill, radius: 5, ...look });
        p.text(short(text, most), xRight + 10, middle(s) + 1, { ...names, fill: theme.text });
      });
    }

    /** Where each of the three comes from, and its size. */
    function operands() {
      const [T, S, K] = [h.rows.length, h.columns.length, part.q.shape[1]];
      const numbers = mixture(part, at).slice(0, 3).map((v) => format(v, 2)).join("  "); // prettier-ignore
      const rows = [
        ["Q", `${T} × ${K}`, labels("from_decoder", { row: at })],
        ["K", `${S} × ${K}`, labels("from_encoder")],
        ["V", `${S} × ${K}`, labels("from_encoder")],
        [labels("scores"), `${T} × ${S}`, labels("row_each")],
        [labels("out"), `${T} × ${K}`, labels("row_numbers", { row: at, numbers })],
      ];
      return el("table", {}, el("tbody", {}, ...rows.map((one) => tableRow(one))));
    }

    return {
      things: h.columns,
      size: [width, TOP + STEP * Math.max(h.rows.length, h.columns.length) + 6],
      at(x, y) {
        const i = Math.floor((y - TOP) / STEP);
        return x > xRight - 40 && i >= 0 && i < h.columns.length ? i : null;
      },
      paint(p, place) {
        p.text(labels("decoder_asks"), xLeft - 6, 10, { ...small, align: "right" });
        p.text(labels("query"), xLeft - 6, 26, { ...small, font: theme.code, align: "right" });
        const isAtEdge = xRight + 6 > width - 110;
        const [x, align] = isAtEdge ? [width - 2, "right"] : [xRight + 6, "left"];
        p.text(labels("encoder_answers"), x, 10, { ...small, align });
        p.text(labels("keys_values"), x, 26, { ...small, font: theme.code, align });
        for (const s of [...row.keys()].sort((a, b) => row[a] - row[b])) {
          const color = mix(theme.page, theme.accent, 0.25 + 0.75 * row[s]);
          const thick = row[s] > 0.004 ? Math.max(0.7, row[s] * WIDEST) : 0;
          if (thick) p.segment(xLeft, middle(at), xRight, middle(s), { color, width: thick });
        }
        paintEncoder(p, place ?? kept);
        paintDecoder(p);
      },
      said: (_, s) => [
        el(
          "p",
          { class: "gf-said" },
          ...labels.parts("said", {
            ...{ read: bold(h.rows[at]), written: bold(h.writes[at]), p: format(h.sure[at], 2) },
            most: bold(h.columns[strongest(part.weights, at)]),
          }),
        ),
        ...(h.plain
          ? []
          : [
              operands(),
              el("p", {
                class: "gf-soft",
                text: labels("score_below", { token: quoted(h.columns[s]) }),
              }),
              el(
                "div",
                { class: "gf-formula" },
                ...attentionFormula({ q: part.q, k: part.k, scale: h.scale }, at, s, row[s], h.columns.length),
              ),
            ]),
      ],
      chosen: kept,
      choose: (_, s) => set({ head, held: s === held ? null : s }),
      reset: () => set({ head, held: null }),
      keys: { ArrowLeft: null, ArrowRight: null },
      held: held !== null && [held],
      hold: ([s]) => s < h.columns.length && set({ head, held: s }),
      label: `${h.takeaway} ${labels("keys")}`,
      spoken: spoken(h, part.weights, at),
      controls: [
        {
          label: labels("head"),
          name: labels("head.told"),
          key: "head",
          options: h.heads.map((name, i) => [i, name]),
          value: head,
          change: (to) => set({ head: to, held: null }),
        },
      ],
      columns: [labels("after"), labels("writes"), ...h.columns],
      rows: h.rows.map((token, t) => [visible(token), visible(h.writes[t]), ...part.weights.row(t)]),
    };
  },
  {
    style: STYLE,
    aside: true,
    state(h, old, before) {
      if (isOther(h, before)) return { head: h.open, held: null };
      return old.head < h.heads.length ? old : { ...old, head: h.open };
    },
    steps: ({ rows, writes }) =>
      rows.map((_, i) => labels("step", { n: i + 1, all: rows.length, token: visible(writes[i]) })),
    player: {
      what: labels("output_token"),
      back: labels("one_back"),
      on: labels("one_on"),
      perSecond: 1,
      start: (h, before, at) => (isOther(h, before) ? h.start : at),
    },
  },
);

function isOther({ rows, columns }, before) {
  return JSON.stringify([rows, columns]) !== JSON.stringify([before?.rows, before?.columns]);
}
