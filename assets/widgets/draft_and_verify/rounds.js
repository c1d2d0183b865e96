// Speculative sampling round by round: each row is one pass of the large model. Tokens tell why they stayed or not.
import { clamp, el, format } from "../drawing/elements.js";
import { inText, short, visible, word } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { cells, closest, counted, why } from "./rounds_math.js";

const STYLE = `
.gf-said { margin: 0 0 0.5rem; font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.5; max-height: 4.5em; overflow-y: auto; scrollbar-width: thin; overflow-wrap: anywhere; }
.gf-said .before { color: var(--gf-soft); }
.gf-said .new { font-weight: 650; }
.gf-rounds { overflow-y: auto; scrollbar-width: thin; padding: 2px; border-radius: 6px; }
.gf-round { display: flex; align-items: center; gap: 3px 4px; flex-wrap: wrap; padding: 2px 0; }
.gf-round .n { flex: none; width: 1.9rem; color: var(--gf-soft); font-family: var(--st-code-font); font-size: 0.75rem; text-align: right; padding-right: 5px; }
.gf-round.now .n { color: var(--gf-accent); font-weight: 700; }
.gf .gf-round .chip { font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.3; min-height: 24px; min-width: 24px; padding: 2px 7px; border-radius: 6px; border: 1.5px solid transparent; white-space: pre; color: inherit; }
.gf .gf-round .accepted { border-color: var(--gf-kept); background: color-mix(in srgb, var(--gf-kept) 16%, transparent); }
.gf .gf-round .refused { border: 1.5px dashed var(--gf-soft); text-decoration: line-through; text-decoration-thickness: 2px; }
.gf .gf-round .unread { border: 1.5px dotted var(--gf-soft); color: var(--gf-soft); }
.gf .gf-round .corrected { border: 1.5px solid var(--gf-own); background: var(--gf-own); color: var(--gf-on-own); font-weight: 650; }
.gf .gf-round .more { border: 1.5px solid var(--gf-own); font-weight: 650; }
.gf-round .chip:is(.on, [aria-pressed="true"]) { outline: 2px solid var(--gf-accent); outline-offset: 1px; }
.gf-mean { font-size: 2rem; font-weight: 750; letter-spacing: -0.02em; line-height: 1.1; font-variant-numeric: tabular-nums; }
.gf-mean + p { margin: 0 0 0.6rem; color: var(--gf-soft); font-size: 0.8125rem; }
.gf-why { margin: 0 0 0.5rem; min-height: 5.2em; }
.gf-ratio { position: relative; height: 18px; border: 1px solid var(--gf-soft); border-radius: 5px; overflow: hidden; }
.gf-ratio i { position: absolute; left: 0; top: 0; bottom: 0; background: color-mix(in srgb, var(--gf-kept) 45%, transparent); }
.gf-ratio b { position: absolute; top: -1px; bottom: -1px; width: 3px; margin-left: -1.5px; background: var(--st-text-color); }
.gf-scale { display: flex; justify-content: space-between; font-size: 0.75rem; color: var(--gf-soft); margin: 1px 0 0.6rem; }
.gf-tops { display: grid; grid-template-columns: minmax(3.4rem, 5.6rem) minmax(0, 1fr); gap: 5px 8px; align-items: center; font-family: var(--st-code-font); font-size: 0.75rem; }
.gf-tops .name { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
.gf-tops .name.it { font-weight: 700; color: var(--gf-accent); }
.gf-tops .two { display: grid; gap: 2px; }
.gf-tops .one { display: flex; align-items: center; gap: 5px; }
.gf-tops i { height: 8px; min-width: 1px; border-radius: 2px; flex: none; }
.gf-tops .p { background: var(--gf-own); }
.gf-tops .q { border: 1.5px solid var(--gf-soft); }
.gf .gf-round .gf-sw { display: inline-block; width: 14px; min-width: 0; height: 12px; min-height: 0; padding: 0; border-radius: 3px; }
@container (min-width: 620px) { .gf-split { grid-template-columns: minmax(0, 1fr) minmax(230px, 30%); } }
`;
const OUTCOMES = ["accepted", "refused", "unread", "corrected", "more"];

/** Below which number drawn the guess stays, as a bar. */
function ratioBar([, , , ratio, u, outcome]) {
  if (outcome !== "accepted" && outcome !== "refused") return [];
  const label = labels("ratio", { ratio: format(ratio, 2), u: format(u, 2) });
  return [
    el(
      "div",
      { class: "gf-ratio", role: "img", "aria-label": label },
      el("i", { style: `width: ${100 * ratio}%` }),
      el("b", { style: `left: ${100 * u}%` }),
    ),
    el(
      "div",
      { class: "gf-scale" },
      el("span", { text: labels("stays_below", { ratio: format(ratio, 2) }) }),
      el("span", { text: labels("drawn", { u: format(u, 2) }) }),
    ),
  ];
}

