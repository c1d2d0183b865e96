// The teacher's desk: how the class is led, what it is asked, and how each learner stands. Never what is projected.
import { el } from "../drawing/elements.js";
import { knownQuestions, own_question, take_known, take_story, words } from "./desk_question.js";
import { card, count, crowd, grid } from "./desk_learners.js";
import { nodes } from "../drawing/markup.js";
import { counts } from "./counts.js";
import { isAlone, keepKey, open, root, teacherTicket } from "./line.js";
import { heardOfRaceDesk, raceDesk, raceTerms } from "./race/race_desk.js";
import { note, showLink } from "./told.js";
import { labels } from "./labels.js";

let { code, key } = teacherTicket("desk");
let projector = ""; // the key of the projector
let told = null;
let say = (_said) => {};
let bank = { lessons: [], rooms: [] }; // where there are questions
let texts = []; // that a race can be on
let chosen = null; // the learner whose cell is open

const byName = (names, make) => Object.fromEntries(names.map((name) => [name, make(name)]));
const parts = {
  ...byName(["lead", "question", "race"], (name) => el("section", { class: `panel ${name}` })),
  ...byName(["count", "crowds", "card", "grid"], () => el("div", { class: "part" })),
};
const welcome = el("main", { class: "welcome" });
const learners = el("section", { class: "panel learners" }, parts.count, parts.crowds, parts.card, parts.grid);
const middle = el("div", { class: "column" }, parts.question, parts.race);
const desk = el("main", { class: "panels", hidden: true }, parts.lead, middle, learners);
document.body.append(welcome, desk);

async function start() {
  const answer = await fetch(`${root}classroom/start`, { method: "POST" });
  const made = await answer.json();
  if (made.refused) return greet(made.refused);
  ({ code, key } = made);
  keepKey("desk", code, key);
  come();
}

function greet(problem = "", so = "") {
  desk.hidden = true;
  welcome.hidden = false;
  welcome.replaceChildren(
    el("h1", { text: labels("your_class") }),
    el("p", {
      text: labels("welcome"),
    }),
    el("button", { class: "solid", text: labels("start_class"), onclick: start }),
    el("p", { class: "problem", role: "alert", text: problem }),
    el("p", { role: "status", text: so }),
  );
}

function come() {
  say = open(() => ({ role: "desk", code, key }), {
    told(now) {
      if (!told) for (const what of ["places", "race texts", "projector key"]) say({ do: what });
      told = now;
      welcome.hidden = true;
      desk.hidden = false;
      draw();
    },
    refused(why, isOut) {
      if (isOut) greet(why);
      else note(why);
    },
    ended: () => greet("", labels("class_ended")),
    lost: (isLost) => document.body.classList.toggle("lost", isLost),
    reply(to, what) {
      if (to === "places") bank = what;
      if (to === "questions") take_known(what);
      if (to === "projector key") projector = what;
      if (to === "new keys") {
        key = what;
        keepKey("desk", code, key);
        say({ do: "projector key" });
        note(labels("others_closed"));
      }
      if (to === "story") take_story(what);
      if (to === "race texts") texts = what;
      if (heardOfRaceDesk(to, what)) delete drawn.race;
      if (to === "table") save(what, "class.csv", "text/csv");
      if (to === "races") save(what, "races.csv", "text/csv");
      if (to === "page") save(what, "class.html", "text/html");
      draw();
    },
  });
}

const button = (text, said, isOn) =>
  el("button", { text, "aria-pressed": isOn === undefined ? undefined : String(isOn), onclick: () => say(said) });

// What is drawn anew between the press and the release of a button takes the click with it.
let isPressed = false;
addEventListener("pointerdown", () => (isPressed = true), true);
for (const what of ["pointerup", "pointercancel"]) {
  addEventListener(
    what,
    () => {
      isPressed = false;
      setTimeout(draw); // after the click
    },
    true,
  );
}

