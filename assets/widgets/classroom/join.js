// A learner's screen: a code and a name, then the app in a frame; what the class is asked lies over it.
import { el } from "../drawing/elements.js";
import { appFrame, pageOf } from "./app_frame.js";
import { nodes } from "../drawing/markup.js";
import { ask } from "./asking.js";
import { boardLayer } from "./board_show.js";
import { counts, inWords } from "./counts.js";
import { open, root, ticket } from "./line.js";
import { foldRace, heardOfRace, racePhone, raceState } from "./race/race_phone.js";
import { note, showLink } from "./told.js";
import { labels } from "./labels.js";

const BEAT = 15_000; // ms between two signs of life
const NEWCOMER = "Who are you?"; // the mark in core/classroom/class_admission.py, the same in every language
const IDLE = 60_000; // ms without a touch after which one is no longer at work
const { code: given, key } = ticket();
let say = (_said) => {};
let told = null; // what the class last said
let mine = null; // what was sent and is not confirmed yet
let isAway = false; // wandered off
let code = given;

let last = ""; // address
const app = appFrame((where, isOwn) => {
  if (!told || where.address === last) return; // to scroll is not to wander off
  last = where.address;
  if (!isOwn) return at(false);
  if (told.mode === "with me" && where.address !== told.view.address) isAway = true;
  if (told.mode === "own pace") keepIn(where.address);
  at(true);
  draw();
});
const board = boardLayer(app);
const top = el("header", { hidden: true });
const sheet = el("section", { class: "sheet", hidden: true, "aria-live": "polite" });
const cover = el("section", { class: "cover", hidden: true });
const welcome = el("main", { class: "welcome" });
document.body.append(top, app.frame, board.layer, sheet, cover, welcome);

/** Ask for code and name. */
function knock(problem = "") {
  const field = el("input", {
    value: code,
    maxlength: 12,
    "aria-label": labels("code_field"),
    placeholder: "K7M2QX",
    autocapitalize: "characters",
    autocomplete: "off",
    class: "code",
    required: true,
  });
  const name = el("input", {
    maxlength: 24,
    "aria-label": labels("nickname"),
    placeholder: labels("nickname_empty"),
    autocomplete: "off",
  });
  const enter = el("button", { class: "solid", text: labels("join") });
  enter.type = "submit";
  const onsubmit = (event) => {
    event.preventDefault();
    code = field.value;
    if (code.replace(/[ -]/g, "").length !== 6) return knock(labels("bad_code"));
    come({ name: name.value, is_new: true });
  };
  welcome.replaceChildren(
    el("h1", { text: labels("join_class") }),
    el(
      "form",
      { onsubmit },
      el("label", {}, labels("code"), field),
      el("label", {}, labels("nickname"), name),
      el("p", { class: "quiet", text: labels("nickname_hint") }),
      enter,
      el("p", { class: "problem", role: "alert", text: problem }),
    ),
  );
  welcome.hidden = false;
  (code ? name : field).focus();
}

function come(first) {
  welcome.replaceChildren(el("p", { text: labels("one_moment") }));
  say = open(() => ({ role: "learner", code, key: first.key, ...first }), {
    told(now) {
      first = { key: first.key }; // from now on the browser is known
      if (!told) history.replaceState(null, "", `#${now.code}`);
      hear(now);
    },
    refused(why, isOut, comesAgain) {
      mine = null;
      if (comesAgain && !told) return welcome.replaceChildren(el("p", { role: "status", text: why }));
      if (why === NEWCOMER) return knock();
      if (isOut && !told) return knock(why);
      if (isOut) return end(why);
      note(why);
      return draw();
    },
    ended: () => end(labels("thanks")),
    lost(isLost) {
      document.body.classList.toggle("lost", isLost);
      draw();
    },
    reply(to, secret) {
      const text = labels("way_back");
      if (heardOfRace(to, secret)) drawSheet();
      if (to === "way back") showLink(labels("other_device"), text, `${root}join#${told.code}.${secret}`);
    },
  });
}

function hear(now) {
  const before = told;
  told = now;
  welcome.hidden = true;
  top.hidden = false;
  if (!before || now.question?.n !== before.question?.n || now.question?.round !== before.question?.round) mine = null;
  else if (now.question && (before.question?.mine ?? null) !== null && now.question.mine === null) {
    note(labels("answer_removed"));
  }
  if (now.question && JSON.stringify(now.question.mine) === JSON.stringify(mine)) mine = null;
  const isAsked = now.question && !now.question.is_answered;
  app.close(isAsked ? now.question.source : "");
  if (before?.mode !== now.mode) isAway = false;
  const hasMoved = JSON.stringify(before?.view) !== JSON.stringify(now.view);
  if (before?.race?.stage !== now.race?.stage) foldRace(false);
  else if (hasMoved && now.view.by === "desk") foldRace(true); // the teacher shows something else
  const isCalled = now.mode === "with me" && (hasMoved || before?.mode !== now.mode) && !isAway;
  if (!app.isOpen()) app.go(now.view);
  else if (isCalled) goAlong(now);
  if (now.mode === "with me" && !isAway) board.hear(now.code, now.view, now.board);
  else board.fold();
  if (now.mode === "own pace" && pace(before ?? {}) !== pace(now)) {
    keepIn(app.where().address);
  }
  if (!before) at(true);
  draw();
}

const BESIDE = 60; // ms of the server for one who opens another room
const AHEAD = 1500; // ms in which the projector gets there, and what stands on it to all