/** Two bars for each token: the draft's outlined, the model's filled. */
function tops({ names, p, q, s }) {
  const isLast = s[0] !== null;
  const series = [
    [labels("draft"), q, "q"],
    [labels("model"), p, "p"],
    [labels("drawn_from"), isLast && q[0] !== null ? s : p.map(() => null), "s p"],
  ].filter(([, values]) => values[0] !== null);
  const bar = (one, k) => {
    const [name, values, kind] = one;
    const fill = el("i", { class: kind, style: `width: ${68 * values[k]}%` });
    return el("div", { class: "one", title: `${name} ${format(values[k], 4)}` }, fill, format(values[k], 2));
  };
  return el(
    "div",
    { class: "gf-tops" },
    el("span"),
    el("div", {
      class: "gf-soft",
      text: series.map(([name]) => name).reduce((first, then) => labels("then", { first, then })),
    }),
    ...names.flatMap((name, k) => [
      el("span", { class: k ? "name" : "name it", translate: "no", text: short(word(name), 10), title: visible(name) }),
      el("div", { class: "two" }, ...series.map((one) => bar(one, k))),
    ]),
  );
}

export default picture(
  ({ rounds, prompt, cut, takeaway }, _, { shell, theme, step, go, state: held, set }) => {
    const n = step + 1; // rounds that are shown
    const things = rounds.slice(0, n).flatMap((round, r) => cells(round).map((cell, i) => ({ r, i, cell, round })));
    const indexOf = (r, i) => things.findIndex((one) => one.r === r && one.i === i);
    const done = counted(rounds, n);
    const css = { kept: theme.categorical[2], own: theme.categorical[0], "on-own": theme.page };
    const most = Math.max(180, shell.tall - (theme.presenting ? 150 : 200));
    /** What one looks at first: the refused guess nearest to a toss of a coin; in a round the refused, or the last. */
    function newest() {
      const first = n === rounds.length && closest(rounds);
      if (first) return indexOf(first[0], first[1]);
      const refused = things.findIndex(({ r, cell }) => r === step && cell[5] === "refused");
      return refused < 0 ? things.length - 1 : refused;
    }
    const chosen = held !== null && indexOf(...held) >= 0 ? indexOf(...held) : newest();
    const line = (at, way) => indexOf(clamp(things[at].r + way, 0, step), 0);
    const isKept = ([, , , , , how]) => how !== "refused" && how !== "unread";
    const text = rounds.slice(0, n).map((round, r) => {
      const names = cells(round).filter(isKept).map(([name]) => name); // prettier-ignore
      return el("span", { class: r === step ? "new" : null, translate: "no", text: inText(names.join("")) });
    });

    return {
      things,
      layout: "gf-rounds",
      draw: ({ cell: [name, , , , , outcome] }) =>
        el("button", {
          class: `chip ${outcome}`,
          "aria-label": labels("chip", { token: visible(name), outcome: labels(`outcome.${outcome}`) }),
          translate: "no",
          text: word(name),
        }),
      arrange: (chips) =>
        rounds.slice(0, n).map((__, r) => {
          const own = chips.filter((___, i) => things[i].r === r);
          return el(
            "div",
            { class: r === step ? "gf-round now" : "gf-round" },
            el("span", { class: "n", text: r + 1 }),
            ...own,
          );
        }),
      after(list) {
        for (const [name, color] of Object.entries(css)) shell.root.style.setProperty(`--gf-${name}`, color);
        list.style.maxHeight = `${most}px`;
        const row = list.lastChild;
        list.scrollTop = Math.max(0, row.offsetTop + row.offsetHeight - list.offsetTop - list.clientHeight + 4);
        const said = shell.root.querySelector(".gf-said");
        said.scrollTop = said.scrollHeight;
      },
      said: ({ i, cell, round }) => [
        el("div", { class: "gf-mean", text: cut ? "?" : format(done.mean, 2) }),
        el("p", {
          text: cut ? labels("per_pass") : labels("per_pass_of", { tokens: done.tokens, passes: done.passes }),
        }),
        el("p", { class: "gf-why", text: why(cell, round.guesses.length) }),
        el("div", {}, ...ratioBar(cell), tops(round.tops[i])),
      ],
      chosen,
      follows: true,
      choose: ({ r, i }) => set([r, i]),
      reset: () => set(null),
      keys: { ArrowDown: (at) => line(at, 1), ArrowUp: (at) => line(at, -1) },
      held: [n, ...(held ?? [])],
      hold([round, ...place]) {
        go(round - 1);
        if (place.length) set(place);
      },
      label: takeaway,
      first: [
        el(
          "div",
          { class: "gf-said" },
          el("span", { class: "before", translate: "no", text: inText(prompt) }),
          ...text,
        ),
      ],
      key: OUTCOMES.map((kind) =>
        el("span", { class: "gf-round" }, el("span", { class: `chip gf-sw ${kind}` }), labels(`legend.${kind}`)),
      ),
      columns: [
        ...[labels("token"), labels("round"), labels("outcome"), labels("model"), labels("draft")],
        ...[labels("chance"), labels("number_drawn")],
      ],
      row({ r, i, cell: [name, p, q, ratio, u, outcome], round }) {
        const chance = q === null ? "" : ratio;
        return [
          visible(name),
          String(r + 1),
          labels(`outcome.${outcome}`),
          p ?? round.tops[i].p[0],
          q ?? "",
          chance,
          u ?? "",
        ];
      },
    };
  },
  {
    style: STYLE,
    aside: true,
    state: () => null,
    steps: ({ rounds, cut }) =>
      rounds.map((_, r) => labels(cut ? "round_of.cut" : "round_of", { n: r + 1, all: rounds.length })),
    player: {
      what: labels("player"),
      back: labels("one_back"),
      on: labels("one_on"),
      perSecond: 1.5,
      start: () => Infinity,
    },
  },
);
