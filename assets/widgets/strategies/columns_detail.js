// What one token was chosen from: outlined under the model, filled after the filters; what was cut is told in words.
import { el, format } from "../drawing/elements.js";
import { table } from "../drawing/table.js";
import { short } from "../drawing/tokens.js";
import { doubleBar } from "../shared/double_bar.js";
import { printed } from "./knobs.js";

function chosenBy(one, i, low, high) {
  if (one.kind === "beam") return "chosen by the search, not drawn";
  const u = one.draws[i];
  if (u === null) return "nothing is drawn: the likeliest of what is left";
  return `the number drawn, ${format(u, 4)}, fell between ${format(low, 4)} and ${format(high, 4)}`;
}

/**
 * @param {any} one the column
 * @param {number} i the place of the token
 * @param {{value: function, candidates: any[], token: string, nVocabulary: number}} of value(name) of this token;
 *   candidates: {name, plain, after, isKept}, the last one the chosen token
 */
export function detail(one, i, { value, candidates, token, nVocabulary }) {
  const count = (n) => n.toLocaleString("en");
  const rank = value("rank");
  const isBeam = one.kind === "beam";
  const full = Math.max(...candidates.map(({ plain, after }) => Math.max(plain, after)), 1e-9);
  // Where it stands among the first already, the chosen one needs no line of its own.
  const shown = candidates.slice(0, rank < candidates.length ? -1 : undefined);
  const rows = shown.map(({ name, plain, after, isKept }, k) => {
    const place = k === candidates.length - 1 ? rank : k + 1;
    const bar = doubleBar();
    bar.show(plain, after, full);
    return el(
      "tr",
      { class: place === rank ? "took" : isKept ? null : "cut" },
      el("td", { text: `${place}.` }),
      el("th", { scope: "row" }, el("bdi", { text: short(name, 14) }), place === rank ? " ◂" : ""),
      el("td", { text: printed(plain) }),
      el("td", { text: isKept ? printed(after) : "cut" }),
      bar.cell,
    );
  });
  const kept = `${count(value("n_kept"))} of ${count(nVocabulary)} tokens kept`;
  const how = chosenBy(one, i, value("low"), value("high"));
  const heads = ["", "token", "model", isBeam ? "model" : "drawn from", ""];
  const half = Math.ceil(rows.length / 2);
  return [
    el(
      "div",
      { class: "gf-readout" },
      el("b", { text: one.title }),
      `, token ${i + 1}: `,
      el("b", { text: short(token, 18) }),
      ` · ${kept} · rank ${count(rank)} · ${how}`,
    ),
    el(
      "div",
      {
        class: "gf-halves",
        title: isBeam ? "Bars: the model's probability" : "Outlined: the model; filled: drawn from",
      },
      table(heads, rows.slice(0, half)),
      table(heads, rows.slice(half)),
    ),
  ];
}
