// A staircase of guesses: each line is one position of a sentence, with what the model has read there, which word it
// expects, and which one came. A film over a training.
import { clamp, el, measure, percent } from "../drawing/elements.js";
import { inText, quoted, word } from "../drawing/tokens.js";
import { grouped } from "../page/numbers.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { guessesAt, lastThatFit, stretches } from "./next_words_math.js";

const STYLE = `
.gf-stairs { position: relative; display: grid; gap: 0 0.6rem; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.gf-stairs > .line { display: grid; grid-template-columns: subgrid; grid-column: 1 / -1; align-items: center; height: var(--line); border-radius: 4px; }
.gf-stairs > .line.on { background: var(--gf-wash); }
.gf-stairs .heads { color: var(--gf-soft); font-size: 0.8125rem; white-space: nowrap; }
.gf-stairs .read { justify-self: stretch; text-align: right; white-space: pre; color: var(--gf-soft); border-right: 2px solid var(--gf-line); padding-right: 0.6rem; line-height: var(--line); }
.gf-stairs .read b { color: var(--st-text-color); font-weight: 600; }
.gf-stairs .came { white-space: nowrap; }
.gf-stairs .guess { color: var(--gf-soft); font-weight: 600; }
.gf-stairs .right .guess { color: var(--st-text-color); }
.gf-stairs .track { position: relative; height: 8px; border-radius: 4px; background: var(--gf-wash); }
.gf-stairs .track i { position: absolute; left: 0; height: 8px; border-radius: 4px; background: color-mix(in srgb, var(--gf-soft) 55%, transparent); transition: width 240ms ease-out; }
.gf-stairs .right .track i { background: var(--st-primary-color); }
.gf-stairs .share { text-align: right; white-space: nowrap; font-size: 0.8125rem; }
.gf-stairs .came span { color: var(--gf-soft); font-size: 0.8125rem; }
.gf-stairs .right .came b { color: var(--st-primary-color); }
.gf-stairs .ever { position: relative; height: 12px; background: var(--gf-wash); border-radius: 2px; }
.gf-stairs .ever i { position: absolute; height: 12px; background: var(--st-primary-color); opacity: 0.55; }
.gf-stairs .right .ever i { opacity: 1; }
.gf-stairs .ever u { position: absolute; width: 2px; height: var(--line); top: calc(6px - var(--line) / 2); background: var(--gf-accent); }
.gf-stairs .ends { display: flex; justify-content: space-between; }
.gf-stairs .sum { position: absolute; left: 0; top: calc(1.6 * var(--line)); width: 9.5rem; font-size: 0.8125rem; color: var(--gf-soft); }
.gf-stairs .sum b { display: block; }
.gf .gf-stairs + .gf-sentence { margin-top: 0.4rem; }
@container (max-width: 480px) { .gf-stairs { gap: 0 0.4rem; font-size: 0.8125rem; } .gf-stairs :is(.ever, .ends, .came span) { display: none; } }
@media (prefers-reduced-motion: reduce) { .gf-stairs .track i { transition: none; } }
`;
const LINE = [22, 27]; // css pixels, at least and at most
const AROUND = 175; // what stands above and below the lines
const EVER = 128; // css pixels: how wide a training is drawn, at least
const TIGHT = 680; // css pixels: up to here, the columns after what was read are narrower
const BESIDE = 250; // css pixels: from this width on, the count has room beside the first lines

