// The learners in the grid of the desk, and what may be done with one of them.
import { el } from "../drawing/elements.js";
import { inWords } from "./counts.js";
import { stand } from "./race/race_board.js";
import { labels } from "./labels.js";

/** How one stands, in a word: [class, words]. What the teacher must see first stands first. */
function stands(one, hasQuestion, race) {
  if (one.hand) return ["hand", labels("stands.stuck")];
  if (one.is_gone) return ["gone", labels("stands.gone")];
  if (one.is_right === true) return ["right", labels("stands.right")];
  if (one.is_right === false) return ["wrong", labels("stands.wrong")];
  if (one.value !== undefined) return ["said", labels("stands.answered")];
  if (hasQuestion) return ["waits", labels("stands.thinks")];
  if (race && !race.is_over) return racing(one, race);
  return one.is_still ? ["still", labels("stands.still")] : ["works", labels("stands.works")];
}

function racing(one, { racers, board, entries }) {
  const racer = racers[one.id];
  const row = board?.find(({ id }) => id === racer);
  if (!board) {
    return entries.some(([id]) => id === racer)
      ? ["said", labels("stands.entered")]
      : ["waits", labels("stands.chooses")];
  }
  if (!row) return ["works", labels("stands.watches")];
  return row.state === "running" ? ["said", labels("stands.trains", { stand: stand(row) })] : ["waits", stand(row)];
}

/** Where one is: "Many heads 3, 2 of 4 done". */
function place({ address = "", states = "" }, { lessons, rooms }) {
  const asked = new URLSearchParams(address.split("?")[1]);
  const page = address.split("?")[0];
  const titleOf = (all, slug) => all.find((one) => one.slug === slug)?.title ?? slug;
  const lesson = asked.get("lesson") && titleOf(lessons, asked.get("lesson"));
  if (!lesson) return page ? titleOf(rooms, page) : labels("home");
  const done = [...states].filter((one) => one !== "0").length;
  const where = { lesson, step: asked.get("step") ?? 1, done, all: states.length };
  return labels(states ? "at_step.done" : "at_step", where);
}

export const count = (learners) => [
  el("h2", { text: labels("n_learners_head", { n: learners.length }) }),
  learners.length ? "" : el("p", { class: "quiet", text: labels("nobody") }),
];

export function grid({ learners, question, race }, { chosen, choose, bank }) {
  const cell = (one) => {
    const [kind, words] = stands(one, Boolean(question), race);
    return el(
      "button",
      {
        class: `cell ${kind}`,
        "aria-expanded": String(one.id === chosen),
        onclick: () => choose(one.id === chosen ? null : one.id),
      },
      el("b", { text: one.name }),
      el("span", { text: words }),
      el("small", { text: place(one, bank) }),
    );
  };
  return [el("div", { class: "grid" }, ...learners.map(cell))];
}

/** Many have joined at once: a class that begins, or one person who wants to fill it. */
let isCrowdOpen = false; // it is drawn anew with each one who joins
export const crowd = ({ came, n, is_full }, say) =>
  el(
    "details",
    { class: "crowd", open: isCrowdOpen, ontoggle: ({ target }) => (isCrowdOpen = target.open) },
    el("summary", {
      text: is_full ? labels("crowd_full", { n }) : labels("crowd", { n }),
    }),
    el("p", { text: labels("crowd_why") }),
    el("button", { text: labels("remove_idle"), onclick: () => say({ do: "clear", came }) }),
    el("button", { text: labels("remove_left"), onclick: () => say({ do: "clear", came, are_gone: true }) }),
  );

/** One learner: the answer, and what the teacher may do. */
export function card({ learners, question, lift, picks }, chosen, say) {
  const one = learners.find(({ id }) => id === chosen);
  if (!one) return [];
  const act = (text, said) => el("button", { text, onclick: () => say({ learner: one.id, ...said }) });
  const name = el("input", { value: one.name, maxlength: 24, "aria-label": labels("name") });
  const key = question && [question.n, question.round, one.id];
  const rest = picks.filter((pick) => JSON.stringify(pick) !== JSON.stringify(key));
  const isPicked = rest.length < picks.length;
  const isAsked = lift?.learner === one.id && !lift.is_granted;
  const has = one.value !== undefined;
  const node = el(
    "div",
    { class: "card" },
    el(
      "div",
      { class: "row" },
      name,
      el("button", { text: labels("rename"), onclick: () => say({ do: "rename", learner: one.id, name: name.value }) }),
    ),
    has
      ? el("div", { class: "answer" }, ...inWords(question.form, one.value), one.is_late ? ` ${labels("late")}` : "")
      : null,
    el(
      "div",
      { class: "row" },
      has
        ? el("button", {
            text: isPicked ? labels("hide_answer") : labels("show_answer"),
            onclick: () => say({ do: "pick", picks: isPicked ? rest : [...rest, key] }),
          })
        : null,
      has ? act(labels("remove_answer"), { do: "strike", learners: [one.id] }) : null,
      isAsked ? act(labels("dont_ask"), { do: "lift", learner: null }) : act(labels("show_screen"), { do: "lift" }),
      one.hand ? act(labels("hand_down"), { do: "lower" }) : null,
      act(labels("send_out"), { do: "send out" }),
    ),
    isAsked ? el("p", { class: "quiet", text: labels("waits_for_yes") }) : null,
  );
  return [node];
}
