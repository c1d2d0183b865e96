// A question of a lesson on a page without a server: one answers first, then it says what was computed, and what waited
// for it shows itself.
import { el } from "../drawing/elements.js";
import { readFrame } from "../drawing/frame.js";
import { nodes } from "../drawing/markup.js";
import { labels } from "./labels.js";

let asked = 0; // the options of each hang together by a name

const answerIs = (html) => labels.parts("answer_is", { answer: el("b", {}, ...nodes(html)) });
const block = (html, name) => el("div", { class: name }, ...nodes(html));

/** How far a number is from the right one, in words. */
export function verdict(guess, { right, number }) {
  if (guess === null || !number) return "";
  const off = guess - right;
  if (Math.abs(off) < 1e-9) return labels("right");
  const far = [Number(Math.abs(off).toPrecision(3)), number.unit].filter(Boolean).join(" ");
  return labels(off > 0 ? "too_high" : "too_low", { guess, far });
}

function field({ options, number }) {
  if (number) {
    const input = el("input", { type: "number", min: number.low, max: number.high, step: "any" });
    input.setAttribute("aria-label", labels("your_prediction"));
    return [el("p", {}, input, ` ${number.unit}`), () => (input.value === "" ? null : Number(input.value))];
  }
  const name = `question-${++asked}`;
  const rows = Object.entries(options).map(([value, html]) => {
    const label = el("label", { class: "gf-option" }, el("input", { type: "radio", name, value }));
    label.append(...nodes(html));
    return label;
  });
  const box = el("div", {}, ...rows);
  return [box, () => box.querySelector(":checked")?.value ?? null];
}

/** On paper: where one writes the answer, and what it is. */
function forPaper({ options, number, right, answer, told, why }) {
  const range = number && labels("blank", number);
  const line = () => el("p", { text: range || "_".repeat(50) });
  const rows = Object.values(options).map((html) => el("p", { class: "gf-option" }, "☐ ", ...nodes(html)));
  const came = answer ? el("p", {}, ...answerIs(answer)) : "";
  return [
    el("div", { class: "gf-blank" }, ...(rows.length ? rows : [line()])),
    el("div", { class: "gf-solution" }, came, block(why[right] ?? "", "gf-told"), block(told, "gf-told")),
  ];
}

/** The sections that wait for the answer. */
function held(section, n) {
  const found = [];
  for (let next = section.nextElementSibling; next && found.length < n; next = next.nextElementSibling) {
    if (next.matches("section")) found.push(next);
  }
  return found;
}

export default async ({ data, parentElement }) => {
  const { header } = await readFrame(data);
  const { ask, kind, options, number, right, answer, told, why, holds } = header;
  const waiting = held(parentElement, holds);
  const canAnswer = number || Object.keys(options).length > 0;

  function begin() {
    const [control, read] = field(header);
    const buttons = el("p", {});
    if (canAnswer) {
      buttons.append(el("button", { text: labels("commit"), onclick: () => read() !== null && reveal(read()) }));
    }
    buttons.append(el("button", { text: labels("just_show"), onclick: () => reveal(null) }));
    draw(canAnswer ? control : "", buttons);
    for (const one of waiting) one.dataset.waits = String(Number(one.dataset.waits ?? 0) + 1);
  }

  function reveal(guess) {
    const said = el("p", { text: guess === right ? labels("yes") : verdict(guess, header) });
    const came = answer ? el("p", { class: "gf-answer" }, ...answerIs(answer)) : "";
    const again = el("button", { text: labels("try_again"), onclick: begin });
    draw(said, came, why[guess] ? block(why[guess]) : "", block(told, "gf-told"), el("p", {}, again));
    for (const one of waiting) {
      const left = Number(one.dataset.waits) - 1;
      if (left > 0) one.dataset.waits = String(left);
      else delete one.dataset.waits;
    }
  }

  const draw = (...parts) =>
    parentElement.replaceChildren(
      el(
        "div",
        { class: "gf-question", role: "group" },
        el("b", { text: `${kind}. ` }),
        block(ask),
        el("div", { class: "gf-screen" }, ...parts),
        ...forPaper(header),
      ),
    );
  begin();
};
