// What one token was chosen from: outlined under the model, filled after the filters; what was cut is told in words.
import { grouped } from "../page/numbers.js";
import { el, format } from "../drawing/elements.js";
import { table } from "../drawing/table.js";
import { short } from "../drawing/tokens.js";
import { doubleBar } from "../shared/double_bar.js";
import { printed } from "./knobs.js";
import { labels } from "./labels.js";

function chosenBy(one, i, low, high) {
  if (one.kind === "beam") return labels("how.search");
  const u = one.draws[i];
  if (u === null) return labels("how.likeliest");
  return labels("how.drawn", { u: format(u, 4), low: format(low, 4), high: format(high, 4) });
}

/**
 * @param {any} one the column
 * @param {number} i the place of the token
 * @param {{value: function, candidates: any[], token: string, nVocabulary: number}} of value(name) of this token;
 *   candidates: {name, plain, after, isKept}, the last one the chosen token
 */
export function detail(one, i, { value, candidates, token, nVocabulary }) {
  const count = (n) => grouped(n);
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
      el("th", { scope: "row" }, el("bdi", { translate: "no", text: short(name, 14) }), place === rank ? " ◂" : ""),
      el("td", { text: printed(plain) }),
      el("td", { text: isKept ? printed(after) : labels("cut") }),
      bar.cell,
    );
  });
  const how = chosenBy(one, i, value("low"), value("high"));
  const heads = ["", labels("token"), labels("model"), labels(isBeam ? "model" : "drawn_from"), ""];
  const half = Math.ceil(rows.length / 2);
  return [
    el(
      "div",
      { class: "gf-readout" },
      ...labels.parts("chosen", {
        ...{
          title: el("b", { text: one.title }),
          place: i + 1,
          token: el("b", { translate: "no", text: short(token, 18) }),
        },
        ...{ kept: count(value("n_kept")), all: count(nVocabulary), rank: count(rank), how },
      }),
    ),
    el(
      "div",
      {
        class: "gf-halves",
        title: labels(isBeam ? "bars.search" : "bars"),
      },
      table(heads, rows.slice(0, half)),
      table(heads, rows.slice(half)),
    ),
  ];
}
