// The race at the teacher's desk: open one, start it, and what may be shown of it.
import { timeLeft } from "./race_left.js";
import { el } from "../../drawing/elements.js";
import { sign } from "./race_after.js";
import { raceTable } from "./race_board.js";
import { labels } from "./labels.js";

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
  if (!texts.length) return [el("h2", { text: labels("race") }), el("p", { text: labels("no_training") })];
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
    el("h2", { text: labels("race") }),
    el("p", { class: "quiet", text: labels("same_work") }),
    el(
      "div",
      { class: "settings" },
      field(labels("text"), select("text", texts)),
      field(
        labels("seconds_of_work"),
        select(
          "seconds",
          [5, 10, 20, 40].map((n) => [n, String(n)]),
        ),
      ),
      field(
        labels("goal"),
        el("input", {
          type: "number",
          min: 0.1,
          max: 8,
          step: 0.1,
          value: draft.goal,
          placeholder: labels("lowest_wins"),
          oninput: ({ target }) => (draft.goal = target.value),
        }),
      ),
      field(
        labels("seed"),
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
        text: labels("teams_of_four"),
        "aria-pressed": String(draft.teams),
        onclick: ({ target }) => {
          draft.teams = !draft.teams;
          target.setAttribute("aria-pressed", String(draft.teams));
        },
      }),
      el("button", { class: "solid", text: labels("open_race"), onclick: open }),
    ),
  ];
}

export function raceDesk(race, say) {
  const button = (text, said, isOn) =>
    el("button", { text, "aria-pressed": isOn === undefined ? undefined : String(isOn), onclick: () => say(said) });
  const head = el("h2", { text: labels("race_on", { text: race.text }) });
  if (race.stage === "set up") {
    if (asked !== JSON.stringify(race.entries) && race.n_entered) {
      asked = JSON.stringify(race.entries);
      say({ do: "race cost" });
    }
    return [
      head,
      el("p", { role: "status", text: `${entered(race)} ${timeIn(race)}` }),
      el(
        "div",
        { class: "row" },
        el("button", {
          class: "solid",
          text: labels("start"),
          disabled: !race.n_entered,
          onclick: () => say({ do: "race start" }),
        }),
        button(labels("call_off"), { do: "race done" }),
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
      race.is_over ? button(labels("show_heads"), { do: "race winner" }) : null,
      race.is_over
        ? el("button", {
            text: labels("explain_worst"),
            title: labels("explain_hint"),
            onclick: () => say({ do: "race why" }),
          })
        : null,
      race.is_over
        ? button(labels("attack_button"), { do: "race attack", on: race.stage !== "attack" }, race.stage === "attack")
        : null,
      button(labels(race.is_over ? "done" : "stop_race"), { do: "race done" }),
    ),
    race.stage === "attack" ? attacks(race, say) : "",
    el("div", { class: "scrolls" }, raceTable(race.board, race)),
  ];
}

const entered = ({ n_entered, in_teams }) => labels(in_teams ? "teams_entered" : "n_entered", { n: n_entered });

function timeIn({ n_entered }) {
  if (cost?.n !== n_entered) return "";
  const { seconds, n_slot } = cost;
  if (seconds < 90) return labels("cost_seconds", { n: seconds, n_slot });
  return labels("cost_minutes", { n: Math.round(seconds / 60), n_slot });
}

/** Sentences, the best first; none is on the projector that the teacher has not read. */
function attacks({ attacks: all, shown }, say) {
  const one = ({ racer, name, sentence, margin }) => {
    const isOn = shown.includes(racer);
    return el(
      "button",
      {
        class: "option",
        "aria-pressed": String(isOn),
        title: labels("show_on_projector"),
        onclick: () => say({ do: "race shown", racers: isOn ? shown.filter((id) => id !== racer) : [...shown, racer] }),
      },
      el("small", { text: `${name}, ${sign(margin)}` }),
      el("span", { text: sentence }),
    );
  };
  if (!all.length) return el("p", { class: "quiet", text: labels("attack_rule") });
  return el("div", { class: "options" }, ...all.map(one));
}
