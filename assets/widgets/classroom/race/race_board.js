// How a race stands: all loss curves on one chart, and the board. The best three have colors and numbers.
import { el, format, grouped } from "../../drawing/elements.js";
import { svg } from "../counts.js";

const [WIDE, HIGH, LEFT, FOOT] = [420, 320, 34, 36];
const PLACES = ["first", "second", "third"];

export const bits = (value) => format(value, 3);

/**
 * @param {any[]} rows of the board, best first: curve [[share of the work, bits per byte], …]
 * @param {{goal?: number | null, classes?: string[]}} how `classes`: of the rows, in place of the places'
 */
export function raceCurves(rows, { goal = null, classes = PLACES } = {}) {
  const seen = rows.flatMap(({ curve }) => curve.filter(([share]) => share > 0.04).map(([, loss]) => loss));
  const all = seen.length ? seen : rows.flatMap(({ curve }) => curve.map(([, loss]) => loss));
  const [low, high] = range([...all, ...(goal === null ? [] : [goal])]);
  const x = (share) => LEFT + share * (WIDE - LEFT - 44);
  const y = (loss) => 12 + ((high - loss) / (high - low)) * (HIGH - FOOT - 12);
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", class: "race-curves" });
  const words = rows.filter(({ curve }) => curve.length).map(({ curve }, n) => `${n + 1}: ${bits(curve.at(-1)[1])}`);
  picture.setAttribute("aria-label", `Bits per byte while they learn. ${words.slice(0, 10).join("; ")}`);
  for (const loss of ticks(low, high)) {
    picture.append(svg("path", { class: "grid-line", d: `M${LEFT} ${y(loss)}H${x(1)}` }));
    picture.append(svg("text", { x: LEFT - 20, y: y(loss) + 4 }, format(loss, 1)));
  }
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    picture.append(svg("text", { x: x(share), y: HIGH - FOOT + 18 }, `${100 * share}%`));
  }
  picture.append(svg("text", { x: x(0.5), y: HIGH - 3 }, "of the work done"));
  if (goal !== null) {
    picture.append(svg("path", { class: "goal", d: `M${LEFT} ${y(goal)}H${x(1)}` }));
    picture.append(svg("text", { x: x(0.9), y: y(goal) - 5 }, `goal ${goal}`));
  }
  const names = [];
  for (const [n, { curve }] of [...rows.entries()].reverse()) {
    const shown = curve.filter(([, loss]) => loss <= high * 1.5);
    if (!shown.length) continue;
    const d = shown.map(([share, loss], i) => `${i ? "L" : "M"}${x(share)} ${Math.max(0, y(loss))}`).join("");
    picture.append(svg("path", { class: `run ${classes[n] ?? ""}`, d }));
    const [share, loss] = shown.at(-1);
    picture.append(svg("circle", { class: `run ${classes[n] ?? ""}`, cx: x(share), cy: y(loss), r: 3 }));
    const name = classes === PLACES ? String(rows[n].place) : classes[n];
    if (classes[n]) names.push({ name, color: classes[n], x: x(share) + 7, y: y(loss) + 4 });
  }
  let free = Infinity; // from the lowest up, none over another
  for (const one of names.sort((p, q) => q.y - p.y)) {
    free = Math.min(one.y, free - 13);
    picture.append(svg("text", { class: one.color, x: one.x, y: free }, one.name));
  }
  return picture;
}

function range(values) {
  if (!values.length) return [0, 8];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(0.1, high - low) * 0.06;
  return [low - room, high + room];
}

/** Round values between two, a handful. */
function ticks(low, high) {
  const step = [0.1, 0.2, 0.5, 1, 2].find((one) => (high - low) / one <= 6) ?? 2;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step);
}

const STATES = { queued: "in line", running: "", failed: "failed", stopped: "stopped", paused: "paused" };

/** What stands in the last column: a score, or how far it is. */
export function stand({ score, state, share, message }) {
  if (score !== null) return bits(score);
  if (state === "failed" && /diverged/.test(message)) return "diverged";
  return STATES[state] || `${Math.round(100 * share)}%`;
}

const size = ({ n_parameter, n_step }) => `${grouped(n_parameter)} parameters, ${grouped(n_step)} steps`;

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
  const head = ["", "", "Bits per byte"].map((text) => el("th", { text }));
  return el("table", { class: "board" }, el("tr", { class: "head" }, ...head), ...rows.map(row));
}
