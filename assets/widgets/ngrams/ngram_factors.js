// The chain rule factor by factor. Pointing at a factor greys out the part of the past that it does not see.
import { define } from "../drawing/base.js";
import { el, format } from "../drawing/elements.js";
import { cursorKeys, mouseLeaves } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { readableOn, scale } from "../drawing/color.js";
import { share, sized } from "../drawing/ngram_words.js";
import { quoted, short, visible } from "../drawing/tokens.js";

const RESULTS = ["product", "sum of ln p", "perplexity"];
const RESULT_WIDE = 92; // in the downloaded picture

export default define(
  (shell) => {
    const table = el("table", { class: "gf-factors" });
    const stage = el("div", { class: "gf-scroll gf-factor-stage", tabindex: 0, role: "img" }, table);
    const readout = el("div", { class: "gf-readout gf-two" });
    const key = el("div", { class: "gf-legend" });
    shell.body.append(stage, readout, key);
    let at = null;
    let pinned = null;
    let heads = [];
    let cells = [];
    let names = [];

    const place = (event) => {
      const cell = event.target.closest?.("td[data-r]");
      return cell ? [Number(cell.dataset.r), Number(cell.dataset.c)] : null;
    };
    stage.addEventListener("pointerover", (event) => hover(place(event)));
    mouseLeaves(stage, () => hover(null));
    stage.addEventListener("click", (event) => {
      const here = place(event);
      if (here) {
        pinned = here;
        mark();
      }
    });
    cursorKeys(stage, {
      size: () => [shell.header.rows.length, shell.header.tokens.length],
      get: () => at ?? pinned,
      move: (to) => {
        hover(to);
        cells[to[0]][to[1]].scrollIntoView({ block: "nearest", inline: "nearest" });
        shell.say(sentence(to));
      },
      choose: (here) => {
        pinned = here;
        mark();
        shell.say(`Kept: ${sentence(here)}`);
      },
      reset: () => {
        pinned = null;
        at = null;
        mark();
      },
    });

    const results = () => (shell.header.plain ? RESULTS.slice(0, 1) : RESULTS);
    const value = ([r, c]) => shell.arrays.p.data[r * shell.header.tokens.length + c];
    const context = ([r, c]) => shell.arrays.n_context.data[r * shell.header.tokens.length + c];

    function sentence([r, c]) {
      const h = shell.header;
      const n = context([r, c]);
      const seen = h.tokens
        .slice(c - n, c)
        .map((t) => quoted(t))
        .join(" ");
      return `${h.rows[r]}, token ${quoted(h.tokens[c])}, ${n ? `looks at ${seen}` : "looks at nothing"}: ${h.details[r][c]}`;
    }

    function hover(to) {
      if (String(to) === String(at)) return;
      at = to;
      mark();
    }

    /** Light the factor, its token and the past it sees; grey out the past it does not see. */
    function mark() {
      const here = at ?? pinned;
      const n = here ? context(here) : 0;
      heads.forEach((head, c) => {
        const inPast = here && c < here[1];
        head.className = !here
          ? ""
          : c === here[1]
            ? "now"
            : inPast && c >= here[1] - n
              ? "seen"
              : inPast
                ? "unseen"
                : "later";
      });
      cells.forEach((row, r) =>
        row.forEach((cell, c) => cell.classList.toggle("on", Boolean(here) && here[0] === r && here[1] === c)),
      );
      names.forEach((name, r) => name.classList.toggle("on", Boolean(here) && here[0] === r));
      if (!here) {
        readout.replaceChildren(
          el("span", {
            class: "gf-hint",
            text: "Point at a factor or use the arrow keys: the past it sees lights up, the rest is struck out. Click to keep it, Esc to let go.",
          }),
        );
        return;
      }
      const [r, c] = here;
      const h = shell.header;
      const skipped = c - n;
      readout.replaceChildren(
        el(
          "div",
          {},
          el("b", { text: h.rows[r] }),
          `: token ${c + 1}, `,
          el("b", { text: visible(h.tokens[c]) }),
          n
            ? `, after ${n} of the ${c} token${c === 1 ? "" : "s"} before it`
            : c
              ? `, after none of the ${c} tokens before it`
              : ", the first one: nothing stands before it",
          skipped && n ? `; the other ${skipped} ${skipped === 1 ? "doesn't" : "don't"} count` : "",
        ),
        el("div", { text: h.details[r][c] }),
      );
    }

    function build() {
      const h = shell.header;
      heads = h.tokens.map((token) => el("th", { scope: "col", title: visible(token), text: short(token, 14) }));
      names = h.rows.map((name) => el("th", { scope: "row", text: name }));
      cells = h.rows.map((_, r) => h.tokens.map((_, c) => el("td", { "data-r": r, "data-c": c })));
      const last = (text, i) => el("th", { scope: "col", class: `result${i ? "" : " first"}`, text });
      const ends = (r) =>
        [h.products[r], h.log_sums[r] ?? -Infinity, h.perplexities[r] ?? Infinity]
          .slice(0, results().length)
          .map((v, i) => el("td", { class: `result${i ? "" : " first"}`, text: i === 1 ? format(v, 1) : sized(v) }));
      table.replaceChildren(
        el("thead", {}, el("tr", {}, el("th", { scope: "col", text: "order" }), ...heads, ...results().map(last))),
        el("tbody", {}, ...h.rows.map((_, r) => el("tr", {}, names[r], ...cells[r], ...ends(r)))),
      );
    }

    const colors = () => scale("probability", 0, 1, shell.theme.mode);

    return {
      held: () => pinned,
      hold([r, c]) {
        if (cells[r]?.[c]) {
          pinned = [r, c];
          mark();
        }
      },
      update() {
        const h = shell.header;
        if (pinned && (pinned[0] >= h.rows.length || pinned[1] >= h.tokens.length)) pinned = null;
        at = null;
        build();
      },
      draw() {
        const color = colors();
        cells.forEach((row, r) =>
          row.forEach((cell, c) => {
            const v = value([r, c]);
            const isZero = v === 0;
            cell.textContent = share(v);
            cell.style.background = isZero ? "transparent" : color.css(v);
            cell.style.color = isZero ? shell.theme.accent : readableOn(color.css(v));
            cell.classList.toggle("zero", isZero);
          }),
        );
        stage.setAttribute("aria-label", shell.header.takeaway);
        key.replaceChildren(
          ...legend(color, "factor"),
          el("span", {}, el("span", { class: "gf-zero", text: "0" }), "impossible: makes the whole product 0"),
        );
        mark();
      },
      table: () => {
        const h = shell.header;
        return {
          columns: ["order", ...h.tokens.map(visible), "product", "sum of ln p (nats)", "perplexity"],
          rows: h.rows.map((name, r) => [
            name,
            ...h.tokens.map((_, c) => sized(value([r, c]))),
            sized(h.products[r]),
            sized(h.log_sums[r] ?? -Infinity),
            sized(h.perplexities[r] ?? Infinity),
          ]),
        };
      },
      picture: () => {
        const h = shell.header;
        const [wide, high, left] = [62, 24, 64];
        const { theme } = shell;
        const color = colors();
        const middle = (c, n) => left + (c < n ? (c + 0.5) * wide : n * wide + (c - n + 0.5) * RESULT_WIDE);
        const font = { fill: theme.text, size: 12, font: theme.code, align: "center" };
        return {
          width: left + wide * h.tokens.length + results().length * RESULT_WIDE + 8,
          height: high * (h.rows.length + 1) + 8,
          scale: color,
          scaleTitle: "factor",
          paint(p) {
            [...h.tokens.map((t) => short(t, 8)), ...results()].forEach((t, c) =>
              p.text(t, middle(c, h.tokens.length), 14, font),
            );
            h.rows.forEach((name, r) => {
              const y = high * (r + 1) + 4;
              p.text(name, 6, y + 12, { ...font, align: "left" });
              h.tokens.forEach((_, c) => {
                const v = value([r, c]);
                const fill = v === 0 ? undefined : color.css(v);
                p.rect(left + c * wide, y, wide - 1, high - 1, { fill, stroke: theme.line });
                p.text(share(v), left + (c + 0.5) * wide, y + 12, {
                  ...font,
                  fill: fill ? readableOn(fill) : theme.accent,
                });
              });
              [sized(h.products[r]), format(h.log_sums[r] ?? -Infinity, 1), sized(h.perplexities[r] ?? Infinity)]
                .slice(0, results().length)
                .forEach((t, i) => p.text(t, middle(h.tokens.length + i, h.tokens.length), y + 12, font));
            });
          },
        };
      },
    };
  },
  `
.gf-factors { border-collapse: separate; border-spacing: 2px; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-factors th { font-weight: 400; padding: 3px 3px; white-space: pre; text-align: center; border-radius: 4px; unicode-bidi: isolate; }
.gf-factors tbody th { text-align: left; position: sticky; left: 0; background: var(--st-background-color); z-index: 1; white-space: nowrap; }
.gf-factors th.on, .gf-factors th.now { color: var(--gf-accent); font-weight: 700; }
.gf-factors th.now { outline: 2px solid var(--gf-accent); }
.gf-factors th.seen { background: var(--gf-wash); font-weight: 700; outline: 1.5px solid var(--gf-soft); }
.gf-factors th.unseen { color: var(--gf-soft); text-decoration: line-through; }
.gf-factors th.later { color: var(--gf-soft); }
.gf-factors td[data-r] { min-width: 2.7rem; height: 1.75rem; text-align: center; border-radius: 4px; border: 1px solid var(--gf-line); cursor: crosshair; }
.gf-factors td.zero, .gf-zero { font-weight: 700; }
.gf-factors td.zero { border: 1.5px dashed var(--gf-accent); }
.gf-zero { color: var(--gf-accent); font-family: var(--st-code-font); }
.gf-factors td.on { outline: 3px solid var(--gf-accent); }
.gf-factors .result { padding: 0 0.45rem; text-align: right; white-space: nowrap; }
.gf-factors th.result { font-family: var(--st-font); font-weight: 600; }
.gf-factors .first { font-weight: 700; }
@container (min-width: 480px) { .gf-factors .first { position: sticky; right: 0; background: var(--st-background-color); box-shadow: 6px 0 var(--st-background-color), -1px 0 var(--gf-line); z-index: 1; } }
.gf-two { min-height: 3.2em; }
`,
);
