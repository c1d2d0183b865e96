// The settings of one column, and the list of columns to add.
import { el } from "../drawing/elements.js";
import { KNOBS } from "./knobs.js";
import { labels } from "./labels.js";

// Columns to add; the names are those of their texts.
const PRESETS = [
  ["greedy", { kind: "greedy" }],
  ["softmax", { kind: "sample" }],
  ["t", { kind: "sample", knobs: { t: 0.7 } }],
  ["k", { kind: "sample", knobs: { k: 5 } }],
  ["p", { kind: "sample", knobs: { p: 0.9 } }],
  ["m", { kind: "sample", knobs: { m: 0.1 } }],
  ["y", { kind: "sample", knobs: { y: 0.5 } }],
  ["e", { kind: "sample", knobs: { e: 0.01 } }],
  ["h", { kind: "sample", knobs: { h: 0.01 } }],
  ["r", { kind: "greedy", knobs: { r: 1.3 } }],
  ["n", { kind: "greedy", knobs: { n: 3 } }],
  ["beam", { kind: "beam", beams: 4, penalty: 1 }],
];
// What a slider runs through; `off` is the number that changes nothing.
const RANGES = {
  t: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 10],
  k: [1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100, 0],
  p: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 1],
  m: [0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 0.9, 1],
  y: [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1],
  e: [0, 0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2],
  h: [0, 0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.2],
  r: [0.8, 1, 1.1, 1.2, 1.3, 1.5, 2, 3, 5],
  n: [0, 1, 2, 3, 4, 5, 6],
};

/** What a slider of a knob runs through, its name, and how it prints a number. */
function knobRange(letter, value) {
  const knob = KNOBS[letter];
  const numbers = [...new Set([...RANGES[letter], value])];
  const off = RANGES[letter].at(-1) === knob.neutral; // the end that cuts nothing: sorted to the right or to the left
  numbers.sort((a, b) => (off && a === knob.neutral ? 1 : off && b === knob.neutral ? -1 : a - b));
  const print = (v) => (v === knob.neutral && letter !== "t" ? labels("off") : String(Number(v.toPrecision(4))));
  return { label: labels(`knob.${letter}`), numbers, print };
}

/** A slider over a knob's numbers; `change` when it is let go. */
function knobSlider(letter, value, change) {
  const { label, numbers, print } = knobRange(letter, value);
  const look = { type: "range", "aria-label": label, "data-name": `knob.${letter}` };
  const range = el("input", { ...look, min: 0, max: numbers.length - 1, step: 1 });
  const output = el("output");
  const paint = () => {
    output.textContent = print(numbers[range.value]);
    range.setAttribute("aria-valuetext", output.textContent);
  };
  range.value = numbers.indexOf(value);
  range.addEventListener("input", paint);
  range.addEventListener("change", () => change(numbers[range.value]));
  paint();
  return el("label", {}, el("span", { text: label }), range, output);
}

/** A list that adds a column. */
export function presetMenu(add) {
  const menu = el(
    "select",
    { "aria-label": labels("add.told"), "data-name": "add" },
    el("option", { value: "", text: labels("add") }),
    ...PRESETS.map(([name], i) => el("option", { value: i, text: labels(`preset.${name}`) })),
  );
  menu.addEventListener("change", () => {
    if (menu.value !== "") add(PRESETS[menu.value][1]);
    menu.value = "";
  });
  return menu;
}

/** All that one column can be set to. */
export function editor(one, change, close) {
  const kind = el(
    "select",
    { "aria-label": labels("kind"), "data-name": "kind" },
    ...["greedy", "sample", "beam"].map((value) =>
      el("option", { value, text: labels(`kind.${value}`), selected: value === one.kind }),
    ),
  );
  kind.addEventListener("change", () =>
    change({
      kind: kind.value,
      knobs: kind.value === "beam" ? {} : one.knobs,
      beams: one.beams ?? 4,
      penalty: one.penalty ?? 1,
    }),
  );
  const field = (name, value, limits, run) => {
    const input = el("input", { type: "number", value, "aria-label": name, ...limits });
    input.addEventListener("change", () => {
      const v = Number(input.value);
      if (input.value !== "" && v >= limits.min && v <= limits.max) run(limits.step === 1 ? Math.round(v) : v);
      else input.value = value;
    });
    return el("label", {}, el("span", { text: name }), input);
  };
  const parts =
    one.kind === "beam"
      ? [
          field(labels("beams"), one.beams, { min: 1, max: 8, step: 1 }, (beams) => change({ beams })),
          field(labels("penalty"), one.penalty, { min: 0, max: 5, step: 0.1 }, (penalty) => change({ penalty })),
        ]
      : [
          ...Object.entries(KNOBS).map(([letter, knob]) =>
            knobSlider(letter, one.knobs[letter] ?? knob.neutral, (v) =>
              change({ knobs: { ...one.knobs, [letter]: v } }),
            ),
          ),
          ...(one.kind === "sample"
            ? [field(labels("seed"), one.seed, { min: 0, max: 2147483647, step: 1 }, (seed) => change({ seed }))]
            : []),
        ];
  return el(
    "div",
    { class: "gf-panel gf-editor", role: "group", "aria-label": labels("settings", { title: one.title }) },
    el(
      "div",
      { class: "gf-controls" },
      el("b", { text: one.title }),
      el("label", {}, kind),
      ...parts,
      el("button", { class: "gf-solid", text: labels("done"), onclick: close }),
    ),
  );
}
