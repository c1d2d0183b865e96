// A page of its own on paper: light, without controls, each picture as its file has it. What would give an answer away
// comes last, under "Answers": each answer, and the pictures that wait for it.
import { el } from "../drawing/elements.js";
import { labels } from "./labels.js";

let undo = []; // what brings the page back, the last first

/**
 * Lay the page out for paper, or back for the screen.
 * @param {(Element | ShadowRoot)[]} places of the widgets, in their order
 * @param {boolean} isOn
 * @param {() => void} drawAnew draws all pictures in the colors of the moment
 */
export function onPaper(places, isOn, drawAnew) {
  for (const back of undo.reverse()) back();
  undo = [];
  document.documentElement.classList.toggle("gf-paper", isOn);
  const number = isOn ? answersLast() : 0;
  drawAnew();
  if (!isOn) return;
  for (const place of places) asFile(place.querySelector("figure.gf"));
  if (number) document.querySelector("main").prepend(note());
}

const note = () => {
  const words = el("p", { class: "gf-note", text: labels("answer_first") });
  undo.push(() => words.remove());
  return words;
};

/** The picture of a widget, in its place. */
function asFile(figure) {
  if (!figure) return;
  const picture = new DOMParser().parseFromString(figure.svg(), "image/svg+xml").documentElement;
  picture.style.cssText = "max-width: 100%; height: auto; overflow: visible";
  figure.after(picture);
  figure.style.display = "none";
  undo.push(() => {
    picture.remove();
    figure.style.display = "";
  });
}

/** Number the questions, and move what tells their answers behind everything else. Gives how many there are. */
function answersLast() {
  const main = document.querySelector("main");
  /** @type {NodeListOf<HTMLElement>} */
  const found = main.querySelectorAll(".gf-question");
  const questions = [...found];
  if (!questions.length) return 0;
  const last = el("section", { class: "gf-answers" }, el("h2", { text: labels("answers") }));
  const sections = /** @type {HTMLElement[]} */ ([...main.children]);
  const at = (question) => sections.indexOf(question.closest("main > *"));
  questions.forEach((question, i) => {
    question.dataset.number = `${i + 1}. `;
    undo.push(() => delete question.dataset.number);
    const solution = question.querySelector(".gf-solution");
    last.append(el("h3", { text: labels("question", { number: i + 1 }) }), ...solution.cloneNode(true).childNodes);
    // What waits for this question and for no later one follows its answer.
    const from = at(question);
    const to = i + 1 < questions.length ? at(questions[i + 1]) : sections.length;
    for (const section of sections.slice(from + 1, to)) if (section.dataset.waits) move(section, last);
  });
  main.append(last);
  undo.push(() => last.remove());
  return questions.length;
}

function move(section, last) {
  const mark = document.createComment("");
  section.replaceWith(mark);
  last.append(section);
  undo.push(() => mark.replaceWith(section));
}
