// The race on the wall.
import { timeLeft } from "./race_left.js";
import { el } from "../../drawing/elements.js";
import { attackShown, mattered, whyWorst, winnerAndMedian } from "./race_after.js";
import { fitted, raceCurves, raceTable } from "./race_board.js";

const LOOKS = {
  board: "The race",
  mattered: "What mattered",
  median: "Winner and median",
  why: "The worst run",
  shown: "Sentences",
};
const MEASURED = "On text that no model learns from: the last point on all of it, those before on samples.";
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
  const pills = Object.entries(LOOKS).map(([name, text]) =>
    el("button", {
      text,
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
      el("h2", { text: `${race.text}: ${title(race)}` }),
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
        el("p", { class: "quiet", text: MEASURED }),
      ),
      el("div", { class: "scrolls" }, raceTable(race.board, race)),
    ),
  mattered: (race, redraw) => mattered(race.mattered, redraw),
  median: (race) => winnerAndMedian(race.median),
  why: (race) => whyWorst(race.why, race.worst),
  shown: (race) => el("div", { class: "picks" }, ...race.shown.map((one) => attackShown(one))),
};

const title = (race) =>
  race.is_over
    ? "the race is run"
    : `${race.n_done} of ${race.board.length} ${race.in_teams ? "teams" : "runs"} are done. ${timeLeft(race)}`;

function invitation(race, nLearner) {
  const aim =
    race.goal === null
      ? "Whose model is least surprised by a part of the text that no model has seen?"
      : `Whose model comes below ${race.goal} bits per byte with the fewest parameters?`;
  return el(
    "div",
    { class: "wall invitation" },
    el("h2", { text: `A race on “${race.text}”` }),
    el("p", { text: aim }),
    el("p", {
      text: `Everybody gets the same work, counted in operations: about ${race.seconds} seconds of one core. A larger model makes fewer steps.`,
    }),
    el(
      "p",
      { class: "many", role: "status" },
      el("b", { text: race.n_entered }),
      race.in_teams ? " teams have entered" : ` of ${nLearner} have entered`,
    ),
  );
}
