// After a race, for all to see: what mattered over all runs, the winner beside the median, the worst run explained, and
// sentences on which a model failed.
import { el, format } from "../../drawing/elements.js";
import { bits, stand } from "./race_board.js";
import { svg } from "../counts.js";

/** The value with the best run, and that run's score. */
export function bestOf(values) {
  const best = values.map(([name, some]) => [name, Math.min(...some)]);
  return best.reduce((one, other) => (other[1] < one[1] ? other : one));
}

/** Each setting: one dot for each run, over the values; the mean as a rule. */
export function mattered(all) {
  const scores = all.flatMap(({ values }) => values.flatMap(([, some]) => some));
  if (!scores.length) return el("p", { text: "No run came to its end." });
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const y = (score) => 10 + ((high - score) / (high - low || 1)) * 76;
  const one = ({ label, values, share }) => {
    const picture = svg("svg", { viewBox: "0 0 240 112", role: "img", class: "mattered" });
    const mean = (some) => some.reduce((a, b) => a + b, 0) / some.length;
    picture.setAttribute("aria-label", values.map(([name, some]) => `${name}: ${bits(mean(some))}`).join("; "));
    values.forEach(([name, some], n) => {
      const x = (240 * (n + 0.5)) / values.length;
      some.forEach((score, i) => {
        const isBest = score === Math.min(...some);
        picture.append(svg("circle", { cx: x + 4 * ((i % 5) - 2), cy: y(score), r: isBest ? 4.5 : 2.6, class: "run" }));
      });
      picture.append(svg("path", { class: "mean", d: `M${x - 14} ${y(mean(some))}h28` }));
      picture.append(svg("text", { x, y: 106 }, name));
    });
    const [name, best] = bestOf(values);
    const spread = share === null ? "" : ` explains ${format(100 * share, 0)}%,`;
    const told = `${spread} best run: ${name}, ${bits(best)}`;
    return el("figure", {}, el("figcaption", {}, el("b", { text: label }), el("span", { text: told })), picture);
  };
  return el(
    "div",
    {},
    el("div", { class: "small-multiples" }, ...all.map(one)),
    el("p", {
      class: "quiet",
      text: `Bits per byte, from ${bits(low)} at the bottom to ${bits(high)}. The line is the mean: the share that a setting explains compares means, so badly tuned runs count too. The large dot is the best run with each value: what it's worth once the rest is tuned. Settings vary together, so both are hints, not proof.`,
    }),
  );
}

export function winnerAndMedian(both) {
  if (!both) return el("p", { text: "This takes three runs that came to their end." });
  const row = ([label, first, middle]) =>
    el(
      "tr",
      { class: first === middle ? "quiet" : "" },
      el("th", { text: label }),
      el("td", { text: first }),
      el("td", { text: middle }),
    );
  const scores = /** @type {[string, string, string]} */ (["Bits per byte", ...both.scores.map(bits)]);
  const head = el("tr", { class: "head" }, ...["", "The winner", "The median"].map((text) => el("th", { text })));
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
    el("p", {}, "Last: ", el("span", { text: worst.settings }), `, ${stand(worst)}.`),
    worst.message ? el("p", { text: worst.message }) : null,
    el("p", { text: "The same run again, each time with one setting of the winner's:" }),
    el("table", { class: "board pairs" }, ...runs.map(row)),
  );
}

/** A sentence as another's model read it: the more bits a piece cost, the darker it stands. */
export function attackShown({ pieces, own, other, margin }, whose = "the attacker's own") {
  const most = Math.max(...pieces.map(([, bit]) => bit), 1);
  const piece = ([text, bit]) =>
    el("span", { class: "piece", style: `--share: ${bit / most}`, title: `${format(bit, 1)} bits`, text });
  return el(
    "div",
    { class: "pick" },
    el("p", { class: "pieces" }, ...pieces.map(piece)),
    el(
      "p",
      {},
      `${bits(other)} bits per byte to the model attacked, ${bits(own)} to ${whose} model: `,
      el("b", { text: sign(margin) }),
    ),
  );
}

export const sign = (margin) => `${margin >= 0 ? "+" : ""}${bits(margin)}`;
