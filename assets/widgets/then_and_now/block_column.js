// A block as boxes from top to bottom: on the residual stream, which runs down on the left, or on a branch beside it.
import { el } from "../drawing/elements.js";
import { labels } from "./labels.js";

/**
 * @param {Record<string, string>} setting switch -> state
 * @param {Record<string, string>} then the setting of 2017: what differs from it is lit
 * @param {string[]} named the switches whose states are written into the boxes
 * @param {(state: string) => string} title
 * @param {number} nLayer
 */
export function blockColumn(setting, then, named, title, nLayer) {
  const isLit = (name) => setting[name] !== then[name];
  const isRope = setting.positions === "rope";
  const states = (...names) =>
    names.filter((name) => named.includes(name)).map((name) => [title(setting[name]), isLit(name)]);

  /** A part, with the states that are written into it. */
  function box(part, found = [], isMoved = false) {
    const lit = isMoved || found.some(([, is]) => is);
    return el(
      "div",
      { class: lit ? "box lit" : "box" },
      el("span", { text: labels(`part.${part}`) }),
      ...found.map(([text]) => el("b", { text })),
    );
  }

  const norm = () => box("norm", states("norm"), isLit("place"));
  const attention = [
    ...states("heads"),
    ...(isRope ? states("positions") : []),
    ...(setting.queries === "qk-norm" ? states("queries") : []),
  ];
  const isPre = setting.place === "pre-norm";
  const branch = (part) => [
    el("div", { class: "branch" }, ...(isPre ? [norm()] : []), part),
    el("div", { class: "plus", text: "+" }),
    ...(isPre ? [] : [norm()]),
  ];
  const column = el(
    "div",
    { class: "column" },
    box("embedding", isRope ? [] : states("positions").map(([text, is]) => [`+ ${text}`, is])),
    el(
      "div",
      { class: "layers" },
      ...branch(box("attention", attention)),
      ...branch(box("feed_forward", states("feed-forward"))),
      el("small", { text: labels("layers", { n: nLayer }) }),
    ),
    ...(isPre ? [norm()] : []),
    box("output", states("output")),
  );
  const notes = states("biases", "training");
  return el("div", {}, column, ...notes.map(([text, is]) => el("div", { class: is ? "note lit" : "note", text })));
}
