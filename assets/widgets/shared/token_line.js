// The line from 0 to 1, on which each token has a piece as long as it is probable, and where the number drawn falls.
import { el, format } from "../drawing/elements.js";
import { short, visible } from "../drawing/tokens.js";

const LEAST = 5e-4; // shorter pieces cannot be seen
const NAMED = 0.05; // shorter ones have no room for a name
const FILLS = { dark: ["#34396F", "#39508F"], light: ["#A6DEC4", "#6CCBB2"] };
const TICKS = [0, 0.25, 0.5, 0.75, 1];

/** The pieces {t, name, low, high, isTaken} of a distribution that can be seen, and the one that is taken. */
export function piecesOf(p, taken, tokens) {
  const pieces = [];
  let low = 0;
  for (let t = 0; t < p.length; t++) {
    const high = low + p[t];
    const isTaken = t === taken.token;
    if (p[t] > LEAST || isTaken) pieces.push({ t, name: tokens[t], low, high, isTaken });
    low = high;
  }
  return pieces;
}

const nameIn = ({ name, low, high }) =>
  high - low > NAMED ? short(name, Math.max(2, Math.floor((high - low) * 60))) : "";
const fillOf = ({ isTaken }, i, theme) =>
  isTaken ? theme.accent : FILLS[theme.mode === "dark" ? "dark" : "light"][i % 2];
const inkOn = ({ isTaken }, theme) => (isTaken ? theme.onAccent : theme.mode === "dark" ? "#fff" : "#000");

/** The line as nodes of an element of the class gf-line. u: the number; null where none was drawn. */
export function drawLine(pieces, u, theme) {
  const parts = pieces.map((one, i) => {
    const title = `${visible(one.name)}: ${format(one.low, 4)} to ${format(one.high, 4)}`;
    const seg = el("span", { class: "seg", title, "data-t": one.t, text: nameIn(one) });
    Object.assign(seg.style, {
      left: `${one.low * 100}%`,
      width: `${(one.high - one.low) * 100}%`,
      minWidth: "1px",
      background: fillOf(one, i, theme),
      color: inkOn(one, theme),
    });
    return seg;
  });
  const ticks = TICKS.map((v) => {
    const tick = el("span", { class: "tick", text: String(v) });
    const back = { 0: 0, 1: 100 }[v] ?? 50; // none over the edge
    Object.assign(tick.style, { left: `${v * 100}%`, transform: `translateX(-${back}%)` });
    return tick;
  });
  if (u === null) return [...parts, ...ticks];
  const mark = el("span", { class: "u" });
  const say = el("span", { class: "say", text: `drawn: ${format(u, 4)}` });
  mark.style.left = `${u * 100}%`;
  say.style[u > 0.8 ? "right" : "left"] = `${(u > 0.8 ? 1 - u : u) * 100}%`;
  return [...parts, mark, say, ...ticks];
}

/** In words, for those who do not see it. */
export function lineLabel({ name, low, high }, u) {
  const piece = `${visible(name)}, from ${format(low, 4)} to ${format(high, 4)}`;
  return u === null ? `Taken, as the likeliest: ${piece}.` : `The number ${format(u, 4)} falls on ${piece}.`;
}

export const LINE_STYLE = `
.gf-line { position: relative; height: 5.25rem; margin: 0.9rem 2px 0; }
.gf-line .seg { position: absolute; top: 1.625rem; height: 2rem; border-right: 1px solid var(--st-background-color); overflow: hidden; font-family: var(--st-code-font); font-size: 0.75rem; line-height: 2rem; text-align: center; white-space: pre; }
.gf-line .seg.on { outline: 2px solid var(--gf-accent); z-index: 2; }
.gf-line .u { position: absolute; top: 1.125rem; width: 2px; height: 2.875rem; margin-left: -1px; background: var(--st-text-color); z-index: 3; }
.gf-line .say { position: absolute; top: 0; font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; }
.gf-line .tick { position: absolute; top: 3.875rem; font-size: 0.75rem; color: var(--gf-soft); }
`;
