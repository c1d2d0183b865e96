// The teacher's desk: how the class is led, what it is asked, and how each learner stands. Never what is projected.
import { el } from "../drawing/elements.js";
import { knownQuestions, own_question, take_known, take_story, words } from "./desk_question.js";
import { card, count, crowd, grid } from "./desk_learners.js";
import { nodes } from "./asking.js";
import { counts } from "./counts.js";
import { isAlone, keepKey, open, root, teacherTicket } from "./line.js";
import { heardOfRaceDesk, raceDesk, raceTerms } from "./race/race_desk.js";
import { note, showLink } from "./told.js";

let { code, key } = teacherTicket("desk");
let projector = ""; // the key of the projector
let told = null;
let say = (_said) => {};
let bank = { lessons: [], rooms: [] }; // where there are questions
let texts = []; // that a race can be on
let chosen = null; // the learner whose cell is open

const ALONE =
  "Only this computer can open it. “Start a class” says how phones get here: see “The network of a school”.";
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
    el("h1", { text: "Your class" }),
    el("p", {
      text: "A code on the wall, your learners' phones, and you lead. No accounts; all is deleted when you end it.",
    }),
    el("button", { class: "solid", text: "Start a class", onclick: start }),
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
    ended: () => greet("", "The class has ended, and all of it is deleted."),
    lost: (isLost) => document.body.classList.toggle("lost", isLost),
    reply(to, what) {
      if (to === "places") bank = what;
      if (to === "questions") take_known(what);
      if (to === "projector key") projector = what;
      if (to === "new keys") {
        key = what;
        keepKey("desk", code, key);
        say({ do: "projector key" });
        note("All other desks and projectors are closed. Open the projector again.");
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
      { onchange: ({ target }) => change(Number(target.value)), "aria-label": "Step" },
      ...Array.from({ length: n }, (_, i) => el("option", { value: i + 1, text: i + 1, selected: i + 1 === value })),
    );
  const pace = (from, to) => say({ do: "mode", mode: "own pace", first: Math.min(from, to), last: Math.max(from, to) });
  return [
    el("h1", {}, "Class ", el("span", { class: "code", text: code })),
    isAlone ? el("p", { class: "problem", text: ALONE }) : "",
    el(
      "div",
      { class: "row" },
      el("button", { class: "solid", text: "Open the projector", disabled: !projector, onclick: openProjector }),
      el("button", { text: "Second device", onclick: secondDevice }),
      el("button", {
        text: "New keys",
        title: "If someone else may have a link to this desk: closes every other desk and projector",
        onclick: () => say({ do: "new keys" }),
      }),
    ),
    el("h2", { text: "Learners see" }),
    el(
      "div",
      { class: "row pills" },
      button("what I show", { do: "mode", mode: "with me" }, mode === "with me"),
      n
        ? el("button", {
            text: "steps at their pace",
            "aria-pressed": String(mode === "own pace"),
            onclick: () => pace(1, n),
          })
        : null,
      button("anything", { do: "mode", mode: "free" }, mode === "free"),
    ),
    mode === "own pace" && n
      ? el(
          "p",
          {},
          "From step ",
          step(first, (v) => pace(v, last)),
          " to ",
          step(last, (v) => pace(first, v)),
        )
      : "",
    el(
      "div",
      { class: "row" },
      button("Eyes up front", { do: "pause", on: !is_paused }, is_paused),
      button("Names on the projector", { do: "names", on: !has_names }, has_names),
      button("Let nobody else in", { do: "lock", on: !is_locked }, is_locked),
    ),
    el("h2", { text: "Go to" }),
    el(
      "select",
      {
        "aria-label": "A lesson",
        onchange: ({ target }) => target.value && go(`lessons?lesson=${target.value}&step=1`),
      },
      el("option", { value: "", text: lesson ? "" : "a lesson …" }),
      ...bank.lessons.map(({ slug, title }) => el("option", { value: slug, text: title, selected: slug === lesson })),
    ),
    el(
      "select",
      { "aria-label": "A room", onchange: ({ target }) => target.value && go(target.value) },
      el("option", { value: "", text: room ? "" : "a room …" }),
      ...bank.rooms.map(({ slug, title }) => el("option", { value: slug, text: title, selected: slug === room })),
    ),
    n ? steps(lesson, n) : "",
    el("details", {}, el("summary", { text: "End the class" }), ...ending()),
  ];
}

function steps(lesson, n) {
  const now = Number(new URL(told.view.address, root).searchParams.get("step") ?? 1);
  const to = (step) => () => go(`lessons?lesson=${lesson}&step=${step}`);
  return el(
    "div",
    { class: "row" },
    el("button", { text: "‹", "aria-label": "The step before", disabled: now <= 1, onclick: to(now - 1) }),
    el("span", { text: `Step ${now} of ${n}` }),
    el("button", { text: "›", "aria-label": "The next step", disabled: now >= n, onclick: to(now + 1) }),
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
    "Your desk on another device",
    "A phone as remote control, or a co-teacher. Anyone who has this link leads the class. Keep it, too, in case you " +
      "close this tab: it's the only way back.",
    `${root}desk#${code}.${key}`,
    "The projector on another computer. This link can only show pages.",
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
      button("All answers (CSV)", { do: "table" }),
      button("All races (CSV)", { do: "races" }),
      el("button", { text: "A page without names", title: "To keep, or to print", onclick: () => say({ do: "page" }) }),
    ),
    el("p", { text: "Learners, answers and questions are deleted at once, for good." }),
    el("button", { class: "solid", text: "End it and delete everything", onclick: () => say({ do: "end" }) }),
  ];
}

/** What may be asked. */
const asking = () => [
  el("h2", { text: "Ask the room" }),
  own_question(say),
  el("h3", { text: "Of a lesson or a room" }),
  knownQuestions(bank, new URL(told.view.address || "", root), say),
];

/** The question before the class. */
function running(one) {
  const n = told.learners.length;
  return [
    el("h2", { text: one.round > 1 ? `Round ${one.round}` : "The question" }),
    el("div", { class: "ask" }, ...nodes(one.ask)),
    el("p", { class: "many", role: "status" }, el("b", { text: one.n_answered }), ` of ${n} answered`),
    el(
      "div",
      { class: "row" },
      button(one.is_open ? "Close" : "Open again", { do: "open", on: !one.is_open }),
      button("Reveal", { do: "reveal", on: !one.is_revealed }, one.is_revealed),
      one.source || one.form.text || one.answer
        ? button(
            one.source || one.form.text ? "Let it be computed" : "Show the right answer",
            { do: one.is_answered ? "hide answer" : "compute" },
            one.is_answered,
          )
        : null,
      one.form.kind === "word" && one.form.text && one.rounds.at(-1).words.length
        ? button(`Write on with “${one.rounds.at(-1).words[0][0]}”`, {
            do: "write on",
            word: one.rounds.at(-1).words[0][0],
          })
        : null,
      button("Vote again", { do: "again" }),
      button("Done", { do: "done" }),
    ),
    counts(one.rounds, one.answer?.right),
    one.form.kind === "word" ? words(one, told.learners, say) : "",
    one.answer?.told ? el("div", { class: "told" }, ...nodes(one.answer.told)) : "",
  ];
}

if (code === "new") start();
else if (code && key) come();
else if (code) greet("This tab doesn't have the key of that class. Open the desk's link, or start a new class.");
else greet();