export default picture(
  (h, arrays, { shell, theme, width, step }) => {
    const { unit } = theme;
    const isNarrow = width <= 480;
    const isTight = width <= TIGHT * unit;
    const rows = guessesAt(h, arrays, step);
    const [n, right] = [rows.length, rows.filter(({ isRight }) => isRight).length];
    const line = clamp((shell.tall / unit - AROUND) / (n + 1), LINE[0], isNarrow ? LINE[0] : LINE[1]) * unit;
    const size = (isNarrow ? 13 : 14) * unit;
    const letters = (text) => 1.04 * measure(text, size, theme.font); // the last word is bold
    const widest = Math.ceil(Math.max(...[...h.words, ...h.tokens].map((one) => letters(word(one)))) + 4);
    const gap = (isNarrow ? 6.4 : 9.6) * unit;
    const head = measure(labels(isTight ? "came" : "came.chance"), 13 * unit, theme.font) + 4;
    const ends = `${labels("right_from", { step: 0 })} ${grouped(h.steps.at(-1))}`;
    const ever = Math.max(EVER, measure(ends, 13 * unit, theme.font) + 8 * unit);
    const columns = isNarrow
      ? [widest, 34, 38, Math.max(widest, head)]
      : [
          Math.max(widest, 70 * unit),
          isTight ? 40 : clamp(0.11 * width, 40, 96),
          42 * unit,
          Math.max(widest + 46 * unit, head),
          ever,
        ];
    const room = width - columns.reduce((sum, one) => sum + one + gap, 0);
    const said = { n: right, all: n, step: grouped(h.steps[step]) };
    const key =
      step === 0 ? "guesses.first" : step === h.steps.length - 1 && right < n ? "guesses.last" : "guesses.some";

    const drawn = ({ read, tops: [[expected, chance]], next, truth, isRight, history }) => {
      const shown = lastThatFit(read.map(inText), room - 14 * unit, letters);
      const end = word(read.at(-1));
      const bar = el("i");
      bar.style.width = `${100 * chance}%`;
      const now = el("u");
      const gone = step / Math.max(1, h.steps.length - 1);
      now.style.left = `calc(${100 * gone}% - ${2 * gone}px)`;
      return el(
        "div",
        { class: isRight ? "line right" : "line" },
        el(
          "span",
          { class: "read", translate: "no" },
          shown.slice(0, shown.length - end.length),
          el("b", { text: end }),
        ),
        el("span", { class: "guess", translate: "no", text: word(expected) }),
        el("span", { class: "track" }, bar),
        el("span", { class: "share", text: percent(chance) }),
        el(
          "span",
          { class: "came", translate: "no" },
          el("b", { text: isRight ? "✓" : word(next) }),
          ...(isRight ? [] : [" ", el("span", { text: `(${percent(truth)})` })]),
        ),
        el(
          "span",
          { class: "ever" },
          ...stretches(history).map(([from, length]) => {
            const part = el("i");
            part.style.left = `${(100 * from) / h.steps.length}%`;
            part.style.width = `${(100 * length) / h.steps.length}%`;
            return part;
          }),
          now,
        ),
      );
    };

    return {
      things: rows,
      layout: "gf-stairs",
      draw: drawn,
      arrange: (lines) => [
        el(
          "div",
          { class: "line heads" },
          el("span", { class: "read", text: labels("it_has_read") }),
          el("span", { text: labels("it_expects") }),
          el("span"),
          el("span"),
          el("span", { text: labels(isTight ? "came" : "came.chance") }),
          el(
            "span",
            { class: "ends" },
            el("span", { text: labels("right_from", { step: 0 }) }),
            el("span", { text: grouped(h.steps.at(-1)) }),
          ),
        ),
        ...lines,
        ...(room < BESIDE * unit
          ? []
          : [
              el(
                "div",
                { class: "sum", "aria-hidden": "true" },
                el("b", { class: "gf-key-number", text: labels("right_of", said) }),
                labels("right_of.after", said),
              ),
            ]),
      ],
      after(node) {
        node.style.setProperty("--line", `${line}px`);
        node.style.gridTemplateColumns = [room, ...columns].map((one) => `${one}px`).join(" ");
      },
      said: ({ read, tops, next, truth, isRight }) => [
        labels(isRight ? "guess.right" : "guess.wrong", {
          read: quoted(read.join("").trim(), 60),
          next: quoted(next.trim()),
          p: percent(truth),
          tops: tops.map(([one, p]) => `${word(one)} ${percent(p)}`).join(", "),
        }),
      ],
      hint: labels("guesses.hint"),
      sentence: labels.parts(key, said),
      label: h.takeaway,
      columns: [labels("it_has_read"), labels("it_expects"), labels("probability"), labels("came"), labels("p_target")],
      row: ({ read, tops: [[expected, chance]], next, truth }) => [
        read.join("").trim(),
        word(expected),
        chance,
        word(next),
        truth,
      ],
    };
  },
  {
    style: STYLE,
    steps: ({ steps }) => steps.map((one) => labels("step", { step: grouped(one) })),
    player: { what: labels("training_step"), unit: labels("frame") },
  },
);
