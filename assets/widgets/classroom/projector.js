// What all see: the app in a frame, which leads the class; the way in; the question, and how the class has answered it.
// No name stands here unless the teacher shows it.
import { el } from "../drawing/elements.js";
import { appFrame } from "./app_frame.js";
import { nodes } from "../drawing/markup.js";
import { spaced } from "./asking.js";
import { counts, inWords } from "./counts.js";
import { forgetKey, isAlone, open, root, teacherTicket } from "./line.js";
import { raceWall } from "./race/race_projector.js";
import { folding } from "./told.js";
import { labels } from "./labels.js";

forgetKey("desk"); // this window is a copy of the desk's: what all look at holds the weaker key alone
const { code, key } = teacherTicket("projector");
const own = Math.random().toString(36).slice(2);
let told = null;
let isFolded = false; // the question, to see what lies behind it
let isRaceFolded = false;
let hasCode = true; // the way in covers the screen

const app = appFrame((where, isOwn) => isOwn && say({ do: "show", by: own, ...where }), lay);
const sheet = el("section", { class: "sheet", hidden: true });
const wall = el("section", { class: "sheet race", hidden: true });
const way = el("section", { class: "cover way" });
const foot = el("footer");
document.body.append(app.frame, wall, sheet, way, foot);

const say = open(() => ({ role: "projector", code, key }), {
  told(now) {
    const before = told;
    told = now;
    const isNew = JSON.stringify(before?.view) !== JSON.stringify(now.view);
    if (!app.isOpen() || (isNew && now.view.by !== own)) app.go(now.view);
    if (now.question?.n !== before?.question?.n) isFolded = false;
    if ((now.question && !before?.question) || (now.race && !before?.race)) hasCode = false;
    if (now.view.by === "desk" && isNew) isRaceFolded = true; // the teacher shows something else
    if (now.race?.stage !== before?.race?.stage) isRaceFolded = false;
    draw();
  },
  refused: (why, isOut) => isOut && end(why),
  ended: () => end(labels("class_over")),
  lost: (isLost) => document.body.classList.toggle("lost", isLost),
});

const PAUSES = [1000, 2000, 4000]; // ms before a new try
let laid = ""; // the page that was laid last
/** What stands here is what learners see until their own app is there. */
async function lay(page, address, n = 0) {
  if (told?.mode !== "with me") return;
  laid = page;
  const to = `${root}classroom/board?of=${told.code}&at=${encodeURIComponent(address)}`;
  try {
    const answer = await fetch(to, { method: "POST", headers: { "x-key": key }, body: page });
    await answer.text();
    if (answer.ok) return;
  } catch {
    /* the line says what is lost */
  }
  if (n < PAUSES.length) setTimeout(() => laid === page && lay(page, address, n + 1), PAUSES[n]);
}

function end(why) {
  for (const one of [app.frame, sheet, wall, foot]) one.remove();
  way.replaceChildren(el("h1", { text: why }));
  way.hidden = false;
}

const address = `${document.body.dataset.way}/join`.replace(/^https?:[/][/]/, "");
let shown = "";
function draw() {
  way.hidden = !hasCode;
  if (shown !== told.code) {
    shown = told.code;
    way.replaceChildren(
      el("img", { src: `${root}classroom/code.svg?of=${told.code}`, alt: labels("qr_code") }),
      el(
        "div",
        {},
        el("p", { text: labels("scan_or_open") }),
        el("p", { class: "address", text: address }),
        isAlone ? el("small", { text: labels("alone_projector") }) : null,
        el("p", { text: labels("and_type") }),
        el("p", { class: "code", text: told.code }),
        el("button", { class: "solid", text: labels("begin"), onclick: () => fold(false) }),
      ),
    );
  }
  const n = told.n_learner;
  foot.replaceChildren(
    el("button", {
      text: told.code,
      class: "code",
      title: labels("way_in"),
      "aria-pressed": String(hasCode),
      onclick: () => fold(!hasCode),
    }),
    el("span", { text: labels("n_learners", { n }) }),
    el("span", { class: "quiet", text: told.names.join(", ") }),
    told.from_learner ? el("b", { text: labels("found", { name: told.from_learner }) }) : "",
    told.is_paused ? el("b", { text: labels("eyes_front") }) : "",
  );
  drawQuestion(told.question);
  drawRace();
}

function fold(on) {
  hasCode = on;
  draw();
}

let raced = "";
function drawRace() {
  const { race, n_learner } = told;
  const now = JSON.stringify([race, n_learner, isRaceFolded]);
  wall.hidden = !race;
  if (!race || now === raced) return;
  raced = now;
  wall.classList.toggle("folded", isRaceFolded);
  const fold = () => {
    isRaceFolded = !isRaceFolded;
    drawRace();
  };
  const again = () => {
    raced = "";
    drawRace();
  };
  wall.replaceChildren(
    folding(isRaceFolded, "race", fold, labels("race")),
    isRaceFolded ? "" : raceWall(race, n_learner, again),
  );
}

/** What one may choose from, while it is open. */
function offered({ kind, options, tokens, low, high, unit }) {
  if (kind === "choice") return el("ul", {}, ...Object.values(options).map((html) => el("li", {}, ...nodes(html))));
  if (kind === "token") {
    return el("div", { class: "tokens" }, ...tokens.map((text) => el("code", { translate: "no", text: spaced(text) })));
  }
  return kind === "number"
    ? el("p", { class: "quiet", text: labels("number_range", { low, high, unit }).trim() })
    : null;
}

function drawQuestion(one) {
  sheet.hidden = !one;
  if (!one) return;
  sheet.classList.toggle("folded", isFolded);
  const onclick = () => {
    isFolded = !isFolded;
    draw();
  };
  const many = el(
    "p",
    { class: "many", role: "status" },
    ...labels.parts("n_answered", { n: el("b", { text: one.n_answered }), all: told.n_learner }),
  );
  const asked = el(
    "div",
    { class: "ask" },
    one.round > 1 ? el("b", { class: "quiet", text: labels("round", { n: one.round }) }) : null,
    ...nodes(one.ask),
    one.form.text ? el("p", { class: "given", text: `${one.form.text} …` }) : null,
  );
  const reason = one.answer?.told ? el("div", { class: "told" }, ...nodes(one.answer.told)) : null;
  const isWide = reason?.querySelector("table") || reason?.textContent.length > 100; // beside the question it is cut
  if (isWide) reason.classList.add("wide");
  const pick = ({ value, name, form }) =>
    el("div", { class: "pick" }, ...inWords(form, value), name ? el("small", { text: name }) : null);
  sheet.replaceChildren(
    folding(isFolded, "question", onclick, labels("question")),
    el("div", { class: "left" }, asked, one.rounds.length ? null : offered(one.form), many, isWide ? null : reason),
    el(
      "div",
      { class: one.rounds.length > 1 ? "right-side wide" : "right-side" },
      told.picks.length ? el("div", { class: "picks" }, ...told.picks.map(pick)) : null,
      one.rounds.length ? counts(one.rounds, one.answer?.right) : null,
    ),
    isWide ? reason : "",
  );
}
