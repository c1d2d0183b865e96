// One head of a model with the causal mask and of one without: what each letter reads, and what the models are worth.
import { scale } from "../drawing/color.js";
import { clamp, el, format, percent } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const NARROW = 560; // css pixels: below, what is told stands under the rows
const STYLE = `
.gf-peek { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 1.5rem; }
.gf-peek-side + .gf-peek-side { border-left: 1px solid var(--gf-line); padding-left: 1.5rem; }
.gf-peek h4 { margin: 0; font-size: 1.0625rem; line-height: 1.3; }
.gf-peek-mean { margin: 0 0 0.4rem; font-size: 0.8125rem; line-height: 1.3; color: var(--gf-soft); }
.gf-peek-map { position: relative; display: flex; gap: 0.8rem; min-height: 8rem; }
.gf-peek-rows { flex: none; position: relative; font-family: var(--st-code-font); font-size: min(0.9375rem, var(--cell)); line-height: var(--cell); }
.gf-peek-line { display: grid; grid-template-columns: 1.3em repeat(var(--n), var(--cell)); height: var(--cell); border-radius: 4px; text-align: center; cursor: pointer; }
.gf-peek-line i { margin: 0.5px; border-radius: 2px; font-style: normal; }
.gf-peek-line i.self { outline: 1px solid var(--gf-soft); outline-offset: -1px; }
.gf-peek-line.on { outline: 2px solid var(--gf-accent); outline-offset: 1px; position: relative; z-index: 1; }
.gf-peek-line.on > b { color: var(--gf-accent); }
.gf-peek-line > b { font-weight: 500; }
.gf-peek-closed { position: absolute; pointer-events: none; right: 3px; top: calc(2.6 * var(--cell)); padding: 1px 5px; border-radius: 4px; background: var(--st-background-color); font: 0.8125rem/1.3 var(--st-font); color: var(--gf-soft); }
.gf-peek-beside { flex: 1; min-width: 0; position: relative; font-size: 0.8125rem; line-height: 1.35; color: var(--gf-soft); }
.gf-peek-said { position: absolute; left: 0; right: 0; font-size: 0.9375rem; line-height: 1.35; color: var(--st-text-color); }
.gf-peek-said b { color: var(--gf-accent); }
.gf-peek-foot { display: flex; gap: 1.2rem; margin-top: 0.6rem; font-size: 0.8125rem; color: var(--gf-soft); }
.gf-peek-foot > :first-child { flex: none; max-width: 11rem; }
.gf-peek .gf-key-number { min-width: 3.2rem; }
.gf-peek .first .gf-key-number { color: var(--st-text-color); }
.gf-peek-text { font-family: var(--st-code-font); font-size: 0.9375rem; line-height: 1.4; overflow-wrap: anywhere; color: var(--st-text-color); }
.gf-peek-text span { color: var(--gf-soft); }
.gf-peek .gf-hatch { display: block; text-align: center; color: var(--gf-soft); border-radius: 6px; }
.gf-peek-text.gf-hatch { min-height: 4.1rem; display: grid; place-items: center; font-size: 1.5rem; }
.gf-peek ~ .gf-readout, .gf-readout:has(> .gf-peek-told) { display: none; }
.gf-peek.narrow { gap: 0 0.6rem; }
.gf-peek.narrow .gf-peek-side + .gf-peek-side { padding-left: 0.6rem; }
.gf-peek.narrow .gf-peek-foot { flex-direction: column; gap: 0.2rem; margin-top: 0.3rem; }
.gf-peek.narrow .gf-peek-said { position: static; font-size: 0.8125rem; min-height: 4.05em; margin-top: 0.2rem; }
.gf-peek.narrow .gf-peek-map { display: block; }
.gf-peek.narrow .gf-peek-axis, .gf-peek.narrow .gf-peek-mean { display: none; }
.gf-peek.narrow .gf-peek-text { font-size: 0.8125rem; }
`;

/** A letter, and a sign for one that the model doesn't know. */
const short = (token) => (token.length > 2 ? "\ufffd" : visible(token));

/** @typedef {"masked" | "unmasked"} Side */
/** @type {Side[]} */
const SIDES = ["masked", "unmasked"];