const drawn = {};
/** Draw a part anew if it has changed: somebody may be typing in it. */
function part(name, content, now) {
  const text = JSON.stringify(now);
  if (drawn[name] === text || isPressed) return;
  drawn[name] = text;
  parts[name].replaceChildren(...content());
}

function draw() {
  if (!told) return;
  const { mode, first, last, is_paused, has_names, is_locked, view, lift, question, race, crowds } = told;
  part("lead", lead, [code, projector, mode, first, last, is_paused, has_names, is_locked, view, bank]);
  part("question", () => (question ? running(question) : asking()), [question, bank, view.address]);
  parts.race.style.order = race ? "-1" : "0";
  part("race", () => (race ? raceDesk(race, say) : raceTerms(texts, say)), [race, texts]);
  part("count", () => count(told.learners), told.learners.length);
  part("crowds", () => crowds.map((one) => crowd(one, say)), crowds);
  const { id, name, value, is_late, hand } = told.learners.find((one) => one.id === chosen) ?? {};
  const asked = question && [question.n, question.round];
  part("card", () => card(told, chosen, say), [id, name, value, is_late, hand, asked, lift, told.picks]);
  part("grid", () => grid(told, { chosen, choose, bank }), [told.learners, Boolean(question), race, chosen, bank]);
}

function choose(id) {
  chosen = id;
  draw();
}

function lead() {
  const { mode, first, last, is_paused, has_names, is_locked, view } = told;
  const lesson = new URL(view.address || "", root).searchParams.get("lesson");
  const room = lesson ? "" : view.address.split("?")[0];
  const n = bank.lessons.find((one) => one.slug === lesson)?.steps.length ?? 0;
  const step = (value, change) =>
    el(
      "select",
      { onchange: ({ target }) => change(Number(target.value)), "aria-label": labels("step") },
      ...Array.from({ length: n }, (_, i) => el("option", { value: i + 1, text: i + 1, selected: i + 1 === value })),
    );
  const pace = (from, to) => say({ do: "mode", mode: "own pace", first: Math.min(from, to), last: Math.max(from, to) });
  return [
    el("h1", {}, ...labels.parts("class_code", { code: el("span", { class: "code", text: code }) })),
    isAlone ? el("p", { class: "problem", text: labels("alone_desk") }) : "",
    el(
      "div",
      { class: "row" },
      el("button", { class: "solid", text: labels("open_projector"), disabled: !projector, onclick: openProjector }),
      el("button", { text: labels("second_device"), onclick: secondDevice }),
      el("button", {
        text: labels("new_keys"),
        title: labels("new_keys_hint"),
        onclick: () => say({ do: "new keys" }),
      }),
    ),
    el("h2", { text: labels("learners_see") }),
    el(
      "div",
      { class: "row pills" },
      button(labels("mode.with_me"), { do: "mode", mode: "with me" }, mode === "with me"),
      n
        ? el("button", {
            text: labels("mode.own_pace"),
            "aria-pressed": String(mode === "own pace"),
            onclick: () => pace(1, n),
          })
        : null,
      button(labels("mode.free"), { do: "mode", mode: "free" }, mode === "free"),
    ),
    mode === "own pace" && n
      ? el(
          "p",
          {},
          ...labels.parts("from_step", {
            first: step(first, (v) => pace(v, last)),
            last: step(last, (v) => pace(first, v)),
          }),
        )
      : "",
    el(
      "div",
      { class: "row" },
      button(labels("eyes_front"), { do: "pause", on: !is_paused }, is_paused),
      button(labels("show_names"), { do: "names", on: !has_names }, has_names),
      button(labels("lock"), { do: "lock", on: !is_locked }, is_locked),
    ),
    el("h2", { text: labels("go_to") }),
    el(
      "select",
      {
        "aria-label": labels("a_lesson"),
        onchange: ({ target }) => target.value && go(`lessons?lesson=${target.value}&step=1`),
      },
      el("option", { value: "", text: lesson ? "" : labels("choose_lesson") }),
      ...bank.lessons.map(({ slug, title }) => el("option", { value: slug, text: title, selected: slug === lesson })),
    ),
    el(
      "select",
      { "aria-label": labels("a_room"), onchange: ({ target }) => target.value && go(target.value) },
      el("option", { value: "", text: room ? "" : labels("choose_room") }),
      ...bank.rooms.map(({ slug, title }) => el("option", { value: slug, text: title, selected: slug === room })),
    ),
    n ? steps(lesson, n) : "",
    el("details", {}, el("summary", { text: labels("end_class") }), ...ending()),
  ];
}

