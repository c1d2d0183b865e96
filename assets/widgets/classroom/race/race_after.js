// After a race, for all to see: what mattered over all runs, the winner beside the median, the worst run explained, and
// sentences on which a model failed.
import { el, format } from "../../drawing/elements.js";
import { bits, fitted, lossAxis, range, stand } from "./race_board.js";
import { svg } from "../counts.js";
import { labels } from "./labels.js";

/** The value with the best run, and that run's score. */
export function bestOf(values) {
  const best = values.map(([name, some]) => [name, Math.min(...some)]);
  return best.reduce((one, other) => (other[1] < one[1] ? other : one));
}

const mean = (some) => some.reduce((a, b) => a + b, 0) / some.length;
const LETTER = 24; // pixels: to be read from the last row
let chosen = ""; // the setting whose runs are shown

/**
 * How much each setting explains, and the runs of one of them by its values.
 * @param {any[]} all of setting_effects in core/classroom/race/leaderboard.py; `redraw` after another one was chosen
 */
export function mattered(all, redraw) {
  if (!all.some(({ values }) => values.length)) return el("p", { text: labels("no_run_ended") });
  const differing = all.find(({ values }) => values.length > 1);
  const shown = all.find(({ label }) => label === chosen) ?? differing ?? all[0];
  const button = (one) =>
    el(
      "button",
      {
        class: "share",
        style: `--share: ${Math.max(0, one.share ?? 0)}`,
        "aria-pressed": String(one === shown),
        onclick: () => {
          chosen = one.label;
          redraw();
        },
      },
      el("span", { text: one.label }),
      el("span", { text: one.share === null ? "–" : `${format(100 * one.share, 0)}%` }),
    );
  const [name, best] = bestOf(shown.values);
  return el(
    "div",
    { class: "mattering" },
    el(
      "div",
      { class: "two" },
      el("div", { class: "shares" }, el("p", { text: labels("share_explained") }), ...all.map(button)),
      el(
        "figure",
        {},
        el(
          "figcaption",
          {},
          ...labels.parts("best_run", { setting: el("b", { text: shown.label }), name, bits: bits(best) }),
        ),
        fitted((wide, high) => runsByValue(shown.values, wide, high)),
      ),
    ),
    el("p", {
      class: "quiet",
      text: labels("dots"),
    }),
  );
}

/** A dot for each run over its value of one setting, with the mean as a rule. */
function runsByValue(values, wide, high) {
  const unit = LETTER / 12;
  const isTight = Math.max(...values.map(([name]) => name.length)) * 0.6 * LETTER * values.length > wide - 34 * unit;
  const [left, top, foot] = [34 * unit, 22 * unit, (isTight ? 38 : 22) * unit];
  const [low, most] = range(values.flatMap(([, some]) => some));
  const y = (score) => top + ((most - score) / (most - low)) * (high - top - foot);
  const room = (wide - left) / values.length;
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", class: "mattered" });
  picture.setAttribute("aria-label", values.map(([name, some]) => `${name}: ${bits(mean(some))}`).join("; "));
  picture.append(...lossAxis(low, most, y, left, wide, unit));
  values.forEach(([name, some], n) => {
    const x = left + room * (n + 0.5);
    some.forEach((score, i) => {
      const r = score === Math.min(...some) ? 11 : 7;
      picture.append(svg("circle", { cx: x + Math.min(10, room / 8) * ((i % 5) - 2), cy: y(score), r, class: "run" }));
    });
    picture.append(svg("path", { class: "mean", d: `M${x - room / 3} ${y(mean(some))}h${(2 * room) / 3}` }));
    const line = isTight && n % 2 ? 16 * unit : 0; // labels that don't fit beside each other take turns
    picture.append(svg("text", { x, y: high - foot + 18 * unit + line }, name));
  });
  return picture;
}

export function winnerAndMedian(both) {
  if (!both) return el("p", { text: labels("three_runs") });
  const row = ([label, first, middle]) =>
    el(
      "tr",
      { class: first === middle ? "quiet" : "" },
      el("th", { text: label }),
      el("td", { text: first }),
      el("td", { text: middle }),
    );
  const scores = /** @type {[string, string, string]} */ ([labels("bits_per_byte"), ...both.scores.map(bits)]);
  const head = el(
    "tr",
    { class: "head" },
    ...["", labels("winner"), labels("median")].map((text) => el("th", { text })),
  );
  return el("table", { class: "board pairs" }, head, ...both.rows.map(row), row(scores));
}

/** The worst run again, each time with one setting of the winner's. */
export function whyWorst(runs, worst) {
  if (!runs.length) return null;
  /** @param {any} run */
  const row = (run) =>
    el(
      "tr",
      {},
      el("th", { text: run.label }),
      el("td", { text: `${run.from} → ${run.to}` }),
      el("td", { class: "score", text: stand(run) }),
    );
  return el(
    "div",
    {},
    el("p", {}, ...labels.parts("last_run", { settings: el("span", { text: worst.settings }), stand: stand(worst) })),
    worst.message ? el("p", { text: worst.message }) : null,
    el("p", { text: labels("run_again") }),
    el("table", { class: "board pairs" }, ...runs.map(row)),
  );
}

/** A sentence as another's model read it: the more bits a piece cost, the darker it stands. */
export function attackShown({ pieces, own, other, margin }, isOwn = false) {
  const most = Math.max(...pieces.map(([, bit]) => bit), 1);
  const piece = ([text, bit]) =>
    el("span", {
      class: "piece",
      style: `--share: ${bit / most}`,
      title: labels("piece_bits", { bits: format(bit, 1) }),
      text,
    });
  return el(
    "div",
    { class: "pick" },
    el("p", { class: "pieces" }, ...pieces.map(piece)),
    el(
      "p",
      {},
      ...labels.parts(isOwn ? "attack.own" : "attack", {
        other: bits(other),
        own: bits(own),
        margin: el("b", { text: sign(margin) }),
      }),
    ),
  );
}

export const sign = (margin) => `${margin >= 0 ? "+" : ""}${bits(margin)}`;
