// Every word beside itself: its output in a sentence, and in the one with the names swapped. Once without positions,
// once with them.
import { scale } from "../drawing/color.js";
import { el, format } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { animateFromBefore } from "../shared/motion.js";
import { labels } from "./labels.js";

const STYLE = `
.gf-swap { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0.5rem 1.5rem; max-width: 62rem; margin: auto; font-size: 0.875rem; }
.gf-swap section + section { border-left: 1px solid var(--gf-line); padding-left: 1.5rem; }
.gf-swap h4 { margin: 0; font-size: 1.125rem; line-height: 1.3; }
.gf-swap .note { margin: 0; color: var(--gf-soft); }
.gf-swap .line { display: grid; grid-template-columns: var(--word) var(--pattern) minmax(2rem, 1fr) var(--pattern) var(--word); align-items: center; max-width: 25rem; margin: 0 auto; padding: 3px 0; border-radius: 6px; }
.gf-swap .line.on { background: var(--gf-wash); }
.gf-swap .line > b { font-size: 1.125rem; }
.gf-swap .line > b:first-child { text-align: right; padding-right: 0.6rem; }
.gf-swap .line > b:last-child { padding-left: 0.6rem; }
.gf-swap .heads > span { color: var(--gf-soft); white-space: nowrap; justify-self: center; margin: 0 -2rem; }
.gf-swap .heads > span:first-child { grid-column: 2; }
.gf-swap .heads > span:last-child { grid-column: 4; }
.gf-swap .cells { display: grid; grid-template-columns: repeat(var(--columns), 1fr); grid-auto-rows: var(--cell); gap: 1px; padding: 2px; border: 1px solid var(--gf-soft); border-radius: 4px; }
.gf-swap .sign { display: flex; align-items: center; color: var(--st-text-color); }
.gf-swap .sign::before, .gf-swap .sign::after { content: ""; flex: 1; border-top: 2px dotted currentColor; }
.gf-swap .sign > span { width: 2rem; height: 2rem; border: 2px solid currentColor; border-radius: 50%; display: grid; place-items: center; font-size: 1.375rem; font-weight: 700; line-height: 1; }
.gf-swap .same .sign, .gf-swap .end.same { color: var(--st-primary-color); }
.gf-swap .same .sign::before, .gf-swap .same .sign::after { border-top-style: solid; }
.gf-swap .end { margin: 0.1rem 0 0; text-align: center; font-size: 1rem; font-weight: 700; }
.gf-swap-key { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.1rem 0.9rem; margin-bottom: 0.4rem; font-size: 0.875rem; color: var(--gf-soft); }
.gf-swap-key span { display: inline-flex; align-items: center; gap: 0.35rem; }
@container (max-width: 660px) {
  .gf-swap-key { font-size: 0.8125rem; column-gap: 0.6rem; }
  .gf-swap section + section { border-left: 0; border-top: 1px solid var(--gf-line); padding: 0.4rem 0 0; }
  .gf-swap .line { padding: 1px 0; }
  .gf-swap .line > b { font-size: 1rem; }
  .gf-swap .sign > span { width: 1.5rem; height: 1.5rem; font-size: 1.125rem; }
}
`;

export default picture(
  (h, { none, added }, { theme, width, shell }) => {
    const isNarrow = width <= 660;
    const colors = scale("signed", -h.limit, h.limit, theme.mode);
    const nWord = h.words.length;
    const nNumber = none.shape[2];
    const panels = [none, added];
    const isSame = h.same.every(Boolean);
    const things = panels.flatMap((outputs, panel) =>
      h.words.map((text, i) => ({
        text,
        outputs,
        i,
        same: panel === 0 || h.same[i],
        largest: panel ? h.largest[i] : 0,
      })),
    );
    const cells = (outputs, sentence, i) =>
      el(
        "span",
        { class: "cells" },
        ...Array.from({ length: nNumber }, (_, k) => {
          const cell = el("i");
          cell.style.background = colors.css(outputs.data[(sentence * nWord + i) * nNumber + k]);
          return cell;
        }),
      );
    const swatch = (value, key) => {
      const box = el("i", { class: "gf-swatch" });
      box.style.background = colors.css(value * h.limit);
      return el("span", {}, box, labels(key));
    };

    const panel = (i, lines) => {
      const same = i === 0 || isSame;
      return el(
        "section",
        {},
        el("h4", { text: labels(i ? "with" : "without") }),
        el("p", { class: "note", text: labels(i ? `note.${h.scheme}` : "note.none") }),
        el(
          "div",
          { class: "line heads" },
          ...h.sentences.map((sentence) => el("span", { text: labels("in_sentence", { sentence }) })),
        ),
        ...lines,
        el("p", { class: same ? "end same" : "end", text: labels(same ? "stays" : "changes") }),
      );
    };

    return {
      things,
      layout: "gf-swap",
      draw: ({ text, outputs, i, same }) =>
        el(
          "div",
          { class: same ? "line same" : "line", translate: "no" },
          el("b", { text }),
          cells(outputs, 0, i),
          el("span", { class: "sign" }, el("span", { text: same ? "=" : "≠" })),
          cells(outputs, 1, i),
          el("b", { text }),
        ),
      arrange: (lines) => [panel(0, lines.slice(0, nWord)), panel(1, lines.slice(nWord))],
      after(node) {
        const [cell, columns] = [isNarrow ? 12 : shell.tall < 560 ? 14 : 18, isNarrow ? 8 : 4];
        const sizes = {
          cell: `${cell}px`,
          pattern: `${columns * (cell + 1) + 5}px`,
          word: isNarrow ? "2.6rem" : "3.2rem",
        };
        for (const [name, size] of Object.entries({ ...sizes, columns })) node.style.setProperty(`--${name}`, size);
        animateFromBefore(node, ".cells i", "background");
      },
      first: [
        el(
          "div",
          { class: "gf-swap-key" },
          labels("numbers_key"),
          swatch(-0.7, "below_zero"),
          swatch(0.7, "above_zero"),
        ),
      ],
      said: ({ text, same, largest }) => [
        labels(same ? "swap.same" : "swap.different", { word: text, largest: format(largest, 2) }),
      ],
      hint: labels("swap_hint"),
      label: labels(isSame ? "sentence.same" : "sentence.different"),
      sentence: [labels(isSame ? "sentence.same" : "sentence.different")],
      columns: [labels("word"), labels("without_largest"), labels("with_largest")],
      rows: h.words.map((text, i) => [text, 0, h.largest[i]]),
    };
  },
  { style: STYLE },
);
