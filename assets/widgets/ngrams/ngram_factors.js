// The chain rule factor by factor. Pointing at a factor greys out the part of the past that it does not see.
import { readableOn, scale } from "../drawing/color.js";
import { el, format } from "../drawing/elements.js";
import { share, sized } from "../drawing/ngram_words.js";
import { row as tableRow, table } from "../drawing/table.js";
import { short, visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const RESULTS = [labels("product"), labels("log_sum"), labels("perplexity")];
const STYLE = `
.gf-factors { border-collapse: separate; border-spacing: 2px; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-factors th { font-weight: 400; padding: 3px 3px; white-space: pre; text-align: center; border-radius: 4px; unicode-bidi: isolate; }
.gf-factors tbody th { text-align: left; position: sticky; left: 0; background: var(--st-background-color); z-index: 1; white-space: nowrap; }
.gf-factors th.on, .gf-factors th.now { color: var(--gf-accent); font-weight: 700; }
.gf-factors th.now { outline: 2px solid var(--gf-accent); }
.gf-factors th.seen { background: var(--gf-wash); font-weight: 700; outline: 1.5px solid var(--gf-soft); }
.gf-factors th.unseen { color: var(--gf-soft); text-decoration: line-through; }
.gf-factors th.later { color: var(--gf-soft); }
.gf-factors td[data-i] { min-width: 2.7rem; height: 1.75rem; text-align: center; border-radius: 4px; border: 1px solid var(--gf-line); cursor: crosshair; }
.gf-factors td.zero, .gf-zero { font-weight: 700; }
.gf-factors td.zero { border: 1.5px dashed var(--gf-accent); }
.gf-zero { color: var(--gf-accent); font-family: var(--st-code-font); }
.gf-factors td.on { outline: 3px solid var(--gf-accent); }
.gf-factors .result { padding: 0 0.45rem; text-align: right; white-space: nowrap; }
.gf-factors th.result { font-family: var(--st-font); font-weight: 600; }
.gf-factors .first { font-weight: 700; }
@container (min-width: 480px) { .gf-factors .first { position: sticky; right: 0; background: var(--st-background-color); box-shadow: 6px 0 var(--st-background-color), -1px 0 var(--gf-line); z-index: 1; } }
.gf-readout { min-height: 3.2em; }
`;

export default picture(
  (h, arrays, { theme, state: pinned, set }) => {
    const n = h.tokens.length;
    const color = scale("probability", 0, 1, theme.mode);
    const things = Array.from(arrays.p.data, (p, i) => {
      return { p, r: Math.floor(i / n), c: i % n, past: arrays.n_context.data[i] };
    });
    const kept = pinned < things.length ? pinned : null;
    const results = h.plain ? RESULTS.slice(0, 1) : RESULTS;
    const ends = (r) =>
      [h.products[r], h.log_sums[r] ?? -Infinity, h.perplexities[r] ?? Infinity].slice(0, results.length);
    const result = (tag) => (text, i) =>
      el(tag, { class: `result${i ? "" : " first"}`, text, scope: tag === "th" ? "col" : null });

    /** Light the past that a factor sees; strike out what it doesn't see. */
    function stands(column, at) {
      if (!at || column === at.c) return at ? "now" : "";
      return column > at.c ? "later" : column >= at.c - at.past ? "seen" : "unseen";
    }

    /** The sentence on a factor: how many tokens before it the model sees, and how many don't count. */
    function sentence({ r, c, past }) {
      const bold = {
        row: el("b", { translate: "no", text: h.rows[r] }),
        token: el("b", { translate: "no", text: visible(h.tokens[c]) }),
      };
      const values = { ...bold, place: c + 1, past, before: c };
      if (!c) return labels.parts("factor.first", values);
      if (!past) return labels.parts("factor.alone", values);
      return past < c
        ? labels.parts("factor.part", { ...values, n: c - past })
        : labels.parts("factor.all", { ...values, n: c });
    }

    return {
      things,
      across: n,
      layout: "gf-scroll gf-factor-stage",
      draw({ p }) {
        const look = p ? `background: ${color.css(p)}; color: ${readableOn(color.css(p))}` : null;
        return el("td", { text: share(p), class: p ? null : "zero", style: look });
      },
      arrange: (cells) => [
        table(
          [
            labels("order"),
            ...h.tokens.map((token) =>
              el("th", { scope: "col", title: visible(token), translate: "no", text: short(token, 14) }),
            ),
            ...results.map(result("th")),
          ],
          h.rows.map((name, r) =>
            tableRow([
              name,
              ...cells.slice(r * n, (r + 1) * n),
              ...ends(r)
                .map((v, i) => (i === 1 ? format(v, 1) : sized(v)))
                .map(result("td")),
            ]),
          ),
          { class: "gf-factors" },
        ),
      ],
      mark(stage, place) {
        const at = things[place ?? kept];
        const [, ...heads] = stage.querySelectorAll("thead th");
        heads.slice(0, n).forEach((head, c) => (head.className = stands(c, at)));
        stage.querySelectorAll("tbody th").forEach((name, r) => name.classList.toggle("on", r === at?.r));
        stage.querySelectorAll("td[data-i]").forEach((cell, i) => cell.classList.toggle("on", things[i] === at));
      },
      said: (one) => [el("div", {}, ...sentence(one)), el("div", { text: h.details[one.r][one.c] })],
      hint: labels("factors_hint"),
      chosen: kept,
      choose: (_, i) => set(i),
      reset: () => kept !== null && set(null),
      held: kept !== null && [things[kept].r, things[kept].c],
      hold: ([r, c]) => r < h.rows.length && c < n && set(r * n + c),
      legends: [[color, labels("factor")]],
      key: [el("span", {}, el("span", { class: "gf-zero", text: "0" }), labels("impossible"))],
      columns: [
        labels("order"),
        ...h.tokens.map(visible),
        labels("product"),
        labels("log_sum_nats"),
        labels("perplexity"),
      ],
      rows: h.rows.map((name, r) => [
        name,
        ...things.slice(r * n, (r + 1) * n).map(({ p }) => sized(p)),
        ...[h.products[r], h.log_sums[r] ?? -Infinity, h.perplexities[r] ?? Infinity].map(sized),
      ]),
    };
  },
  { style: STYLE, state: (_, old = null) => old },
);
