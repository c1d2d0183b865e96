// The cells of the ledger, and the lines of the sums so far.
import { readableOn, scale } from "../drawing/color.js";
import { short } from "../drawing/tokens.js";
import { brief, surprise } from "./ledger_math.js";
import { HEAD, ROW } from "./ledger_style.js";
import { labels } from "./labels.js";

const MOST = 8; // nats of the darkest cell

export const colorsOf = (theme) => scale("value", 0, MOST, theme.mode);

/** A cell for each token of each row, `wide` css pixels each, below the tokens. */
export function paintCells(p, { tokens, rows }, theme, wide, size) {
  const colors = colorsOf(theme);
  tokens.forEach((one, i) =>
    p.text(i ? short(one, theme.unit > 1 ? 8 : 11) : labels("start"), (i + 0.5) * wide, HEAD - 6, {
      fill: i ? theme.text : theme.soft,
      size,
      font: theme.code,
      rotate: -66,
    }),
  );
  rows.forEach((row, r) =>
    row.p.forEach((chance, c) => {
      const nats = surprise(chance);
      const color = colors.css(Math.min(nats, MOST));
      const x = (c + 1) * wide;
      const y = HEAD + r * ROW;
      p.rect(x + 0.5, y + 0.5, wide - 1, ROW - 1, { fill: color });
      p.text(brief(chance), x + wide / 2, y + ROW / 2 + 0.5, {
        fill: readableOn(color),
        size,
        font: theme.code,
        align: "center",
      });
    }),
  );
}

/** The sums so far as a line; kind "on" for the row that is looked at. */
export function paintSum(p, sums, kind, theme, wide, place) {
  const color = { on: theme.accent, gru: theme.categorical[1], gpt: theme.categorical[0] }[kind] ?? theme.soft;
  p.line([[wide, place(0)], ...sums.map((v, c) => [(c + 2) * wide, place(v)])], {
    color,
    width: kind === "on" ? 3 : kind === "ngram" || kind === "uniform" ? 1 : 2,
    dash: { gru: [7, 4], ngram: [2, 3] }[kind] ?? [],
  });
}
