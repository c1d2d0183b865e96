// How a race stands: all loss curves on one chart, and the board. The best three have colors and numbers.
import { el, format, grouped } from "../../drawing/elements.js";
import { ticks } from "../../drawing/ticks.js";
import { svg } from "../counts.js";
import { labels } from "./labels.js";

const PLACES = ["first", "second", "third"];

export const bits = (value) => format(value, 3);

/** A box that is as large as its place, with a picture drawn in the pixels of that place whenever they change. */
export function fitted(draw) {
  const box = el("div", { class: "fitted" });
  const fit = () => box.clientWidth && box.clientHeight && box.replaceChildren(draw(box.clientWidth, box.clientHeight));
  new ResizeObserver(fit).observe(box);
  return box;
}

/**
 * @param {any[]} rows of the board, best first: curve [[share of the work, bits per byte], …]
 * @param {{goal?: number | null, classes?: string[], names?: string[], wide?: number, high?: number,
 *     letter?: number}} how `classes` and `names`: of the rows, in place of the places'; `letter`: the height of
 *     letters, in units of `wide` and `high`
 */
export function raceCurves(
  rows,
  { goal = null, classes = PLACES, names, wide = 420, high: deep = 320, letter = 12 } = {},
) {
  const unit = letter / 12;
  const [left, top, foot] = [34 * unit, 22 * unit, 36 * unit];
  const seen = rows.flatMap(({ curve }) => curve.filter(([share]) => share > 0.04).map(([, loss]) => loss));
  const all = seen.length ? seen : rows.flatMap(({ curve }) => curve.map(([, loss]) => loss));
  const [low, high] = range([...all, ...(goal === null ? [] : [goal])]);
  const x = (share) => left + share * (wide - left - 28 * unit);
  const y = (loss) => top + ((high - loss) / (high - low)) * (deep - foot - top);
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${deep}`, role: "img", class: "race-curves" });
  const words = rows.filter(({ curve }) => curve.length).map(({ curve }, n) => `${n + 1}: ${bits(curve.at(-1)[1])}`);
  picture.setAttribute("aria-label", labels("curves", { runs: words.slice(0, 10).join("; ") }));
  picture.append(...lossAxis(low, high, y, left, x(1), unit));
  for (const share of wide > 40 * letter ? [0, 0.25, 0.5, 0.75, 1] : [0, 0.5, 1]) {
    picture.append(svg("text", { x: x(share), y: deep - foot + 18 * unit }, `${100 * share}%`));
  }
  picture.append(svg("text", { x: x(0.5), y: deep - 4 * unit }, labels("work_done")));
  if (goal !== null) {
    picture.append(svg("path", { class: "goal", d: `M${left} ${y(goal)}H${x(1)}` }));
    picture.querySelector(".axis-title").append(svg("tspan", { class: "goal-word" }, labels("goal_word", { goal })));
  }
  const ends = [];
  for (const [n, { curve }] of [...rows.entries()].reverse()) {
    const shown = curve.filter(([, loss]) => loss <= high * 1.5);
    if (!shown.length) continue;
    const d = shown
      .map(([share, loss], i) => `${i ? "L" : "M"}${x(share)} ${Math.max(top - 6 * unit, y(loss))}`)
      .join("");
    picture.append(svg("path", { class: `run ${classes[n] ?? ""}`, d }));
    const [share, loss] = shown.at(-1);
    picture.append(svg("circle", { class: `run ${classes[n] ?? ""}`, cx: x(share), cy: y(loss), r: 3 * unit }));
    const name = names ? names[n] : String(rows[n].place);
    if (classes[n]) ends.push({ name, color: classes[n], x: x(share) + 7 * unit, y: y(loss) + 4 * unit });
  }
  let free = Infinity; // from the lowest up, none over another
  for (const one of ends.sort((p, q) => q.y - p.y)) {
    free = Math.min(one.y, free - 13 * unit);
    picture.append(svg("text", { class: one.color, x: one.x, y: free }, one.name));
  }
  return picture;
}

/** Lines and numbers of bits per byte, from the left edge of the plot to its right one, and what they are. */
export function lossAxis(low, high, y, left, right, unit) {
  const lines = ticks([low, high], 6, 0.1)[0].flatMap((loss) => [
    svg("path", { class: "grid-line", d: `M${left} ${y(loss)}H${right}` }),
    svg("text", { x: left - 18 * unit, y: y(loss) + 4 * unit }, format(loss, 1)),
  ]);
  return [svg("text", { class: "axis-title", x: 0, y: 11 * unit }, labels("bits_axis")), ...lines];
}

export function range(values) {
  if (!values.length) return [0, 8];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = 0.06 * Math.max(1, high - low); // one round value at least is in between
  return [low - room, high + room];
}

const SHOWN_STATES = ["queued", "failed", "stopped", "paused"];

/** What stands in the last column: a score, or how far it is. */
export function stand({ score, state, share, has_diverged }) {
  if (score !== null) return bits(score);
  if (state === "failed" && has_diverged) return labels("state.diverged");
  return SHOWN_STATES.includes(state) ? labels(`state.${state}`) : `${Math.round(100 * share)}%`;
}

const size = ({ n_parameter, n_step }) =>
  labels("size", { n_parameter: grouped(n_parameter), n_step: grouped(n_step) });

/** @param {any[]} rows as the server ranks them */
export function raceTable(rows, { goal = null } = {}) {
  const row = (one, n) =>
    el(
      "tr",
      { class: `${PLACES[n] ?? ""} ${goal !== null && one.score > goal ? "above" : ""}` },
      el("th", { text: one.place ?? n + 1 }),
      el(
        "td",
        {},
        one.name ? el("b", { text: one.name }) : null,
        el("span", { text: one.settings }),
        one.n_parameter ? el("small", { text: size(one) }) : null,
      ),
      el("td", { class: "score", text: stand(one), title: one.message || undefined }),
    );
  const head = el("tr", { class: "head" }, el("th"), el("th", { colspan: 2, text: labels("bits_per_byte") }));
  return el("table", { class: "board" }, head, ...rows.map(row));
}
