// What one token reads, or who reads it, in numbers.
import { el, format } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";

const HINT =
  "Point at a token: on the left you see what it reads, on the right who reads it. A click holds it, Esc lets go.";
const verb = (side) => (side === "query" ? "reads" : "is read by");

export const hint = () => el("span", { class: "gf-hint", text: HINT });

/** The token at the other end of a line. */
export const otherEnd = (side, line) => (side === "query" ? line.column : line.row);

/** The strongest lines of a token in a sentence; named: of a head; others: the tokens of the other side. */
export function sentence({ side, i }, token, found, others, named) {
  const list = found
    .slice(0, 5)
    .map((one) => `${visible(others[otherEnd(side, one)])} ${format(one.weight, 2)} in head ${named(one.head)}`);
  return `${side} ${i} ${visible(token)} ${verb(side)} ${list.join(", ") || "nothing above the threshold"}`;
}

/** The same as a list with bars, `most` of them; color(head) of a line's head. */
export function list({ side, i }, token, found, others, { named, color, most }) {
  const item = (one) => {
    const j = otherEnd(side, one);
    const bar = el("i");
    bar.style.cssText = `width:${one.weight * 100}%;background:${color(one.head)}`;
    return el(
      "li",
      {},
      el("span", { class: "gf-soft", text: named(one.head) }),
      el("span", { class: "what", dir: "auto" }, `${visible(others[j])} ${j}`, bar),
      el("span", { class: "number", text: format(one.weight, 2) }),
    );
  };
  const more = found.length - most;
  const title = ` ${i} ${verb(side)}${found.length ? "" : " nothing above the threshold"}`;
  return [
    el("div", {}, el("b", { text: visible(token) }), title),
    el("ul", { class: "gf-reads" }, ...found.slice(0, most).map(item)),
    ...(more > 0 ? [el("div", { class: "gf-soft", text: `and ${more} weaker` })] : []),
  ];
}
