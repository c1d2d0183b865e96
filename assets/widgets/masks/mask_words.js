// What a drawn mask allows, in words. Pure.
import { quoted } from "../drawing/tokens.js";
import { labels } from "./labels.js";
import { emptyRows } from "./reach.js";

/** How much of a mask is open, and which rows may read nothing. */
export function inWords(mask, rows) {
  const n = rows.length;
  const open = mask.reduce((a, b) => a + b, 0);
  const told = labels("n_open", { n, open, all: n * n });
  const empty = emptyRows(mask, n);
  if (!empty.length) return told;
  const names = empty.slice(0, 4).map((t) => `${quoted(rows[t])} (${t})`);
  const blind = labels(empty.length > 4 ? "blind.more" : "blind", { n: empty.length, rows: names.join(", ") });
  return `${told} ${blind}`;
}
