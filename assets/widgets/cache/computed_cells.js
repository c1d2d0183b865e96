// What each step of writing computes: a row for each new token, a cell for each token that it reads; on the left all
// are computed at each step, on the right those that aren't in the cache.
import { mix, readableOn } from "../drawing/color.js";
import { clamp, el, measure } from "../drawing/elements.js";
import { quoted, short } from "../drawing/tokens.js";
import { grouped } from "../page/numbers.js";
import { picture } from "../scene/scene.js";
import { progress } from "../shared/progress.js";
import { labels } from "./labels.js";

const NARROW = 480; // css pixels: below, words and counts don't stand at the rows
const LINE = [9, 16]; // css pixels: of a row
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

export default picture(
  (h, _, { shell, theme, width, step, state: pinned, set }) => {
    const [nRow, { unit }] = [h.tokens.length, theme];
    const isNarrow = width < NARROW;
    const longest = h.n_prompt + nRow - 1;
    const size = 13 * unit;
    const text = { size, font: theme.font, fill: theme.text };
    const widest = Math.max(...h.tokens.map((one) => measure(short(one.trim() || one, 8), size, theme.code)));
    const side = isNarrow ? 2 : widest + measure(labels("again", { n: longest }), size, theme.font) + 18 * unit;
    const gap = (isNarrow ? 14 : 18) * unit;
    const panel = (width - gap) / 2;
    const cell = (panel - side) / longest;
    const head = (isNarrow ? 58 : 62) * unit;
    const line = clamp((Math.min(shell.tall, 700) - 300) / nRow, ...LINE) * unit;
    const lefts = [0, panel + gap];
    const top = (r) => head + r * line;
    const t = progress(shell, `${step} ${h.tokens.join()}`);
    const kept = pinned !== null && pinned <= step ? pinned : null;
    // While it writes, the newest row is told of; at the end one in the middle.
    const shown = kept ?? (step === nRow - 1 ? Math.floor(step / 2) : step);
    const wash = mix(theme.page, theme.primary, 0.18);
    const counts = h.n_computed.map((one) => sum(one.slice(0, step)) + Math.round(t * one[step]));
    const word = (r) => short(h.tokens[r].trim() || h.tokens[r], 8);

    function paintHead(p, side_) {
      const x = lefts[side_];
      const fill = side_ ? theme.primary : theme.text;
      const [title, number] = [labels(side_ ? "with_cache" : "without_cache"), grouped(counts[side_])];
      p.text(title, x, (isNarrow ? 8 : 18) * unit, { ...text, fill, size: 15 * unit, weight: 700 });
      const at = isNarrow ? x : x + measure(title, 16 * unit, theme.font) + 12 * unit;
      const y = (isNarrow ? 34 : 15) * unit;
      p.text(number, at, y, { ...text, fill, size: 32 * unit, weight: 700 });
      const after = at + 1.08 * measure(number, 32 * unit, theme.font) + 6 * unit;
      p.text(labels(isNarrow ? "computed" : "tokens_computed"), after, y + 4 * unit, { ...text, fill });
    }

    /** The prompt in brackets, over the cells that read it. */
    function paintPrompt(p, x) {
      const [y, right] = [head - 5 * unit, x + h.n_prompt * cell - 1];
      const look = { color: theme.soft, width: 1 };
      p.line([[x, y + 3], [x, y], [right, y], [right, y + 3]], look); // prettier-ignore
      const words = labels("the_text", { n: h.n_prompt });
      if (measure(words, size, theme.font) < h.n_prompt * cell) {
        p.text(words, x, y - 10 * unit, { ...text, fill: theme.soft });
      }
      if (!isNarrow && x === 0) {
        p.text(labels("writes"), right + 8 * unit, y - 10 * unit, { ...text, fill: theme.soft });
      }
    }

    function paintRow(p, r, side_) {
      const [x, y, n] = [lefts[side_], top(r), h.n_prompt + r];
      const inset = line > 11 ? 1 : 0.5;
      if (r > step) return p.rect(x, y + inset, n * cell, line - 2 * inset, { stroke: theme.line, dash: [2, 3] });
      const moved = r === step ? t : 1;
      for (let c = 0; c < n; c++) {
        const isNew = c >= n - h.n_computed[side_][r];
        if (isNew && c - (n - h.n_computed[side_][r]) >= moved * h.n_computed[side_][r]) continue;
        const fill = isNew ? theme.primary : wash;
        p.rect(x + c * cell, y + inset, Math.max(1, cell - (cell > 4 ? 1 : 0.5)), line - 2 * inset, { fill });
      }
      const isShown = r === shown;
      if (isNarrow || (side_ && !isShown)) return;
      const at = x + n * cell + 6 * unit;
      const look = { ...text, fill: isShown ? theme.accent : theme.text, weight: isShown ? 700 : 400 };
      if (!side_) p.text(word(r), at, y + line / 2, { ...look, font: theme.code });
      const count = side_ ? labels("new_and_kept", newAndKept(r)) : labels("again", { n });
      const after = side_ ? at : at + measure(word(r), size, theme.code) + 8 * unit;
      if (isShown) p.text(count, after, y + line / 2, look);
    }

    const newAndKept = (r) => ({ new: h.n_computed[1][r], n: h.n_prompt + r - h.n_computed[1][r] });

    /** What the two colors mean, in the middle of their cells. */
    function paintMeaning(p) {
      if (step < 6 || nRow < 8) return;
      ["all_again", "only_looked_up"].forEach((key, side_) => {
        const room = h.n_prompt * cell;
        const fill = side_ ? wash : theme.primary;
        const lines = labels(key).split("|");
        const wide = Math.max(...lines.map((one) => measure(one, size, theme.font)));
        if (wide + 8 > room) return;
        const [middle, y] = [lefts[side_] + room / 2, top(3)];
        const high = lines.length * 18 * unit + 6;
        p.rect(middle - wide / 2 - 4, y - high / 2, wide + 8, high, { fill, radius: 4 });
        const ink = { ...text, fill: readableOn(fill), align: "center", weight: 600 };
        lines.forEach((one, i) => p.text(one, middle, y + (i - (lines.length - 1) / 2) * 18 * unit, ink));
      });
    }

    function frame(p, r) {
      for (const x of lefts) {
        const wide = (h.n_prompt + r) * cell + 3;
        p.rect(x - 2, top(r) - 1, wide, line + 2, { stroke: theme.accent, width: 2, radius: 3 });
      }
    }

    const [anew, own] = counts.map(grouped);
    const key =
      step === nRow - 1 ? (h.is_same ? "sentence_same" : "sentence") : step ? "sentence_step" : "sentence_first";
    const values = {
      n: key === "sentence_first" ? h.n_prompt : step + 1,
      anew: el("b", { text: anew }),
      own: el("b", { class: "gf-key-number", text: own }),
    };
    return {
      things: h.tokens,
      size: [width, top(nRow) + 3],
      at(_x, y) {
        const r = Math.floor((y - head) / line);
        return r >= 0 && r <= step ? r : null;
      },
      walked: step + 1,
      keys: {
        ArrowUp: (r) => Math.max(0, (r ?? shown) - 1),
        ArrowDown: (r) => Math.min(step, (r ?? shown) + 1),
        ArrowLeft: null,
        ArrowRight: null,
      },
      paint(p, place) {
        lefts.forEach((x, side_) => {
          paintHead(p, side_);
          paintPrompt(p, x);
          h.tokens.forEach((_one, r) => paintRow(p, r, side_));
        });
        paintMeaning(p);
        frame(p, place ?? shown);
      },
      said: (_one, r) => [
        labels("row", {
          token: quoted(h.tokens[r].trim() || h.tokens[r]),
          n: h.n_prompt + r,
          own: grouped(h.n_computed[1][r]),
          work: grouped(h.work[1][r]),
          work_anew: grouped(h.work[0][r]),
        }),
      ],
      chosen: shown,
      choose: (_one, r) => set(r === kept ? null : r),
      reset: () => kept !== null && set(null),
      held: kept !== null && [kept],
      hold: ([r]) => r < nRow && set(r),
      sentence: labels.parts(key, values),
      columns: [labels("token"), ...["without_cache", "with_cache"].map((one) => labels(one))],
      row: (one, r) => [one, h.n_computed[0][r], h.n_computed[1][r]],
    };
  },
  {
    style: `
.gf-readout { font-family: var(--st-font); }
@container (max-width: 480px) { .gf .gf-controls { gap: 0.5rem; } }
`,
    state: (_, last = null) => last,
    steps: ({ tokens }) => tokens.map((_, i) => labels("tokens_written", { n: i + 1 })),
    player: { perSecond: 3 },
  },
);
