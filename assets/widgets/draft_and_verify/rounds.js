// Speculative sampling round by round: each row is one pass of the large model. Tokens tell why they stayed or not.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { mouseLeaves, withModifier } from "../drawing/input.js";
import { Player } from "../drawing/player.js";
import { inText, short, visible, word } from "../drawing/tokens.js";
import { cells, closest, counted, why } from "./rounds_math.js";

const ROUNDS_PER_SECOND = 1.5;
const CSS = `
.gf-said { margin: 0 0 0.5rem; font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.5; max-height: 4.5em; overflow-y: auto; scrollbar-width: thin; overflow-wrap: anywhere; }
.gf-said .before { color: var(--gf-soft); }
.gf-said .new { font-weight: 650; }
.gf-rounds { overflow-y: auto; scrollbar-width: thin; max-height: var(--gf-most); padding: 2px; border-radius: 6px; }
.gf-round { display: flex; align-items: center; gap: 3px 4px; flex-wrap: wrap; padding: 2px 0; }
.gf-round .n { flex: none; width: 1.9rem; color: var(--gf-soft); font-family: var(--st-code-font); font-size: 0.75rem; text-align: right; padding-right: 5px; }
.gf-round.on .n { color: var(--gf-accent); font-weight: 700; }
.gf-round .chip { font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.3; padding: 2px 7px; border-radius: 6px; border: 1.5px solid transparent; cursor: pointer; white-space: pre; }
.gf-round .accepted { border-color: var(--gf-kept); background: color-mix(in srgb, var(--gf-kept) 16%, transparent); }
.gf-round .refused { border: 1.5px dashed var(--gf-soft); text-decoration: line-through; text-decoration-thickness: 2px; }
.gf-round .unread { border: 1.5px dotted var(--gf-soft); color: var(--gf-soft); }
.gf-legend.gf-round { gap: 0.35rem 1.1rem; }
.gf-round .corrected { border: 1.5px solid var(--gf-own); background: var(--gf-own); color: var(--gf-on-own); font-weight: 650; }
.gf-round .more { border: 1.5px solid var(--gf-own); font-weight: 650; }
.gf-round .chip.at { outline: 2px solid var(--gf-accent); outline-offset: 1px; }
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
.gf-sw { display: inline-block; width: 14px; height: 12px; border-radius: 3px; }
@container (min-width: 620px) { .gf-split { grid-template-columns: minmax(0, 1fr) minmax(230px, 30%); } }
`;
const LEGEND = [
  ["accepted", "stays"],
  ["refused", "refused"],
  ["unread", "not looked at"],
  ["corrected", "the model's correction"],
  ["more", "one more"],
];

