// What stands behind a cell of the ledger, in sentences.
import { fixed } from "../page/numbers.js";
import { quoted, visible } from "../drawing/tokens.js";
import { brief, counts } from "./ledger_math.js";
import { labels } from "./labels.js";

const COUNTED = ["context", "count", "total", "types", "lower"];

/** Sentences for the token c of a row; reads: the weights on the tokens before, of the heads that `whose` names. */
export function behind(header, row, c, reads, whose) {
  if (row.kind === "uniform") return [labels("uniform", { vocab: header.vocab })];
  if (row.kind === "ngram") {
    const cell = { p: row.p[c], ...Object.fromEntries(COUNTED.map((name) => [name, row[name][c]])) };
    const { order } = row;
    const { smoothing, vocab } = header;
    return counts(cell, header.tokens.map(visible), c, { order, smoothing, vocab });
  }
  const top = row.top[c].map((name, i) => `${quoted(name)} ${brief(row.top_p[c][i])}`).join(", ");
  const expects = labels("expects", { tokens: top });
  if (row.kind === "gru") return [expects, labels("gru_state", { width: row.width })];
  const most = reads
    .map((w, i) => [w, i])
    .sort((a, b) => b[0] - a[0])
    .slice(0, 3)
    .map(([w, i]) => `${quoted(header.tokens[i])} ${fixed(w, 2)}`);
  return [expects, labels("reads", { token: quoted(header.tokens[c]), tokens: most.join(", "), whose })];
}