function steps(lesson, n) {
  const now = Number(new URL(told.view.address, root).searchParams.get("step") ?? 1);
  const to = (step) => () => go(`lessons?lesson=${lesson}&step=${step}`);
  return el(
    "div",
    { class: "row" },
    el("button", { text: "‹", "aria-label": labels("step_before"), disabled: now <= 1, onclick: to(now - 1) }),
    el("span", { text: labels("step_of", { step: now, all: n }) }),
    el("button", { text: "›", "aria-label": labels("step_next"), disabled: now >= n, onclick: to(now + 1) }),
  );
}

const go = (address) => say({ do: "show", address, exhibit: -1, by: "desk" });

/** The window that all see gets its key from this tab, so that no address ever shows it. */
function openProjector() {
  keepKey("projector", code, projector);
  window.open(`${root}projector#${code}`);
}

const secondDevice = () =>
  showLink(
    labels("desk_elsewhere"),
    labels("desk_link"),
    `${root}desk#${code}.${key}`,
    labels("projector_link"),
    `${root}projector#${code}.${projector}`,
  );

function save(text, name, type) {
  const href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  el("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

function ending() {
  return [
    el(
      "div",
      { class: "row" },
      button(labels("all_answers"), { do: "table" }),
      button(labels("all_races"), { do: "races" }),
      el("button", {
        text: labels("page_without_names"),
        title: labels("to_keep"),
        onclick: () => say({ do: "page" }),
      }),
    ),
    el("p", { text: labels("end_hint") }),
    el("button", { class: "solid", text: labels("end_all"), onclick: () => say({ do: "end" }) }),
  ];
}

/** What may be asked. */
const asking = () => [
  el("h2", { text: labels("ask_room") }),
  own_question(say),
  el("h3", { text: labels("of_a_place") }),
  knownQuestions(bank, new URL(told.view.address || "", root), say),
];

/** The question before the class. */
function running(one) {
  const n = told.learners.length;
  return [
    el("h2", { text: one.round > 1 ? labels("round", { n: one.round }) : labels("the_question") }),
    el("div", { class: "ask" }, ...nodes(one.ask)),
    el(
      "p",
      { class: "many", role: "status" },
      ...labels.parts("n_answered", { n: el("b", { text: one.n_answered }), all: n }),
    ),
    el(
      "div",
      { class: "row" },
      button(labels(one.is_open ? "close" : "open_again"), { do: "open", on: !one.is_open }),
      button(labels("reveal"), { do: "reveal", on: !one.is_revealed }, one.is_revealed),
      one.source || one.form.text || one.answer
        ? button(
            one.source || one.form.text ? labels("compute") : labels("show_right"),
            { do: one.is_answered ? "hide answer" : "compute" },
            one.is_answered,
          )
        : null,
      one.form.kind === "word" && one.form.text && one.rounds.at(-1).words.length
        ? button(labels("write_on", { word: one.rounds.at(-1).words[0][0] }), {
            do: "write on",
            word: one.rounds.at(-1).words[0][0],
          })
        : null,
      button(labels("vote_again"), { do: "again" }),
      button(labels("done"), { do: "done" }),
    ),
    counts(one.rounds, one.answer?.right),
    one.form.kind === "word" ? words(one, told.learners, say) : "",
    one.answer?.told ? el("div", { class: "told" }, ...nodes(one.answer.told)) : "",
  ];
}

if (code === "new") start();
else if (code && key) come();
else if (code) greet(labels("no_key"));
else greet();
