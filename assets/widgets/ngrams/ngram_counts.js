// A table of counts: pairs never seen are empty; pointing tells count and probability, a click where in the text.
import { define } from "../drawing/base.js";
import { chance, el, format, percent } from "../drawing/elements.js";
import { Grid } from "../drawing/grid.js";
import { brief, countScale, share, shareScale, whole } from "../drawing/ngram_words.js";
import { quoted, visible } from "../drawing/tokens.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

const SUMS = 84; // pixels beside the table

export default define(
  (shell) => {
    const places = el("ol", { class: "gf-places" });
    const sums = el("div", { class: "gf-sums-table" });
    const beside = el("div", { class: "gf-with-sums" });
    const grid = new Grid({
      hover: (at, byKeyboard) => {
        describe(at ?? grid.selected);
        lightSum(at);
        if (byKeyboard && at) shell.say(sentence(at));
      },
      choose: (at) => {
        grid.selected = at;
        grid.drawOver();
        describe(at);
        shell.say(labels("selected", { pair: sentence(at) }));
        shell.commit("pick", { row: at[0], column: at[1] });
      },
      reset: () => {
        if (!shell.header.selected) return;
        grid.selected = shell.header.fullest;
        grid.drawOver();
        describe(grid.selected);
        places.replaceChildren();
        shell.commit("pick", null);
      },
    });
    beside.append(grid.node, sums);
    const example = el("p", { class: "gf-sentence" });
    shell.body.append(beside, example, el("p", { class: "gf-hint", text: labels("hint") }), places);

    const n = () => shell.header.columns.length;
    const count = (r, c) => shell.arrays.counts.data[r * n() + c];
    const total = (r) => shell.arrays.totals.data[r];
    const shown = (r) => {
      let sum = 0;
      for (let c = 0; c < n(); c++) sum += count(r, c);
      return sum;
    };
    const hasSums = () => shell.header.sums && shell.width > 480; // on a phone the columns need the room
    const history = (r, print) =>
      [shell.header.first, shell.header.rows[r]]
        .filter((t) => t !== null && t !== undefined)
        .map(print)
        .join(" ");

    function sentence([r, c]) {
      const past = history(r, (t) => quoted(t));
      const next = quoted(shell.header.columns[c]);
      if (!count(r, c)) {
        return labels("said_never", { past, next, total: whole(total(r)) });
      }
      const p = chance(count(r, c) / total(r), 4);
      return labels("said", { past, next, count: whole(count(r, c)), total: whole(total(r)), p });
    }

    function describe([r, c]) {
      const word = (text) => el("span", { translate: "no", text: quoted(text.trim() || text) });
      example.replaceChildren(
        ...labels.parts("pair", {
          past: el("span", {}, ...[shell.header.first, shell.header.rows[r]].filter(Boolean).map(word)),
          next: word(shell.header.columns[c]),
          count: whole(count(r, c)),
          total: whole(total(r)),
          p: el("b", { class: "gf-key-number", text: percent(total(r) ? count(r, c) / total(r) : 0) }),
        }),
      );
    }

    /** The rest of each row, in line with the rows. */
    function drawSums() {
      const h = shell.header;
      const byCount = h.shows === "counts";
      const size = grid.fontSize;
      sums.hidden = !hasSums();
      beside.classList.toggle("on", hasSums());
      if (!hasSums()) return;
      const print = (value, r) => (byCount ? whole(value) : total(r) ? format(value / total(r), 3) : "–");
      const line = (text, y, css) => {
        const node = el("div", { text });
        node.style.cssText = `top:${y}px;font-size:${size}px;${css}`;
        return node;
      };
      const every = Math.ceil((size + 2) / grid.line);
      sums.style.height = `${grid.h}px`;
      sums.replaceChildren(
        line(labels("others"), grid.top - size - 8, "font-weight:600"),
        ...h.rows.map((_, r) => {
          const node = line(print(total(r) - shown(r), r), grid.top + (r + 0.5) * grid.line - size * 0.65, "");
          node.hidden = node.wasHidden = r % every > 0;
          node.dataset.row = r;
          return node;
        }),
      );
    }

    function lightSum(at) {
      for (const node of sums.children) {
        const on = at && Number(node.dataset.row) === at[0];
        node.classList.toggle("on", Boolean(on));
        if (node.dataset.row !== undefined) node.hidden = node.wasHidden && !on;
      }
    }

    function drawPlaces() {
      const { found } = shell.header;
      places.hidden = !found.length;
      places.setAttribute("aria-label", labels("places"));
      places.replaceChildren(
        ...found.map((one) =>
          el(
            "li",
            {},
            el("i", { text: labels("token_n", { position: whole(one.position) }) }),
            el(
              "bdi",
              { translate: "no" },
              el("span", { text: one.before.map(visible).join("") }),
              el("mark", { text: one.found.map(visible).join("") }),
              el("span", { text: one.after.map(visible).join("") }),
            ),
          ),
        ),
      );
    }

    function colors() {
      const { header: h, arrays, theme } = shell;
      if (h.shows === "probabilities") return shareScale(theme.mode);
      return countScale(
        arrays.counts.data.reduce((most, v) => Math.max(most, v), 1),
        theme.mode,
      );
    }

    return {
      update() {
        grid.selected = shell.header.selected ?? shell.header.fullest;
      },
      draw() {
        const h = shell.header;
        const byCount = h.shows === "counts";
        const values = Float32Array.from(shell.arrays.counts.data, (v, i) =>
          v === 0 ? NaN : byCount ? v : v / total(Math.floor(i / n())),
        );
        grid.print = byCount ? brief : share;
        grid.set({
          values,
          rows: h.rows,
          columns: h.columns,
          rowTitle: h.first === null ? labels("read_first") : labels("read_after", { token: quoted(h.first, 10) }),
          columnTitle: labels("follows"),
          scale: colors(),
          labelFor: h.takeaway,
        });
        grid.draw(shell.theme, shell.width - (hasSums() ? SUMS * shell.theme.unit : 0), {
          maxHeight: Math.min(560, shell.tall / shell.theme.unit - (shell.width > 480 ? 300 : 380)),
          minCell: 11,
          wide: n() <= 12,
        });
        drawSums();
        drawPlaces();
        describe(grid.at ?? grid.selected);
      },
      table: () => {
        const h = shell.header;
        const byCount = h.shows === "counts";
        return {
          columns: [labels("read_first"), ...h.columns.map(visible), labels("others"), labels("sum")],
          rows: h.rows.map((t, r) => [
            visible(t),
            ...[...h.columns.map((_, c) => count(r, c)), total(r) - shown(r), total(r)].map((v, i) =>
              v === 0 && i < n() ? labels("never_seen") : byCount ? whole(v) : total(r) ? format(v / total(r), 4) : "–",
            ),
          ]),
        };
      },
      picture: () => photograph(beside),
    };
  },
  `
.gf-with-sums.on { display: flex; gap: 0.5rem; }
.gf-with-sums.on > .gf-scroll { flex: 0 1 auto; min-width: 0; }
.gf-sums-table { position: relative; flex: 0 0 4.75rem; font-family: var(--st-code-font); font-variant-numeric: tabular-nums; color: var(--gf-soft); }
.gf-sums-table > div { position: absolute; left: 0; right: 0; line-height: 1.3; text-align: right; white-space: nowrap; }
.gf-sums-table > .on { color: var(--gf-accent); font-weight: 700; background: var(--st-background-color); z-index: 1; }
.gf-places { list-style: none; margin: 0.6rem 0 0; padding: 0.6rem 0.8rem; background: var(--gf-panel); border-radius: 6px; font-family: var(--st-code-font); font-size: 0.8125rem; }
.gf-places li { display: flex; gap: 0.9rem; padding: 2px 0; overflow-wrap: anywhere; }
.gf-places i { flex: 0 0 7.2em; font-style: normal; color: var(--gf-soft); text-align: right; }
.gf-places mark { background: var(--gf-accent); color: var(--gf-on-accent); border-radius: 3px; padding: 0 2px; }
@container (max-width: 480px) { .gf-places li { flex-direction: column; gap: 0; } .gf-places i { text-align: left; flex-basis: auto; } }
`,
);
