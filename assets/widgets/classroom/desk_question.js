// What a teacher may ask: a question made on the spot, or one of a lesson or a room.
import { el } from "../drawing/elements.js";
import { nodes } from "./asking.js";

const RIGHT = ["right", "The right answer, if there is one", ""];
const FIELDS = {
  choice: [["options", "Options, one in each line", "yes\nno"], RIGHT],
  number: [["low", "Lowest", "0"], ["high", "Highest", "100"], ["unit", "Unit", ""], RIGHT],
  word: [["text", "A text to continue, if there is one", ""], RIGHT],
  token: [["text", "A text; learners point at one of its tokens", "Tom and Mia played near the park."]],
  cell: [
    ["rows", "Rows, one in each line", "Tom\nsaw\nMia"],
    ["columns", "Columns, one in each line", "Tom\nsaw\nMia"],
  ],
  curve: [
    ["low", "Lowest", "0"],
    ["high", "Highest", "4"],
    ["x_title", "Across", "time"],
    ["y_title", "Up", "loss"],
  ],
};
const LABELS = {
  choice: "a choice",
  number: "a number",
  word: "a word",
  token: "a token",
  cell: "a cell",
  curve: "a curve",
};
const LINES = ["options", "rows", "columns"];
const NUMBERS = ["low", "high"];

/** The form. What is typed stays until it is asked. */
const draft = { ask: "", kind: "choice", values: {}, seed: null };
let redraw = () => {};

/** A story came whose next word is known. */
export function take_story(text) {
  draft.values.text = text;
  draft.ask ||= "Which word comes next?";
  redraw();
}

export function own_question(say) {
  const box = el("form", { class: "own", onsubmit: send });
  function send(event) {
    event.preventDefault();
    const told = { do: "ask", ask: draft.ask, kind: draft.kind };
    for (const [name, , usual] of FIELDS[draft.kind]) {
      const text = draft.values[name] ?? usual;
      if (draft.kind === "word" && draft.seed !== null) told.seed = draft.seed;
      const isNumber = NUMBERS.includes(name) || (name === "right" && draft.kind === "number" && text !== "");
      told[name] = LINES.includes(name) ? text.split("\n") : isNumber ? Number(text) : text;
    }
    say(told);
  }
  function draw() {
    const kind = (name) =>
      el("button", {
        text: LABELS[name],
        "aria-pressed": String(name === draft.kind),
        onclick: () => {
          draft.kind = name;
          draw();
        },
      });
    const field = ([name, label, usual]) =>
      el(
        "label",
        {},
        label,
        el(LINES.includes(name) ? "textarea" : "input", {
          value: LINES.includes(name) ? undefined : (draft.values[name] ?? usual),
          text: LINES.includes(name) ? (draft.values[name] ?? usual) : undefined,
          rows: 3,
          oninput: ({ target }) => {
            draft.values[name] = target.value;
            if (name === "text") draft.seed = null; // the teacher's own from here on
          },
        }),
      );
    const submit = el("button", { class: "solid", text: "Ask" });
    submit.type = "submit";
    box.replaceChildren(
      el(
        "label",
        {},
        "Your question",
        el("input", { value: draft.ask, maxlength: 300, oninput: ({ target }) => (draft.ask = target.value) }),
      ),
      el("div", { class: "row pills", role: "group", "aria-label": "Answered by" }, ...Object.keys(FIELDS).map(kind)),
      el("div", { class: "fields" }, ...FIELDS[draft.kind].map(field)),
      draft.kind === "word" ? story() : "",
      submit,
    );
  }
  /** A story that the small models have not read, so that the next word is known. */
  function story() {
    const seed = el("input", { type: "number", min: 0, max: 999999, value: draft.seed ?? 1, "aria-label": "Seed" });
    const take = () => {
      draft.seed = Number(seed.value);
      say({ do: "story", seed: draft.seed });
    };
    return el("div", { class: "row" }, el("button", { text: "Take a story", onclick: take }), "seed", seed);
  }
  redraw = draw;
  draw();
  return box;
}

let place = { of: "", isRoom: false }; // whose questions are offered
let known = [];
let drawKnown = () => {};

/** The questions of a place came. */
export function take_known(questions) {
  known = questions;
  drawKnown();
}

/** The questions of the lessons and rooms; first those of where the class is. */
export function knownQuestions({ lessons, rooms }, here, say) {
  const box = el("div", { class: "options" });
  const take = (of, isRoom) => {
    if (of === place.of && isRoom === place.isRoom) return;
    place = { of, isRoom };
    known = [];
    say({ do: "questions", of, is_room: isRoom });
  };
  const asked = rooms.filter(({ has_questions }) => has_questions);
  const lesson = here.searchParams.get("lesson");
  const room = asked.find(({ slug }) => here.pathname.endsWith(`/${slug}`));
  if (lesson) take(lesson, false);
  else if (room) take(room.slug, true);
  const group = (label, some, isRoom) =>
    el(
      "optgroup",
      { label },
      ...some.map(({ slug, title }) =>
        el("option", {
          value: `${isRoom ? "room" : "lesson"}/${slug}`,
          text: title,
          selected: slug === place.of && isRoom === place.isRoom,
        }),
      ),
    );
  const onchange = ({ target }) => {
    const [kind, of] = target.value.split("/");
    take(of, kind === "room");
    drawKnown();
  };
  drawKnown = () =>
    box.replaceChildren(
      el(
        "select",
        { "aria-label": "Questions of a lesson or a room", onchange },
        el("option", { value: "", text: "which one?" }),
        group("Lessons", lessons, false),
        group("Rooms", asked, true),
      ),
      el("div", { class: "options" }, ...known.map((one) => option(one, say))),
    );
  drawKnown();
  return box;
}

const option = ({ source, step, title, ask }, say) =>
  el(
    "button",
    { class: "option", onclick: () => say({ do: "ask known", source }) },
    el("small", { text: step ? `Step ${step}` : title }),
    ...nodes(ask),
  );

/** What was written, to be read before it goes on the wall. */
export function words(one, learners, say) {
  const wrote = new Map();
  for (const learner of learners.filter(({ value }) => value !== undefined)) {
    const word = learner.value.toLowerCase();
    wrote.set(word, [...(wrote.get(word) ?? []), learner]);
  }
  if (!wrote.size) return "";
  const word = (some) =>
    el("button", {
      text: `${some[0].value} ✕`,
      title: "Remove this word",
      "aria-label": `Remove “${some[0].value}”`,
      onclick: () => say({ do: "strike", learners: some.map(({ id }) => id) }),
    });
  return el(
    "div",
    { class: "row" },
    el("p", {
      text: one.is_revealed ? "On the wall. Remove a word:" : "Read these before you reveal them. Remove a word:",
    }),
    ...[...wrote.values()].map(word),
  );
}