let awaited = ""; // the page for which one's turn is to come
/** To another room not all at once, and after the projector: what stands on it is on the screen meanwhile. */
function goAlong({ view, n_learner, board: { key: isLed } }) {
  const page = pageOf(view.address);
  if (page === awaited) return;
  const isThere = page === pageOf(app.where().address);
  awaited = isThere ? "" : page;
  if (isThere) return app.go(view);
  const go = () => {
    if (page === awaited) awaited = "";
    if (page === pageOf(told.view.address) && !isAway) app.go(told.view);
  };
  const beside = n_learner * BESIDE;
  setTimeout(go, (isLed ? Math.min(AHEAD, beside) : 0) + Math.random() * beside);
}

const pace = ({ mode, first, last }) => JSON.stringify([mode, first, last]);

function draw() {
  if (!told) return;
  const isLost = document.body.classList.contains("lost");
  const hand = el("button", {
    text: told.hand ? labels("hand_up") : labels("im_stuck"),
    "aria-pressed": String(told.hand),
    onclick: () => say({ do: "hand", up: !told.hand }),
  });
  const back = el("button", { class: "solid back", text: labels("back_to_class"), onclick: comeBack });
  const way = el("button", {
    text: "⋮",
    "aria-label": labels("other_device"),
    onclick: () => say({ do: "way back" }),
  });
  top.replaceChildren(
    el("b", { text: told.name }),
    el("span", {
      class: "quiet",
      role: "status",
      text: isLost ? labels("no_connection") : WHERE[told.mode](told),
    }),
    isAway && told.mode === "with me" ? back : "",
    hand,
    way,
  );
  drawSheet();
  const isCovered = told.is_paused || told.may_show;
  cover.hidden = !isCovered;
  if (told.may_show) {
    cover.replaceChildren(
      el("h2", { text: labels("may_show") }),
      el("p", { text: labels("may_show_hint") }),
      el("button", {
        class: "solid",
        text: labels("yes_show"),
        onclick: () => say({ do: "consent", yes: true, ...app.where() }),
      }),
      el("button", { text: labels("no"), onclick: () => say({ do: "consent", yes: false }) }),
    );
  } else if (told.is_paused) cover.replaceChildren(el("h2", { text: labels("eyes_front") }));
}

const WHERE = {
  "with me": () => (isAway ? labels("on_own_way") : labels("with_class")),
  "own pace": ({ first, last }) => labels(first === last ? "step_n" : "steps_at_pace", { step: first, first, last }),
  free: () => labels("look_around"),
};

function comeBack() {
  isAway = false;
  app.go(told.view);
  draw();
}

/** At one's own pace one stays between two steps of the lesson. */
function keepIn(address) {
  const asked = new URL(address, root).searchParams;
  const here = new URL(told.view.address, root).searchParams;
  const step = Number(asked.get("step") ?? 1);
  const isThere = asked.get("lesson") === here.get("lesson");
  if (isThere && step >= told.first && step <= told.last) return;
  const to = isThere ? Math.min(Math.max(step, told.first), told.last) : told.first;
  note(isThere ? labels("stays_in_steps", { first: told.first, last: told.last }) : labels("stays_in_lesson"));
  app.go({ address: `lessons?lesson=${here.get("lesson")}&step=${to}`, exhibit: -1 });
}

let drawn = ""; // of what has not changed nothing is drawn anew: somebody may be typing
function drawSheet() {
  const { question, race } = told;
  const now = JSON.stringify([question, mine, question ? null : [race, raceState()]]);
  if (now === drawn) return;
  drawn = now;
  sheet.hidden = !question && !race;
  if (question) drawQuestion(question);
  else if (race) sheet.replaceChildren(...racePhone(race, say, drawSheet));
}

function drawQuestion(one) {
  const answered = mine ?? one.mine;
  const send = (value) => {
    mine = value;
    if (value !== null) say({ do: "answer", n: one.n, round: one.round, value });
    draw();
  };
  const isOver = one.is_revealed || one.is_answered;
  sheet.replaceChildren(
    el(
      "div",
      { class: "ask" },
      one.round > 1 ? el("b", { class: "quiet", text: labels("round", { n: one.round }) }) : null,
      ...nodes(one.ask),
    ),
    isOver ? yours(one, answered) : ask(one.form, send, answered),
    one.rounds.length ? counts(one.rounds, one.answer?.right) : "",
    one.answer ? el("div", { class: "told" }, ...nodes(one.answer.told)) : "",
    el("p", { class: "quiet", role: "status", text: stand(one, answered) }),
  );
}

/** What was answered, and whether it was right. */
function yours(one, answered) {
  if (answered === null) return "";
  const verdict = { true: "answer_right", false: "answer_wrong" }[one.is_right] ?? "answer_given";
  const answer = el("b", {}, ...inWords(one.form, answered));
  return el("p", { class: "yours" }, ...labels.parts(verdict, { answer }));
}

function stand(one, answered) {
  if (one.is_revealed || one.is_answered) return answered === null ? labels("not_answered") : "";
  if (answered === null && !one.is_open) return labels("time_up");
  if (answered === null) return labels("only_teacher");
  if (mine !== null) return labels("sending");
  return one.is_late ? labels("came_late") : labels("sent");
}

function end(why) {
  told = null;
  for (const one of [top, sheet, cover]) one.hidden = true;
  app.frame.remove();
  welcome.replaceChildren(el("h1", { text: why }), el("p", {}, el("a", { href: root, text: labels("go_on_alone") })));
  welcome.hidden = false;
}

/** Tell where one is. */
function at(isActive) {
  const { address } = app.where();
  const slug = new URL(address || "", root).searchParams.get("lesson") ?? "";
  const states = slug && (document.cookie.match(new RegExp(`[=.]${slug}%3A\\d+\\*?%3A([012]*)`))?.[1] ?? "");
  say({ do: "at", address, states, is_active: isActive });
}
setInterval(() => told && at(app.rest() < IDLE), BEAT);

if (code) come({ key });
else knock();
