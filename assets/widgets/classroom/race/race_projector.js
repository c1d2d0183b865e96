// The race on the wall.
import { timeLeft } from "./race_left.js";
import { el } from "../../drawing/elements.js";
import { attackShown, mattered, whyWorst, winnerAndMedian } from "./race_after.js";
import { fitted, raceCurves, raceTable } from "./race_board.js";
import { labels } from "./labels.js";

const LETTER = 24; // pixels: to be read from the last row
let look = "board";
let nShown = 0;

/** @param {any} race as core/classroom/race/race_views.py tells it; `redraw` after another look was chosen */
export function raceWall(race, nLearner, redraw) {
  if (race.stage === "set up") return invitation(race, nLearner);
  if (!race.is_over) look = "board";
  if (race.shown.length > nShown) look = "shown";
  nShown = race.shown.length;
  if (!race[look]?.length && look !== "median") look = "board";
  const pills = Object.keys(BODIES).map((name) =>
    el("button", {
      text: labels(`look.${name}`),
      "aria-pressed": String(name === look),
      hidden: ["why", "shown"].includes(name) && !race[name]?.length,
      onclick: () => {
        look = name;
        redraw();
      },
    }),
  );
  return el(
    "div",
    { class: "wall" },
    el(
      "div",
      { class: "row" },
      el("h2", { text: title(race) }),
      race.is_over ? el("div", { class: "row pills" }, ...pills) : null,
    ),
    BODIES[look](race, redraw),
  );
}

const BODIES = {
  board: (race) =>
    el(
      "div",
      { class: "two" },
      el(
        "div",
        { class: "chart" },
        fitted((wide, high) => raceCurves(race.board, { goal: race.goal, wide, high, letter: LETTER })),
        el("p", { class: "quiet", text: labels("measured") }),
      ),
      el("div", { class: "scrolls" }, raceTable(race.board, race)),
    ),
  mattered: (race, redraw) => mattered(race.mattered, redraw),
  median: (race) => winnerAndMedian(race.median),
  why: (race) => whyWorst(race.why, race.worst),
  shown: (race) => el("div", { class: "picks" }, ...race.shown.map((one) => attackShown(one))),
};

const title = (race) => {
  if (race.is_over) return labels("title_over", { text: race.text });
  const values = { text: race.text, done: race.n_done, all: race.board.length, time_left: timeLeft(race) };
  return labels(race.in_teams ? "title_teams" : "title_runs", values).trim();
};

function invitation(race, nLearner) {
  const aim = race.goal === null ? labels("aim_lowest") : labels("aim_goal", { goal: race.goal });
  return el(
    "div",
    { class: "wall invitation" },
    el("h2", { text: labels("a_race_on", { text: race.text }) }),
    el("p", { text: aim }),
    el("p", {
      text: labels("same_operations", { seconds: race.seconds }),
    }),
    el(
      "p",
      { class: "many", role: "status" },
      ...labels.parts(race.in_teams ? "teams_have_entered" : "have_entered", {
        n: el("b", { text: race.n_entered }),
        all: nLearner,
      }),
    ),
  );
}
