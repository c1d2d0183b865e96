// One step under a microscope: logits, each knob, the distribution, and the random number that picks the token.
import { el, format } from "../drawing/elements.js";
import { names } from "../drawing/names.js";
import { ranking } from "../drawing/sampling.js";
import { table } from "../drawing/table.js";
import { short, visible } from "../drawing/tokens.js";
import { inverseCdf } from "../engine/draws.js";
import { entropy, softmax } from "../engine/filters.js";
import { picture } from "../scene/scene.js";
import { doubleBar } from "../shared/double_bar.js";
import { drawLine, LINE_STYLE, lineLabel, piecesOf } from "../shared/token_line.js";
import { knobRange } from "./columns_editor.js";
import { KNOBS, pipeline, printed, spellKnobs } from "./knobs.js";
import { STYLE } from "./microscope_style.js";

const FIRST = ["t", "k", "p", "m"];
const MORE = ["y", "e", "h", "r", "n"];
const TABLE_ROWS = 500;
const NOTHING = "Nothing is left to draw: this filter forbids every token.";

/** @type {WeakMap<any, {plain: Float64Array, order: Uint32Array}>} */
const known = new WeakMap();

/** What the model itself says, ranked: of a large vocabulary that takes a while. */
function modelsOwn(z) {
  if (!known.has(z)) known.set(z, { plain: softmax(z), order: ranking(z).slice(0, TABLE_ROWS) });
  return known.get(z);
}

const isMoved = (settings, letter) => (settings[letter] ?? KNOBS[letter].neutral) !== KNOBS[letter].neutral;