export default define((shell) => {
  const player = new Player({
    what: "Round",
    unit: "round",
    perSecond: ROUNDS_PER_SECOND,
    show,
    say: () => shell.say(`${player.now.textContent}. ${text.textContent}`),
  });
  const text = el("div", { class: "gf-said" });
  const list = el("div", { class: "gf-rounds", role: "listbox", tabindex: 0, onkeydown: keys });
  const mean = el("div", { class: "gf-mean" });
  const under = el("p");
  const reason = el("p", { class: "gf-why" });
  const detail = el("div");
  const panel = el("div", { class: "gf-panel" }, mean, under, reason, detail);
  const key = el(
    "div",
    { class: "gf-legend gf-round" },
    ...LEGEND.map(([kind, name]) => el("span", {}, el("span", { class: `chip gf-sw ${kind}` }), name)),
  );
  const left = el("div", {}, list, key);
  shell.body.append(player.node, text, el("div", { class: "gf-split" }, left, panel));
  let rows = [];
  let held = null; // [round, token] that was clicked
  let at = null; // and the one that is told
  let first = null; // the one that is told at first, while all rounds are shown

  const rounds = () => shell.header.rounds;
  const placeOf = (event) => event.target.closest("[data-i]")?.dataset.i.split(" ").map(Number);

  list.addEventListener("pointerover", (event) => {
    const place = placeOf(event);
    if (place && event.pointerType === "mouse") point(place);
  });
  list.addEventListener("click", (event) => {
    const place = placeOf(event);
    if (place) point((held = place));
  });
  mouseLeaves(list, () => point(held ?? newest()));
  player.node.addEventListener("keydown", (event) => {
    if (player.key(event)) event.preventDefault();
  });

  function keys(event) {
    if (withModifier(event)) return;
    const [r, i] = at ?? newest();
    const last = player.at - 1;
    const line = (n) => [clamp(n, 0, last), 0];
    const end = cells(rounds()[r]).length - 1;
    const to = {
      ArrowRight: i < end ? [r, i + 1] : line(r + 1),
      ArrowLeft: i > 0 ? [r, i - 1] : line(r - 1),
      ArrowDown: line(r + 1),
      ArrowUp: line(r - 1),
      Home: line(0),
      End: line(last),
    }[event.key];
    if (event.key === "Escape") held = null;
    else if (to) held = to;
    else return;
    point(held ?? newest());
    rows[at[0]].chips[at[1]].scrollIntoView({ block: "nearest" });
    shell.say(reason.textContent);
    event.preventDefault();
  }

  /** What one looks at first in a round: the token that was refused, else the last one. */
  function newest(n = player.at - 1) {
    if (first && player.at === rounds().length) return first;
    const outcomes = cells(rounds()[n]).map((cell) => cell[5]);
    const refused = outcomes.indexOf("refused");
    return [n, refused < 0 ? outcomes.length - 1 : refused];
  }

  function show(n) {
    rows.forEach(({ row }, r) => {
      row.hidden = r >= n;
      row.classList.toggle("on", r === n - 1);
    });
    const done = counted(rounds(), n);
    player.tell(`round ${n} of ${rounds().length}${shell.header.cut ? " …" : ""}`);
    mean.textContent = shell.header.cut ? "?" : format(done.mean, 2);
    under.textContent = shell.header.cut ? "tokens per pass" : `tokens per pass: ${done.tokens} in ${done.passes}`;
    const kept = rounds()
      .slice(0, n)
      .map((round) => cells(round).filter(([, , , , , how]) => how !== "refused" && how !== "unread"));
    text.replaceChildren(
      el("span", { class: "before", text: inText(shell.header.prompt) }),
      ...kept.map((some, r) =>
        el("span", { class: r === n - 1 ? "new" : null, text: inText(some.map(([name]) => name).join("")) }),
      ),
    );
    text.scrollTop = text.scrollHeight;
    if (held && held[0] >= n) held = null;
    point(held ?? newest());
    const row = rows[n - 1]?.row;
    if (row) list.scrollTop = Math.max(0, row.offsetTop + row.offsetHeight - list.offsetTop - list.clientHeight + 4);
  }

  function point(place) {
    if (at) rows[at[0]]?.chips[at[1]]?.classList.remove("at");
    at = place;
    const [r, i] = at;
    const chip = rows[r].chips[i];
    chip.classList.add("at");
    list.setAttribute("aria-activedescendant", chip.id);
    const cell = cells(rounds()[r])[i];
    reason.textContent = why(cell, rounds()[r].guesses.length);
    detail.replaceChildren(...ratioBar(cell), tops(rounds()[r].tops[i]));
  }

  function ratioBar([, , , ratio, u, outcome]) {
    if (outcome !== "accepted" && outcome !== "refused") return [];
    const fill = el("i");
    fill.style.width = `${100 * ratio}%`;
    const mark = el("b");
    mark.style.left = `${100 * u}%`;
    const label = `Stays below ${format(ratio, 2)}; drawn: ${format(u, 2)}.`;
    return [
      el("div", { class: "gf-ratio", role: "img", "aria-label": label }, fill, mark),
      el(
        "div",
        { class: "gf-scale" },
        el("span", { text: `stays below ${format(ratio, 2)}` }),
        el("span", { text: `drawn: ${format(u, 2)}` }),
      ),
    ];
  }

  /** Two bars for each token: the draft's outlined, the model's filled. */
  function tops({ names, p, q, s }) {
    const isLast = s[0] !== null;
    const series = [
      ["draft", q, "q"],
      ["model", p, "p"],
      ["drawn from", isLast && q[0] !== null ? s : p.map(() => null), "s p"],
    ].filter(([, values]) => values[0] !== null);
    const bar = (one, k) => {
      const [name, values, kind] = one;
      const fill = el("i", { class: kind });
      fill.style.width = `${68 * values[k]}%`;
      return el("div", { class: "one", title: `${name} ${format(values[k], 4)}` }, fill, format(values[k], 2));
    };
    const head = el("div", { class: "gf-soft", text: series.map(([name]) => name).join(", then ") });
    return el(
      "div",
      { class: "gf-tops" },
      el("span"),
      head,
      ...names.flatMap((name, k) => [
        el("span", { class: k ? "name" : "name it", text: short(word(name), 10), title: visible(name) }),
        el("div", { class: "two" }, ...series.map((one) => bar(one, k))),
      ]),
    );
  }

  function rowOf(round, r) {
    const chips = cells(round).map(([name, , , , , outcome], i) =>
      el("span", {
        class: `chip ${outcome}`,
        role: "option",
        id: `gf-${shell.header.id}-${r}-${i}`,
        "data-i": `${r} ${i}`,
        "aria-label": `${visible(name)}, ${outcome}`,
        text: word(name),
      }),
    );
    return { chips, row: el("div", { class: "gf-round" }, el("span", { class: "n", text: r + 1 }), ...chips) };
  }

  return {
    held: () => [player.at, ...(held ?? [])],
    hold([n, ...place]) {
      player.go(n);
      const [r, i] = place;
      if (r < player.at && i < rows[r].chips.length) point((held = place));
    },
    update() {
      held = at = null;
      first = closest(rounds());
      rows = rounds().map(rowOf);
      list.replaceChildren(...rows.map(({ row }) => row));
      list.setAttribute("aria-label", shell.header.takeaway);
      player.play(false);
      player.set(rounds().length, rounds().length);
      player.slider.min = 1;
    },
    draw() {
      const { categorical, page } = shell.theme;
      const css = { kept: categorical[2], own: categorical[0], "on-own": page };
      for (const [name, color] of Object.entries(css)) shell.root.style.setProperty(`--gf-${name}`, color);
      const others = shell.theme.presenting ? 150 : 200;
      list.style.setProperty("--gf-most", `${Math.max(180, shell.tall - others)}px`);
      player.go(Math.max(1, player.at));
    },
    destroy: () => player.play(false),
    table: () => ({
      columns: ["token", "round", "outcome", "model", "draft", "stays with chance", "number drawn"],
      rows: rounds()
        .slice(0, player.at)
        .flatMap((round, r) =>
          cells(round).map(([name, p, q, ratio, u, outcome], i) => [
            visible(name),
            String(r + 1),
            outcome,
            p ?? round.tops[i].p[0],
            q ?? "",
            q === null ? "" : ratio,
            u ?? "",
          ]),
        ),
    }),
    picture() {
      const base = list.getBoundingClientRect();
      const shown = rows.slice(0, player.at);
      const height = shown.reduce((sum, { row }) => sum + row.offsetHeight, 0);
      return {
        width: base.width + 8,
        height: height + 30,
        paint(p) {
          const top = shown[0].row.getBoundingClientRect().top;
          const { theme } = shell;
          for (const [r, { chips }] of shown.entries()) {
            for (const [i, chip] of chips.entries()) {
              const b = chip.getBoundingClientRect();
              const [x, y] = [b.left - base.left + 4, b.top - top + 4];
              const outcome = cells(rounds()[r])[i][5];
              const isOwn = outcome === "corrected";
              const stroke = {
                accepted: theme.categorical[2],
                corrected: theme.categorical[0],
                more: theme.categorical[0],
              };
              p.rect(x, y, b.width, b.height, {
                ...(isOwn ? { fill: theme.categorical[0] } : { stroke: stroke[outcome] ?? theme.line }),
                radius: 6,
                ...(outcome === "refused" || outcome === "unread" ? { dash: [3, 3] } : {}),
              });
              p.text(chip.textContent, x + 7, y + b.height / 2, {
                fill: isOwn ? theme.page : outcome === "unread" ? theme.soft : theme.text,
                size: 13,
                font: theme.code,
              });
              if (outcome === "refused") {
                p.segment(x + 5, y + b.height / 2, x + b.width - 5, y + b.height / 2, {
                  stroke: theme.text,
                  width: 1.5,
                });
              }
            }
          }
          const { tokens, passes } = counted(rounds(), player.at);
          p.text(`${tokens} tokens in ${passes} passes`, 8, height + 18, {
            fill: theme.soft,
            size: 12,
            font: theme.font,
          });
        },
      };
    },
  };
}, CSS);
