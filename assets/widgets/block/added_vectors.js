// What a block adds to one token's vector: the stream, the vector of each part, the sum, row by row; and what the model
// would expect next if each sum were read out now. A column, one number of the vector, is followed through all rows.
import { mix, scale } from "../drawing/color.js";
import { el, format, measure } from "../drawing/elements.js";
import { fitted, quoted } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { progress } from "../shared/progress.js";
import { paintBlock } from "./added_vectors_block.js";
import { plan } from "./added_vectors_plan.js";
import { paintReadout, share } from "./added_vectors_readout.js";
import { paintText } from "./added_vectors_text.js";
import { labels } from "./labels.js";

const COLORFUL = 0.66; // of the largest number: here the colors end, so that the first rows aren't blank
const bold = (text) => el("b", { text });

export default picture(
  (h, { values }, { shell, theme, width, step, state: pinned, set }) => {
    const [nRow, n] = [1 + 2 * h.parts.length, values.shape[1]];
    const row = (r) => Array.from(values.data.subarray(r * n, (r + 1) * n));
    const rows = [row(0)]; // what enters, then for each part what it adds and the sum
    for (let i = 1; i <= h.parts.length; i++) {
      const added = row(i);
      rows.push(
        added,
        added.map((v, c) => v + rows.at(-1)[c]),
      );
    }
    const place = plan({
      width,
      tall: Math.min(390, shell.tall - 225),
      unit: theme.unit,
      n: nRow,
      isReadOut: h.is_read_out,
    });
    const { letter, unit, strip } = place;
    const limit = COLORFUL * Math.max(...rows.flat().map(Math.abs)) || 1;
    const colors = scale("signed", -limit, limit, theme.mode);
    const word = quoted(h.words.trim() || h.words, 12);
    const next = quoted(h.expected.trim() || h.expected, 8);
    const t = progress(shell, `${step} ${h.words}`);
    const isThere = (r) => r <= 2 * step;
    const isNew = (r) => step > 0 && r > 2 * step - 2 && isThere(r);
    const fade = (color, r) => (isNew(r) ? mix(theme.page, color, t) : color);
    const text = { size: letter, font: theme.font, fill: theme.text };
    const drawing = { h, n, place, theme, text, t, step, next, isThere, isNew, fade, width };
    const kept = pinned < n ? pinned : null;
    const named = (r, how = "") => {
      if (!r) return labels(`comes_in${how}`, { word, n });
      if (r % 2) return labels(`adds_${h.parts[(r - 1) / 2]}${how}`, { n });
      return labels(r === nRow - 1 ? "goes_out" : "sum");
    };

    /** Which color is below 0 and which above, over the strips. */
    function paintColors(p) {
      const [y, wide] = [place.text + 0.6 * letter, 64 * unit];
      const soft = { ...text, fill: theme.soft };
      const x = strip.left + measure(labels("below"), letter, theme.font) + 8;
      p.text(labels("below"), strip.left, y, soft);
      for (let i = 0; i < 32; i++) {
        p.rect(x + (i * wide) / 32, y - 5, wide / 32 + 0.4, 10, { fill: colors.css(limit * (i / 15.5 - 1)) });
      }
      p.text(labels("above"), x + wide + 8, y, soft);
    }

    function paintStrip(p, r) {
      const [x, y] = [strip.left, place.rows[r] - strip.high / 2];
      const isPart = r % 2 === 1;
      const color = fade(isPart ? theme.primary : theme.text, r);
      const widthOf = (some) => 1.04 * measure(some, letter, theme.font); // bold letters are wider
      const how = widthOf(named(r)) > strip.width ? "_short" : "";
      const fits = fitted(named(r, how), strip.width, widthOf);
      if (isThere(r)) p.text(fits, x, y - 0.62 * letter, { ...text, fill: color, weight: 600 });
      if (!isThere(r)) return p.rect(x, y, strip.width, strip.high, { stroke: theme.line, dash: [4, 3] });
      const shown = isNew(r) ? Math.round(t * n) : n;
      for (let c = 0; c < shown; c++) {
        const at = x + (c * strip.width) / n;
        p.rect(at, y, strip.width / n + 0.4, strip.high, { fill: colors.css(rows[r][c]) });
      }
      p.rect(x - 0.5, y - 0.5, strip.width + 1, strip.high + 1, { stroke: isPart ? theme.line : theme.soft });
    }

    /** One number of each strip, as a sum at school: its signs stand on the stream. */
    function paintNumbers(p, c) {
      const x = place.number;
      const look = { ...text, align: "right", fill: theme.accent };
      p.text(labels("one_of", { n }), x, place.rows[0] - strip.high / 2 - 0.62 * letter, { ...look, weight: 600 });
      rows.forEach((one, r) => {
        if (!isThere(r)) return;
        p.text(format(one[c], 2), x, place.rows[r], {
          ...look,
          font: theme.code,
          size: 15 * unit,
          weight: r % 2 ? 400 : 700,
        });
      });
    }

    /** A number of each strip, framed. */
    function frame(p, c, dash = []) {
      const wide = Math.max(5, strip.width / n + 3);
      const x = strip.left + ((c + 0.5) * strip.width) / n - wide / 2;
      for (const y of place.rows.filter((_, r) => isThere(r))) {
        p.rect(x, y - strip.high / 2 - 2, wide, strip.high + 4, { stroke: theme.accent, width: 2, radius: 2, dash });
      }
    }

    /** The sums of one number, as at school. */
    function sums(one) {
      const told = one.map((value) => format(value, 2));
      const inBrackets = (number) => (number.startsWith("−") ? `(${number})` : number);
      const lines = h.parts.slice(0, step).map((_, i) => {
        const [before, added, after] = told.slice(2 * i);
        return `${before} + ${inBrackets(added)} = ${after}`;
      });
      return lines.join("; ") || told[0];
    }

    const chances = h.chances.map(share);
    const parts = { n, word, next: bold(next), first: bold(chances[0]), middle: bold(chances[1]) };
    const end = el("b", { class: "gf-key-number", text: chances.at(-1) });
    const moment = step === h.parts.length ? `sentence_${h.parts.length}` : step ? "sentence_attention" : "sentence_in";
    return {
      things: rows[0].map((_, c) => rows.map((one) => one[c])),
      size: [width, place.height],
      at(x, y) {
        const c = Math.floor(((x - strip.left) / strip.width) * n);
        return c >= 0 && c < n && y > place.top ? c : null;
      },
      paint(p, pointed = null) {
        const followed = pointed ?? kept ?? h.example;
        paintText(p, drawing);
        paintColors(p);
        paintNumbers(p, followed);
        paintBlock(p, drawing);
        rows.forEach((_, r) => paintStrip(p, r));
        paintReadout(p, drawing);
        if (kept !== null && kept !== followed) frame(p, kept, [4, 3]);
        frame(p, followed);
      },
      said: (one, c) => [labels("number_at", { number: c, sums: sums(one), n })],
      chosen: kept,
      choose: (_, c) => set(c === kept ? null : c),
      reset: () => set(null),
      held: kept !== null && [kept],
      hold: ([c]) => c < n && set(c),
      hint: labels("added_hint", { n }),
      sentence: labels.parts(moment, { ...parts, end }),
      label: h.takeaway,
      columns: [labels("number"), ...rows.map((_, r) => named(r))],
      row: (one, c) => [String(c), ...one],
    };
  },
  {
    state: (_, last = null) => last,
    style: "@container (max-width: 480px) { .gf .gf-controls { gap: 0.5rem; } }",
    steps: (h) => [labels("step_in"), ...h.parts.map((part) => labels(`step_${part}`))],
    player: { perSecond: 0.8 },
  },
);