export default picture(
  (h, arrays, { shell, theme, state, set }) => {
    const { settings, turn } = state;
    const tokens = names(shell);
    const z = arrays.logits.data;
    const { plain, order } = modelsOwn(z);
    const { p, stages } = pipeline(z, settings, h.ids);
    const isEmpty = stages.at(-1)?.nKept === 0;
    const u = h.draws[turn % h.draws.length];
    const taken = isEmpty ? null : inverseCdf(p, u);
    const things = [...order.slice(0, h.n_shown)];
    if (taken && !things.includes(taken.token)) things[things.length - 1] = taken.token;
    const full = Math.max(...things.map((t) => Math.max(plain[t], isEmpty ? 0 : p[t])), 1e-9);
    const count = (n) => n.toLocaleString("en");
    const drawn = taken
      ? [
          `Draw ${(turn % h.draws.length) + 1} of seed ${h.seed}: ${format(u, 4)} falls on `,
          short(tokens[taken.token], 18),
          `, which has ${format(taken.low, 4)} to ${format(taken.high, 4)}. `,
        ]
      : [NOTHING];

    const tell = (knobs) => shell.commit("knobs", { text: spellKnobs(knobs), given: h.id });
    function slider(letter) {
      const value = settings[letter] ?? KNOBS[letter].neutral;
      const { label, numbers, print } = knobRange(letter, value);
      return {
        label,
        min: 0,
        max: numbers.length - 1,
        value: numbers.indexOf(value),
        shown: print(value),
        hidden: MORE.includes(letter) && (!state.isOpen || theme.presenting),
        change: (i) => set({ ...state, settings: { ...settings, [letter]: numbers[i] } }),
        release: () => tell(settings),
      };
    }
    function draw(to) {
      set({ ...state, turn: to });
      shell.say(shell.root.querySelector(".gf-readout:last-of-type")?.textContent ?? "");
    }

    function cells(t) {
      let isLeft = true;
      return stages.map((stage) => {
        const text = stage.z[t] > -Infinity ? format(stage.z[t], 2) : isLeft ? "cut" : "";
        isLeft &&= stage.z[t] > -Infinity;
        return el("td", { text });
      });
    }

    function countRow() {
      return el(
        "tr",
        { class: "count" },
        el("th", { scope: "row", text: "tokens left" }),
        el("td", { class: "gf-deep", text: count(z.length) }),
        ...stages.map(({ nKept }) => el("td", { text: count(nKept) })),
        el("td", { text: count(stages.at(-1)?.nKept ?? z.length) }),
        el("td", { class: "bar" }),
      );
    }

    const line = el(
      "div",
      {
        class: "gf-line",
        role: "img",
        "aria-label": taken ? lineLabel({ ...taken, name: tokens[taken.token] }, u) : NOTHING,
      },
      ...(taken ? drawLine(piecesOf(p, taken, tokens), u, theme) : [el("span", { class: "say", text: NOTHING })]),
    );
    const button = (text, look, onclick) => el("button", { class: look, text, onclick });
    return {
      things,
      layout: "gf-stagebox",
      draw(t) {
        const isGone = isEmpty || stages.some((one) => one.z[t] === -Infinity);
        const isHit = taken?.token === t;
        const bar = doubleBar();
        bar.show(plain[t], isEmpty ? 0 : p[t], full);
        return el(
          "tr",
          { class: `${isGone ? "gone" : ""} ${isHit ? "hit" : ""}` },
          el("th", { scope: "row" }, el("bdi", { text: short(tokens[t], 14) }), isHit ? " ◂" : ""),
          el("td", { class: "gf-deep", text: format(z[t], 2) }),
          ...cells(t),
          el("td", { text: isGone ? "0" : printed(p[t]) }),
          bar.cell,
        );
      },
      arrange(rows) {
        const knobs = stages.map((one) => `${KNOBS[one.letter].name} ${Number(one.value.toPrecision(4))}`);
        const heads = ["token", el("th", { text: "logit", scope: "col", class: "gf-deep" }), ...knobs, "probability"];
        const bar = el("th", { class: "bar", scope: "col", text: "outlined: the model · filled: drawn from" });
        const whole = table([...heads, bar], rows, { class: "gf-stages" });
        whole.append(el("tfoot", {}, countRow()));
        return [whole];
      },
      mark(stage, place) {
        const at = place ?? 0;
        stage.querySelectorAll("tbody tr").forEach((row, i) => row.classList.toggle("on", i === at));
        line
          .querySelectorAll(".seg")
          .forEach((one) => one.classList.toggle("on", Number(one.dataset.t) === things[at]));
      },
      said(t) {
        const own = taken && p[t] > 0 ? p.subarray(0, t).reduce((sum, v) => sum + v, 0) : null;
        const has = own === null ? "no place on the line" : `${format(own, 4)} to ${format(own + p[t], 4)}`;
        const [before, token, after] = drawn;
        return [
          ...(taken ? [before, el("b", { text: token }), after] : []),
          el("span", { class: "gf-hint", text: `${visible(tokens[t])} has ${has}.` }),
        ];
      },
      chosen: 0,
      label: h.takeaway,
      note: drawn.join(""),
      controls: [
        ...FIRST.map(slider),
        {
          text: "All knobs off",
          act() {
            set({ ...state, settings: {} });
            tell({});
          },
        },
        {
          text: "More knobs",
          title: "Typical, epsilon, eta, and what looks at the text so far",
          pressed: state.isOpen,
          hidden: theme.presenting,
          act: () => set({ ...state, isOpen: !state.isOpen }),
        },
        ...MORE.map(slider),
      ],
      first: [
        el(
          "div",
          { class: "gf-readout" },
          `${count(z.length)} tokens`,
          ...stages.flatMap(({ letter, nKept }) => [
            " → ",
            el("b", { text: KNOBS[letter].name }),
            ` ${count(nKept)} left`,
          ]),
          el("span", { class: "gf-deep", text: " → softmax" }),
          el("span", {
            class: "gf-deep",
            text: isEmpty ? "" : ` · entropy ${format(entropy(plain), 2)} → ${format(entropy(p), 2)} nats`,
          }),
        ),
      ],
      above: [
        line,
        el(
          "div",
          { class: "gf-controls" },
          button("Draw again", "gf-primary", () => draw(turn + 1)),
          button("First draw", "gf-solid", () => draw(0)),
        ),
      ],
      columns: ["token", "id", "logit", ...stages.map(({ letter }) => KNOBS[letter].name), "model", "drawn from"],
      rows: Array.from(order, (t) => [
        visible(tokens[t]),
        String(t),
        z[t],
        ...stages.map((one) => (one.z[t] === -Infinity ? "cut" : one.z[t])),
        plain[t],
        taken ? p[t] : "–",
      ]),
    };
  },
  {
    style: STYLE + LINE_STYLE,
    state(h, old, before) {
      const settings = h.text === before?.text ? old.settings : { ...h.knobs };
      const isOpen = old?.isOpen || MORE.some((letter) => isMoved(settings, letter));
      return { settings, isOpen, turn: h.seed === before?.seed ? old.turn : 0 };
    },
  },
);
