// The learners in the grid of the desk, and what may be done with one of them.
import { el } from "../drawing/elements.js";
import { inWords } from "./counts.js";
import { stand } from "./race/race_board.js";

/** How one stands, in a word: [class, words]. What the teacher must see first stands first. */
function stands(one, hasQuestion, race) {
  if (one.hand) return ["hand", "✋ stuck"];
  if (one.is_gone) return ["gone", "gone"];
  if (one.is_right === true) return ["right", "✓ right"];
  if (one.is_right === false) return ["wrong", "✗ another answer"];
  if (one.value !== undefined) return ["said", "answered"];
  if (hasQuestion) return ["waits", "thinks"];
  if (race && !race.is_over) return racing(one, race);
  return one.is_still ? ["still", "still"] : ["works", "at work"];
}

function racing(one, { racers, board, entries }) {
  const racer = racers[one.id];
  const row = board?.find(({ id }) => id === racer);
  if (!board) return entries.some(([id]) => id === racer) ? ["said", "has entered"] : ["waits", "chooses"];
  if (!row) return ["works", "watches"];
  return row.state === "running" ? ["said", `trains, ${stand(row)}`] : ["waits", stand(row)];
}

/** Where one is: "Many heads 3, 2 of 4 done". */
function place({ address = "", states = "" }, { lessons, rooms }) {
  const asked = new URLSearchParams(address.split("?")[1]);
  const page = address.split("?")[0];
  const titleOf = (all, slug) => all.find((one) => one.slug === slug)?.title ?? slug;
  const lesson = asked.get("lesson") && titleOf(lessons, asked.get("lesson"));
  if (!lesson) return page ? titleOf(rooms, page) : "Home";
  const done = [...states].filter((one) => one !== "0").length;
  return `${lesson} ${asked.get("step") ?? 1}${states ? `, ${done} of ${states.length} done` : ""}`;
}

export const count = (learners) => [
  el("h2", { text: `Learners: ${learners.length}` }),
  learners.length ? "" : el("p", { class: "quiet", text: "Nobody yet. Open the projector: it shows the way in." }),
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
      text: is_full ? `The class is full: ${n} are from one network` : `${n} joined from one network in two minutes`,
    }),
    el("p", { text: "That's normal when your class joins. If it hasn't just joined, someone may be filling it." }),
    el("button", { text: "Remove those who've done nothing yet", onclick: () => say({ do: "clear", came }) }),
    el("button", { text: "Remove those who've left", onclick: () => say({ do: "clear", came, are_gone: true }) }),
  );

/** One learner: the answer, and what the teacher may do. */
export function card({ learners, question, lift, picks }, chosen, say) {
  const one = learners.find(({ id }) => id === chosen);
  if (!one) return [];
  const act = (text, said) => el("button", { text, onclick: () => say({ learner: one.id, ...said }) });
  const name = el("input", { value: one.name, maxlength: 24, "aria-label": "Name" });
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
      el("button", { text: "Rename", onclick: () => say({ do: "rename", learner: one.id, name: name.value }) }),
    ),
    has ? el("div", { class: "answer" }, ...inWords(question.form, one.value), one.is_late ? " (late)" : "") : null,
    el(
      "div",
      { class: "row" },
      has
        ? el("button", {
            text: isPicked ? "Don't show this answer" : "Show this answer",
            onclick: () => say({ do: "pick", picks: isPicked ? rest : [...rest, key] }),
          })
        : null,
      has ? act("Remove this answer", { do: "strike", learners: [one.id] }) : null,
      isAsked ? act("Don't ask", { do: "lift", learner: null }) : act("Show this screen", { do: "lift" }),
      one.hand ? act("Hand down", { do: "lower" }) : null,
      act("Send out", { do: "send out" }),
    ),
    isAsked ? el("p", { class: "quiet", text: "Waits for a yes on that screen." }) : null,
  );
  return [node];
}
