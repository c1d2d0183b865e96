// The race on a phone: choose settings, watch one's own run, attack.
import { el, grouped } from "../../drawing/elements.js";
import { attackShown, sign } from "./race_after.js";
import { bits, raceCurves, stand } from "./race_board.js";
import { folding } from "../told.js";
import { labels } from "./labels.js";

let chosen = null; // settings by name, as strings
let plan = null; // what they come to
let of = 0; // the number of the race that both are of
let struck = null; // what the last sentence came to
let isFolded = false; // to see what lies behind

/** What the server replies; whether it is to be shown. */
export function heardOfRace(to, what) {
  if (to === "plan") plan = what;
  if (to === "attack") struck = what;
  return to === "plan" || to === "attack";
}

/** Something else is to be seen, or the race again. */
export const foldRace = (on) => (isFolded = on);

/** All that the sheet depends on beside what the class says. */
export const raceState = () => [chosen, plan, struck, isFolded];

const keyOf = (values) => JSON.stringify(Object.entries(values).sort());

export function racePhone(race, say, redraw) {
  if (of !== race.n) [of, chosen, plan, struck] = [race.n, null, null, null];
  const fold = folding(isFolded, "race", () => {
    isFolded = !isFolded;
    redraw();
  });
  const head = el(
    "div",
    { class: "ask row" },
    race.in_teams ? labels("your_team", { names: race.team.join(", ") }) : labels("the_race"),
    fold,
  );
  if (isFolded) return [head];
  if (race.stage === "set up") return [head, ...choosing(race, say, redraw)];
  if (!race.me) return [head, el("p", { text: labels("no_run") })];
  if (race.stage === "attack" && race.target) return [head, ...attacking(race, say)];
  return [head, ...watching(race)];
}

function choosing(race, say, redraw) {
  chosen ??= race.mine ?? Object.fromEntries(race.menu.map(({ name, first }) => [name, first]));
  if (plan === null) {
    plan = {};
    say({ do: "plan", settings: chosen });
  }
  const field = ({ name, label, values }) =>
    el(
      "label",
      {},
      label,
      el(
        "select",
        {
          onchange: ({ target }) => {
            chosen = { ...chosen, [name]: target.value };
            plan = null;
            redraw();
          },
        },
        ...values.map(([value, text]) => el("option", { value, text, selected: value === chosen[name] })),
      ),
    );
  const isIn = race.mine && keyOf(race.mine) === keyOf(chosen);
  const comesTo = plan?.n_step
    ? labels("comes_to", { n_parameter: grouped(plan.n_parameter), n_step: grouped(plan.n_step) })
    : "…";
  return [
    el("p", { text: labels("work", { seconds: race.seconds }) }),
    el("div", { class: "settings" }, ...race.menu.map(field)),
    el("p", { role: "status", text: comesTo }),
    el("button", {
      class: "solid",
      text: labels(race.mine ? "change_entry" : "enter"),
      disabled: Boolean(isIn),
      onclick: () => say({ do: "enter", settings: chosen }),
    }),
    el("p", { class: "quiet", text: isIn ? labels("youre_in") : "" }),
  ];
}

function watching({ me, best, n_done, n_racer, is_over, goal }) {
  const rows = me.place === 1 ? [me] : [me, best];
  const isWaiting = me.score === null && me.state !== "failed";
  const words = isWaiting
    ? labels("waiting", { stand: stand(me), n_done })
    : labels(is_over ? placeKey(me.place) : `${placeKey(me.place)}.so_far`, { place: me.place, all: n_racer });
  return [
    el("p", { class: "many", role: "status" }, el("b", { text: words })),
    me.score === null ? "" : el("p", { text: labels("score", { bits: bits(me.score) }) }),
    raceCurves(rows, { goal, classes: ["you", "best"], names: [labels("you"), labels("best")] }),
    el("p", { class: "quiet", text: me.settings }),
    me.message ? el("p", { text: me.message }) : "",
  ];
}

/** The key of the text that names a place: English has four endings, 1st to 4th. */
const placeKey = (n) => `place_${n % 100 > 10 && n % 100 < 14 ? 4 : n % 10 > 0 && n % 10 < 4 ? n % 10 : 4}`;

function attacking({ target, attack, me }, say) {
  const field = el("input", {
    maxlength: 100,
    value: struck?.sentence,
    "aria-label": labels("your_sentence"),
    required: true,
  });
  const onsubmit = (event) => {
    event.preventDefault();
    say({ do: "attack", sentence: field.value });
  };
  const send = el("button", { class: "solid", text: labels("attack_button") });
  send.type = "submit";
  return [
    el("p", {
      text: labels("find_sentence", { settings: target.settings, score: bits(target.score), own: bits(me.score) }),
    }),
    el("form", { class: "row", onsubmit }, field, send),
    struck ? attackShown(struck, true) : "",
    el("p", {
      class: "quiet",
      text: attack ? labels("your_best", { margin: sign(attack.margin) }) : labels("nonsense"),
    }),
  ];
}
