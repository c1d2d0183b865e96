// The race at the teacher's desk: open one, start it, and what may be shown of it.
import { timeLeft } from "./race_left.js";
import { el } from "../../drawing/elements.js";
import { sign } from "./race_after.js";
import { raceTable } from "./race_board.js";

const draft = { text: "", seconds: 10, teams: false, goal: "", seed: 0 };
let cost = null;
let asked = "";

/** What the server replies; whether it is to be shown. */
export function heardOfRaceDesk(to, what) {
  if (to !== "race cost") return false;
  cost = what;
  return true;
}

/** Before a race: its terms. @param {[string, string][]} texts */
export function raceTerms(texts, say) {
  if (!texts.length) return [el("h2", { text: "Race" }), el("p", { text: "Training is switched off on this server." })];
  const field = (label, input) => el("label", {}, label, input);
  const select = (name, values) =>
    el(
      "select",
      { onchange: ({ target }) => (draft[name] = target.value) },
      ...values.map(([value, text]) => el("option", { value, text, selected: String(draft[name]) === String(value) })),
    );
  const open = () =>
    say({
      do: "race",
      text: draft.text || texts[0][0],
      seconds: Number(draft.seconds),
      teams: draft.teams,
      goal: draft.goal === "" ? null : Number(draft.goal),
      seed: Number(draft.seed),
    });
  return [
    el("h2", { text: "Race" }),
    el("p", { class: "quiet", text: "The same text and the same work for all; everybody chooses settings." }),
    el(
      "div",
      { class: "settings" },
      field("Text", select("text", texts)),
      field(
        "Seconds of work",
        select(
          "seconds",
          [5, 10, 20, 40].map((n) => [n, String(n)]),
        ),
      ),
      field(
        "Goal, bits per byte",
        el("input", {
          type: "number",
          min: 0.1,
          max: 8,
          step: 0.1,
          value: draft.goal,
          placeholder: "lowest wins",
          oninput: ({ target }) => (draft.goal = target.value),
        }),
      ),
      field(
        "Seed",
        el("input", {
          type: "number",
          min: 0,
          value: draft.seed,
          oninput: ({ target }) => (draft.seed = target.value),
        }),
      ),
    ),
    el(
      "div",
      { class: "row" },
      el("button", {
        text: "Teams of four",
        "aria-pressed": String(draft.teams),
        onclick: ({ target }) => {
          draft.teams = !draft.teams;
          target.setAttribute("aria-pressed", String(draft.teams));
        },
      }),
      el("button", { class: "solid", text: "Open the race", onclick: open }),
    ),
  ];
}

export function raceDesk(race, say) {
  const button = (text, said, isOn) =>
    el("button", { text, "aria-pressed": isOn === undefined ? undefined : String(isOn), onclick: () => say(said) });
  const head = el("h2", { text: `Race: ${race.text}` });
  if (race.stage === "set up") {
    if (asked !== JSON.stringify(race.entries) && race.n_entered) {
      asked = JSON.stringify(race.entries);
      say({ do: "race cost" });
    }
    return [
      head,
      el("p", { role: "status", text: `${race.n_entered} ${race.in_teams ? "teams" : ""} entered. ${inWords(race)}` }),
      el(
        "div",
        { class: "row" },
        el("button", {
          class: "solid",
          text: "Start",
          disabled: !race.n_entered,
          onclick: () => say({ do: "race start" }),
        }),
        button("Call it off", { do: "race done" }),
      ),
      el("ul", {}, ...race.entries.map(([, name, settings]) => el("li", {}, el("b", { text: name }), ` ${settings}`))),
    ];
  }
  return [
    head,
    el("p", { role: "status", text: timeLeft(race) }),
    el(
      "div",
      { class: "row" },
      race.is_over ? button("Show the winner's heads", { do: "race winner" }) : null,
      race.is_over
        ? el("button", {
            text: "Explain the worst",
            title: "Up to eight more runs: the last one again, each time with one setting of the winner's",
            onclick: () => say({ do: "race why" }),
          })
        : null,
      race.is_over
        ? button("Attack", { do: "race attack", on: race.stage !== "attack" }, race.stage === "attack")
        : null,
      button(race.is_over ? "Done" : "Stop the race", { do: "race done" }),
    ),
    race.stage === "attack" ? attacks(race, say) : "",
    el("div", { class: "scrolls" }, raceTable(race.board, race)),
  ];
}

const inWords = ({ n_entered }) =>
  cost && cost.n === n_entered
    ? `If nothing else runs here: about ${cost.seconds < 90 ? `${cost.seconds} seconds` : `${Math.round(cost.seconds / 60)} minutes`}, ${cost.n_slot} at a time.`
    : "";

/** Sentences, the best first; none is on the projector that the teacher has not read. */
function attacks({ attacks: all, shown }, say) {
  const one = ({ racer, name, sentence, margin }) => {
    const isOn = shown.includes(racer);
    return el(
      "button",
      {
        class: "option",
        "aria-pressed": String(isOn),
        title: "Show it on the projector",
        onclick: () => say({ do: "race shown", racers: isOn ? shown.filter((id) => id !== racer) : [...shown, racer] }),
      },
      el("small", { text: `${name}, ${sign(margin)}` }),
      el("span", { text: sentence }),
    );
  };
  if (!all.length) return el("p", { class: "quiet", text: "Each attacks the model one place ahead." });
  return el("div", { class: "options" }, ...all.map(one));
}
