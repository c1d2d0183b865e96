// The line from 0 to 1, on which each token has a piece as long as it is probable, and where the number drawn falls.
import { el, format } from "../drawing/elements.js";
import { short, visible } from "../drawing/tokens.js";

const LEAST = 5e-4; // shorter pieces cannot be seen
const FILLS = { dark: ["#34396F", "#39508F"], light: ["#A6DEC4", "#6CCBB2"] };

/** The pieces, the mark at u, and a scale; in words where no token is left. taken: {token, low, high} or null. */
export function drawLine(p, taken, u, tokens, theme) {
  if (!taken) return [el("span", { class: "say", text: "Nothing is left to draw: this filter forbids every token." })];
  const isDark = theme.mode === "dark";
  const parts = [];
  let low = 0;
  for (let t = 0; t < p.length; t++) {
    const high = low + p[t];
    const isTaken = t === taken.token;
    if (p[t] > LEAST || isTaken) {
      const seg = el("span", {
        class: "seg",
        title: `${visible(tokens[t])}: ${format(low, 4)} to ${format(high, 4)}`,
        "data-t": t,
        text: p[t] > 0.05 ? short(tokens[t], Math.max(2, Math.floor(p[t] * 60))) : "",
      });
      const fill = FILLS[isDark ? "dark" : "light"][parts.length % 2];
      Object.assign(seg.style, { left: `${low * 100}%`, width: `${p[t] * 100}%`, minWidth: "1px" });
      seg.style.background = isTaken ? theme.accent : fill;
      seg.style.color = isTaken ? theme.onAccent : isDark ? "#fff" : "#000";
      parts.push(seg);
    }
    low = high;
  }
  const mark = el("span", { class: "u" });
  const say = el("span", { class: "say", text: `drawn: ${format(u, 4)}` });
  mark.style.left = `${u * 100}%`;
  say.style[u > 0.8 ? "right" : "left"] = `${(u > 0.8 ? 1 - u : u) * 100}%`;
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((v) => {
    const tick = el("span", { class: v === 1 ? "tick last" : "tick", text: String(v) });
    tick.style.left = `${v * 100}%`;
    return tick;
  });
  return [...parts, mark, say, ...ticks];
}

export const lineLabel = (taken, u, tokens) =>
  `The number ${format(u, 4)} falls on ${visible(tokens[taken.token])}, from ${format(taken.low, 4)} to ${format(taken.high, 4)}.`;
