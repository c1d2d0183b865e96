// The race on a phone: choose settings, watch one's own run, attack.
import { el, grouped } from "../../drawing/elements.js";
import { attackShown } from "./race_after.js";
import { bits, raceCurves, stand } from "./race_board.js";
import { folding } from "../told.js";

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
  const head = el("div", { class: "ask row" }, race.in_teams ? `Your team: ${race.team.join(", ")}` : "The race", fold);
  if (isFolded) return [head];
  if (race.stage === "set up") return [head, ...choosing(race, say, redraw)];
  if (!race.me) return [head, el("p", { text: "You have no run in this race. Look at the projector." })];
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
    ? `${grouped(plan.n_parameter)} parameters: the work is enough for ${grouped(plan.n_step)} steps.`
    : "…";
  return [
    el("p", { text: `The work of ${race.seconds} seconds, for everybody the same. A larger model makes fewer steps.` }),
    el("div", { class: "settings" }, ...race.menu.map(field)),
    el("p", { role: "status", text: comesTo }),
    el("button", {
      class: "solid",
      text: race.mine ? "Change my entry" : "Enter the race",
      disabled: Boolean(isIn),
      onclick: () => say({ do: "enter", settings: chosen }),
    }),
    el("p", { class: "quiet", text: isIn ? "You're in. You can change it until the start." : "" }),
  ];
}

function watching({ me, best, n_done, n_racer, is_over, goal }) {
  const rows = me.place === 1 ? [me] : [me, best];
  const isWaiting = me.score === null && me.state !== "failed";
  const so = is_over ? "" : " so far";
  const words = isWaiting ? `${stand(me)}; ${n_done} done` : `${ordinal(me.place)} of ${n_racer}${so}`;
  return [
    el("p", { class: "many", role: "status" }, el("b", { text: words })),
    me.score === null ? "" : el("p", { text: `${bits(me.score)} bits per byte` }),
    raceCurves(rows, { goal, classes: ["you", "best"] }),
    el("p", { class: "quiet", text: me.settings }),
    me.message ? el("p", { text: me.message }) : "",
  ];
}

const ordinal = (n) => `${n}${n % 100 > 10 && n % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th")}`;

function attacking({ target, attack, me }, say) {
  const field = el("input", { maxlength: 100, value: struck?.sentence, "aria-label": "Your sentence", required: true });
  const onsubmit = (event) => {
    event.preventDefault();
    say({ do: "attack", sentence: field.value });
  };
  const send = el("button", { class: "solid", text: "Attack" });
  send.type = "submit";
  return [
    el("p", {
      text: `Find a sentence that surprises this model and not yours: ${target.settings} (${bits(target.score)}; yours ${bits(me.score)}).`,
    }),
    el("form", { class: "row", onsubmit }, field, send),
    struck ? attackShown(struck, "your") : "",
    el("p", {
      class: "quiet",
      text: attack ? `Your best: +${bits(attack.margin)}`.replace("+−", "−") : "Nonsense surprises both.",
    }),
  ];
}
