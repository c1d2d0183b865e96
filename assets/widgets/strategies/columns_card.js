// One column: its title, its tools, and its text as tokens to point at.
import { el } from "../drawing/elements.js";
import { mouseLeaves } from "../drawing/input.js";
import { inText, visible } from "../drawing/tokens.js";
import { labels } from "./labels.js";

// The first two measures stand at the foot of a text; the others from the depth Numbers on.
const SHORT = ["log_prob", "distinct", "repeated", "texts"].map((one) => labels(`measure.${one}`));

/**
 * @param {any} one the column
 * @param {string[]} tokens
 * @param {{name: string, value: string, isBest: boolean}[]} measures
 * @param {string} id of the first token, in part: the place is added
 * @param {Object<string, any>} on point(i), choose(i), leave(), key(event), and what the tools do: edit(), reseed(),
 *   lock(), remove() (null where this is the only column); place: of the column; isOpen: whether its settings are on
 *   show
 */
export function card(one, tokens, measures, id, on) {
  const text = el("div", {
    class: "gf-text",
    role: "listbox",
    tabindex: 0,
    style: "max-height: var(--gf-most)", // here, so that a file shows all of it
    "aria-label": `${one.title}: ${inText(one.spoken)}`,
    onkeydown: on.key,
  });
  const chips = tokens.map((token, i) => {
    const look = {
      "data-i": i,
      role: "option",
      id: `${id}-${i}`,
      "aria-label": visible(token),
      translate: "no",
      text: inText(token),
    };
    const chip = el("span", look);
    text.append(chip);
    // Of several line ends in a row only the last one ends the line: a card is short.
    if (token.includes("\n") && !tokens[i + 1]?.includes("\n")) text.append((chip.line = el("br")));
    return chip;
  });
  const end = el("em", { text: one.stop && labels(`stop.${one.stop}`) });
  text.append(end);
  const visit = (then) => (event) => {
    const i = event.target.closest("[data-i]")?.dataset.i;
    if (i !== undefined) then(Number(i));
  };
  text.addEventListener("pointerover", visit(on.point));
  text.addEventListener("click", visit(on.choose));
  mouseLeaves(text, on.leave);
  const values = { seed: one.seed, title: one.title };
  const button = (key, onclick, pressed) =>
    el("button", {
      text: labels(key, values),
      title: labels(`${key}.told`),
      "aria-label": labels(`${key}.of`, values),
      "data-name": `${key} ${on.place}`,
      onclick,
      "aria-pressed": pressed,
    });
  const tools = el(
    "div",
    { class: "gf-cardtools", "data-not-in-file": true },
    button("edit", on.edit, String(on.isOpen)),
    one.kind === "sample" ? button("reseed", on.reseed) : null,
    button(one.locked ? "locked" : "lock", on.lock, String(Boolean(one.locked))),
    on.remove ? button("remove", on.remove) : null,
  );
  const title = el("h4", { text: one.title });
  const seed =
    one.kind === "sample" ? el("span", { class: "gf-soft", text: labels("seeded", { seed: one.seed }) }) : null;
  const locked = one.locked ? el("span", { class: "gf-soft", text: labels("is_locked") }) : null;
  const foot = measures.map(({ name, value, isBest }, k) =>
    el(
      "span",
      { title: isBest ? labels("best", { measure: name }) : name, class: k > 1 ? "gf-deep" : null },
      `${SHORT[k]} `,
      isBest ? el("b", { text: `${value} ★` }) : value,
    ),
  );
  const box = el(
    "section",
    { class: one.locked ? "gf-col locked" : "gf-col" },
    el("div", { class: "gf-cardhead" }, title, seed, locked),
    tools,
    text,
    el("div", { class: "gf-measures" }, ...foot),
  );
  return { box, title, text, chips, end, tools };
}
