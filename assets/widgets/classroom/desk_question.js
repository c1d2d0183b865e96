// What a teacher may ask: a question made on the spot, or one of a lesson or a room.
import { el } from "../drawing/elements.js";
import { nodes } from "../drawing/markup.js";
import { labels } from "./labels.js";

const RIGHT = ["right", labels("field.right"), ""];
const FIELDS = {
  choice: [["options", labels("field.options"), labels("yes_no")], RIGHT],
  number: [
    ["low", labels("field.low"), "0"],
    ["high", labels("field.high"), "100"],
    ["unit", labels("field.unit"), ""],
    RIGHT,
  ],
  word: [["text", labels("field.continue"), ""], RIGHT],
  token: [["text", labels("field.point"), "Tom and Mia played near the park."]],
  cell: [
    ["rows", labels("field.rows"), "Tom\nsaw\nMia"],
    ["columns", labels("field.columns"), "Tom\nsaw\nMia"],
  ],
  curve: [
    ["low", labels("field.low"), "0"],
    ["high", labels("field.high"), "4"],
    ["x_title", labels("field.across"), labels("time")],
    ["y_title", labels("field.up"), labels("loss")],
  ],
};
const LINES = ["options", "rows", "columns"];
const NUMBERS = ["low", "high"];

/** The form. What is typed stays until it is asked. */
const draft = { ask: "", kind: "choice", values: {}, seed: null };
let redraw = () => {};

/** A story came whose next word is known. */
export function take_story(text) {
  draft.values.text = text;
  draft.ask ||= labels("which_next");
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
        text: labels(`kind.${name}`),
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
    const submit = el("button", { class: "solid", text: labels("ask") });
    submit.type = "submit";
    box.replaceChildren(
      el(
        "label",
        {},
        labels("your_question"),
        el("input", { value: draft.ask, maxlength: 300, oninput: ({ target }) => (draft.ask = target.value) }),
      ),
      el(
        "div",
        { class: "row pills", role: "group", "aria-label": labels("answered_by") },
        ...Object.keys(FIELDS).map(kind),
      ),
      el("div", { class: "fields" }, ...FIELDS[draft.kind].map(field)),
      draft.kind === "word" ? story() : "",
      submit,
    );
  }
  /** A story that the small models have not read, so that the next word is known. */
  function story() {
    const seed = el("input", {
      type: "number",
      min: 0,
      max: 999999,
      value: draft.seed ?? 1,
      "aria-label": labels("seed"),
    });
    const take = () => {
      draft.seed = Number(seed.value);
      say({ do: "story", seed: draft.seed });
    };
    return el(
      "div",
      { class: "row" },
      el("button", { text: labels("take_story"), onclick: take }),
      labels("seed_word"),
      seed,
    );
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
        { "aria-label": labels("questions_of"), onchange },
        el("option", { value: "", text: labels("which_one") }),
        group(labels("lessons"), lessons, false),
        group(labels("rooms"), asked, true),
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
    el("small", { text: step ? labels("step_n", { step }) : title }),
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
      title: labels("remove_word"),
      "aria-label": labels("remove_named", { word: some[0].value }),
      onclick: () => say({ do: "strike", learners: some.map(({ id }) => id) }),
    });
  return el(
    "div",
    { class: "row" },
    el("p", {
      text: one.is_revealed ? labels("on_wall") : labels("read_first"),
    }),
    ...[...wrote.values()].map(word),
  );
}
