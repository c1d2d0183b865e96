// Speculative sampling pass by pass: the draft guesses, the large model checks all of it in one pass and adds a token.
// Below, how many passes that takes with the draft and without.
import { clamp, el, format } from "../drawing/elements.js";
import { inText, visible, word } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { cells, happened, momentOf, N_ROWS, settled, settledBy, why } from "./rounds_math.js";
import { ROUNDS_STYLE } from "./rounds_style.js";
import { ratioBar, tops, WHY_STYLE } from "./why_bars.js";

const ROW = [28, 46]; // css pixels, at least and at most
const AROUND = 430; // what stands around the rows of tokens
const WIDE = 5; // more guesses are set in smaller letters
const MARKS = { accepted: "✓", refused: "✗" };

export default picture(
  (h, _, { shell, theme, step, go, width, state: held, set }) => {
    const { rounds, prompt, n_draft: nDraft, n_new: nNew, mean } = h;
    const { now, isChecked } = momentOf(step);
    const isNarrow = width <= 480;
    const first = Math.max(0, now - N_ROWS + 1);
    const seen = rounds.slice(first, now + 1).map((round, k) => ({ round, r: first + k }));
    const isDone = (r) => r < now || isChecked;
    const things = seen.flatMap(({ round, r }) => cells(round, isDone(r)).map((cell, i) => ({ r, i, cell, round })));
    const held_at = things.findIndex(({ r, i }) => held?.[0] === r && held[1] === i);
    const row = isNarrow ? ROW[0] : clamp((shell.tall / theme.unit - AROUND) / N_ROWS, ...ROW);

    const text = rounds.slice(0, now + (isChecked ? 1 : 0)).map((round, r) => {
      const kept = cells(round).filter(([, , , , , how]) => how !== "refused" && how !== "unread");
      const words = inText(kept.map(([name]) => name).join(""));
      return el(r === now ? "b" : "span", { translate: "no", text: words });
    });
    const heads = el(
      "div",
      { class: "pass heads", "aria-hidden": "true" },
      el("span", { class: "guess" }, labels("head.guess"), " ", el("i", { text: h.about })),
      el("span", { class: "check", text: labels(isNarrow ? "head.check.short" : "head.check") }),
      el("span", { text: labels("head.add") }),
    );
    const gain = (round) => {
      const n = settled(round);
      return el("span", { class: "gain" }, el("b", { text: `+${n}` }), " ", labels(n > 1 ? "gain.more" : "gain.one"));
    };
    const bar = (n, from, to, kind) => [
      el(
        "span",
        { class: `bar ${kind}`, style: `flex: 0 0 calc((100% - 3rem) * ${n / nNew})` },
        ...Array.from({ length: n }, (__, i) => el("i", { class: i >= from && i < to ? "now" : null })),
      ),
      el("b", { class: kind ? "gf-key-number" : null, text: n }),
    ];
    const done = now + (isChecked ? 1 : 0);
    const hidden = [el("span", { class: "bar gf-hatch" }), el("b", { class: "gf-key-number", text: "?" })];
    const bars = el(
      "div",
      { class: "bars" },
      el("span", { class: "of", text: labels("passes_for", { n: nNew }) }),
      el("span", { text: labels("without") }),
      el("span", {}, ...bar(nNew, settledBy(rounds, now), settledBy(rounds, done), "")),
      el("span", { text: labels("with") }),
      el("span", {}, ...(mean === null ? hidden : bar(rounds.length, now, done, "with"))),
    );

    return {
      things,
      layout: "gf-passes",
      draw: ({ cell: [name, , , , , outcome] }) =>
        el(
          "button",
          {
            class: `chip ${outcome}`,
            "aria-label": labels("chip", { token: visible(name), outcome: labels(`outcome.${outcome}`) }),
          },
          el("span", { translate: "no", text: word(name) }),
          MARKS[outcome] ? el("i", { "aria-hidden": "true", text: MARKS[outcome] }) : null,
        ),
      arrange: (chips) => [
        el("div", { class: "text" }, el("span", {}, el("span", { translate: "no", text: inText(prompt) }), ...text)),
        el(
          "div",
          { class: nDraft > WIDE ? "table many" : "table", style: `--n: ${nDraft}` },
          heads,
          ...seen.map(({ round, r }) => {
            const state = `${r === now ? "now" : ""} ${isDone(r) ? "checked" : ""}`;
            const own = chips.filter((__, i) => things[i].r === r);
            if (isDone(r)) own.at(-1).style.gridColumn = String(nDraft + 2);
            const name = el("span", { class: "n", text: labels("pass", { n: r + 1 }) });
            return el("div", { class: `pass ${state}` }, name, ...own, isDone(r) ? gain(round) : null);
          }),
          ...Array.from({ length: N_ROWS - seen.length }, () => el("div", { class: "pass" })),
          el("div", { class: "why", text: happened(rounds[now], isChecked) }),
        ),
        bars,
      ],
      after: (node) => node.style.setProperty("--row", `${row * theme.unit}px`),
      said: ({ i, cell, round }) => [
        el("span", { class: "why-told", text: why(cell, round.guesses.length) }),
        el("div", { class: "gf-deep" }, ...ratioBar(cell), tops(round.tops[i])),
      ],
      hint: labels("hint"),
      chosen: held_at < 0 ? null : held_at,
      follows: true,
      choose: ({ r, i }) => set([r, i]),
      reset: () => (held === null ? false : set(null)),
      held: [step, ...(held ?? [])],
      hold([at, ...place]) {
        go(at);
        if (place.length) set(place);
      },
      sentence: labels.parts(mean === null ? "sentence.cut" : "sentence", {
        mean: el("b", { class: "gf-key-number", text: format(mean, 1) }),
      }),
      label: h.takeaway,
      columns: [
        ...[labels("token"), labels("player"), labels("outcome"), labels("model"), labels("draft")],
        ...[labels("chance"), labels("number_drawn")],
      ],
      rows: rounds
        .slice(0, now + 1)
        .flatMap((round, r) =>
          cells(round, isDone(r)).map(([name, p, q, ratio, u, outcome], i) => [
            ...[visible(name), String(r + 1), labels(`outcome.${outcome}`)],
            ...[p ?? round.tops[i].p[0], q ?? "", q === null ? "" : ratio, u ?? ""],
          ]),
        ),
    };
  },
  {
    style: ROUNDS_STYLE + WHY_STYLE,
    state: () => null,
    steps: ({ rounds, mean }) =>
      rounds.flatMap((_, r) => {
        const of = { n: r + 1, all: rounds.length };
        return ["guess", "check"].map((one) => labels(mean === null ? `${one}_of.cut` : `${one}_of`, of));
      }),
    player: {
      what: labels("player"),
      unit: labels("moment"),
      back: labels("one_back"),
      on: labels("one_on"),
      perSecond: 1.5,
      // A guess uncovers more of the same film; another film opens anew.
      start: (h, previous, at) => (previous?.opening === h.opening && previous.film === h.film ? at : h.opening),
    },
  },
);