export default picture(
  (h, arrays, { shell, theme, width, state, set }) => {
    const { tokens } = h;
    const n = tokens.length;
    const isNarrow = width < NARROW;
    const side = (width - (isNarrow ? 20 : 49)) / 2;
    const high = (Math.min(560, shell.tall - 68) - 250) / n;
    const cell = clamp(Math.floor(Math.min((side - (isNarrow ? 20 : 150)) / n, isNarrow ? 14 : high, 24)), 6, 24);
    const colors = scale("probability", 0, 1, theme.mode);

    /** The letter that a row reads most: {other, share, where}. */
    const most = (which, row) => {
      const weights = [...arrays[which].data.slice(row * n, (row + 1) * n)];
      const share = Math.max(...weights);
      const other = weights.indexOf(share);
      const where = other === row ? "itself" : other === row - 1 ? "before" : other === row + 1 ? "after" : "";
      return { other, share, where: where || (other < row ? "earlier" : "later") };
    };
    const reads = (which, row) => {
      const { other, share, where } = most(which, row);
      const letters = { letter: visible(tokens[row]), other: visible(tokens[other]) };
      return labels(`peek.reads.${where}`, { ...letters, share: percent(share) });
    };
    const then = (which, row) => {
      if (row === 0 && (n === 1 || which === "masked")) return labels("peek.only");
      if (which === "masked") return labels("peek.guess");
      return most(which, row).where === "after" ? labels("peek.answer") : "";
    };

    const mean = (which) =>
      which === "masked"
        ? labels("peek.before", { share: percent(h.before) })
        : labels("peek.after", { share: percent(h.after) });

    const line = (which, row) =>
      el(
        "div",
        { class: "gf-peek-line", "data-i": row },
        el("b", { text: short(tokens[row]), translate: "no" }),
        ...tokens.map((_, column) => {
          const isClosed = which === "masked" && column > row;
          const color = colors.css(arrays[which].data[row * n + column]);
          const name = isClosed ? "gf-hatch" : column === row ? "self" : null;
          return el("i", { class: name, style: isClosed ? null : `background:${color}` });
        }),
      );

    const foot = (which, { loss, sample }) =>
      el(
        "div",
        { class: "gf-peek-foot" },
        el(
          "div",
          {},
          labels("peek.loss"),
          loss === null
            ? el("div", { class: "gf-key-number gf-hatch", text: "?", title: labels("peek.unknown") })
            : el("div", { class: "gf-key-number", text: format(loss, 2) }),
          which === "masked" && !isNarrow ? labels("peek.blind", { loss: format(h.blind, 2) }) : "",
        ),
        el(
          "div",
          { style: "flex:1;min-width:0" },
          labels(which === "masked" ? "peek.writes" : "peek.writes.unmasked", { steps: h.n_step }),
          sample === null
            ? el("div", { class: "gf-peek-text gf-hatch", text: "?", title: labels("peek.unknown") })
            : el("div", { class: "gf-peek-text", translate: "no" }, el("span", { text: sample[0] }), sample[1]),
        ),
      );

    const half = (which, rows) =>
      el(
        "div",
        { class: `gf-peek-side ${which === "masked" ? "first" : ""}` },
        el("h4", { text: labels(`peek.${which}`) }),
        el("p", { class: "gf-peek-mean", text: h.before === null ? "" : mean(which) }),
        el(
          "div",
          { class: "gf-peek-map" },
          el(
            "div",
            { class: "gf-peek-rows" },
            el(
              "div",
              { class: "gf-peek-line", "aria-hidden": "true" },
              el("b"),
              ...tokens.map((one) => el("span", { text: short(one), translate: "no" })),
            ),
            ...rows,
            which === "masked" && n > 5
              ? el("span", {
                  class: "gf-peek-closed",
                  text: labels(isNarrow || n * cell < 170 ? "peek.closed.short" : "peek.closed"),
                })
              : null,
          ),
          el(
            "div",
            { class: "gf-peek-beside" },
            el(
              "div",
              { class: "gf-peek-axis" },
              labels("peek.axis"),
              el("div", { text: labels("peek.axis.space"), hidden: !tokens.includes(" ") }),
            ),
            el("div", { class: "gf-peek-said", "data-side": which }),
          ),
        ),
        foot(which, h.sides[SIDES.indexOf(which)]),
      );

    const both = (row) => SIDES.map((which) => `${labels(`peek.${which}`)}: ${reads(which, row)}`).join(" ");

    const columnOf = (what, which) => labels(`peek.${what}`, { side: labels(`peek.${which}`) });

    return {
      things: tokens,
      draw: (_, row) => line("masked", row),
      layout: `gf-peek${isNarrow ? " narrow" : ""}`,
      arrange: (rows) => [
        half("masked", rows),
        half(
          "unmasked",
          tokens.map((_, row) => line("unmasked", row)),
        ),
      ],
      after: (node) => node.setAttribute("style", `--n:${n};--cell:${cell}px`),
      mark(node, place) {
        const row = place ?? state;
        for (const one of node.querySelectorAll("[data-i]")) one.classList.toggle("on", one.dataset.i === String(row));
        for (const one of node.querySelectorAll("[data-side]")) {
          const which = one.dataset.side;
          one.replaceChildren(el("b", { text: reads(which, row) }), " ", then(which, row));
          const isLow = row > n / 2; // then it grows upwards, so that it doesn't reach into the foot
          one.style.top = isLow ? "" : `max(3.6em, ${row * cell}px)`;
          one.style.bottom = isLow ? `${Math.max(0, n - 2 - row) * cell}px` : "";
        }
      },
      said: (_, row) => [el("span", { class: "gf-peek-told", text: both(row) })],
      chosen: state,
      choose: (_, row) => set(row),
      keys: { ArrowRight: (row) => row, ArrowLeft: (row) => row },
      label: h.takeaway,
      spoken: both(state),
      sentence: [h.says],
      columns: [
        labels("peek.letter"),
        ...SIDES.flatMap((which) => [columnOf("strongest", which), columnOf("share", which)]),
      ],
      row: (token, row) => [
        visible(token),
        ...SIDES.flatMap((which) => {
          const { other, share } = most(which, row);
          return [visible(tokens[other]), share];
        }),
      ],
    };
  },
  {
    style: STYLE,
    state: (h, old, previous) => (previous && previous.row === h.row && old !== undefined ? old : h.row),
  },
);
