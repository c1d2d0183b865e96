// A batch with gaps: rows of tokens as the model reads them. Color and a letter tell what became of each; under a
// chosen one stands the word that is asked for.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { cursorKeys, mouseLeaves } from "../drawing/input.js";
import { mix, readableOn } from "../drawing/color.js";
import { FATES, tally, told } from "./masking_words.js";
import { short } from "../drawing/tokens.js";

const AROUND = 110; // what stands below the rows
const CSS = `
.gf-batch { display: grid; gap: 0.55rem; position: relative; }
.gf-batch > div { display: grid; grid-template-columns: 1.4rem minmax(0, 1fr); align-items: start; }
.gf-batch .n { font-family: var(--st-code-font); font-size: 0.75rem; color: var(--gf-soft); padding-top: 0.4rem; }
.gf-batch .row { display: flex; flex-wrap: wrap; gap: 3px; }
.gf-batch .tok { display: grid; grid-template-rows: 1.55rem 0.95rem; min-width: 1.5rem; padding: 0 4px; border-radius: 5px; text-align: center; font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.55rem; cursor: default; border: 1px solid transparent; white-space: pre; }
.gf-batch .tok small { font-size: max(0.6875rem, var(--gf-least, 0px)); line-height: 0.85rem; }
.gf-batch .tok b { font-size: max(0.6875rem, var(--gf-least, 0px)); font-weight: 700; }
.gf-batch .never { color: var(--gf-soft); border: 1px dashed var(--gf-line); }
.gf-batch .on { outline: 2px solid var(--gf-accent); outline-offset: 1px; }
.gf-fates { display: flex; flex-wrap: wrap; gap: 0.4rem 1.1rem; margin-top: 0.7rem; font-size: 0.75rem; color: var(--gf-soft); }
.gf-fates > span { display: inline-flex; align-items: center; gap: 0.45rem; }
.gf-fates i { font-style: normal; font-weight: 700; font-family: var(--st-code-font); min-width: 1.3rem; line-height: 1.3rem; text-align: center; border-radius: 4px; border: 1px solid var(--gf-line); }
`;

export default define((shell) => {
  const batch = el("div", { class: "gf-batch", role: "img", tabindex: 0 });
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-fates" });
  const more = el("button", {
    class: "gf-solid",
    onclick: () => {
      isWhole = !isWhole;
      shorten();
    },
  });
  shell.body.append(batch, more, readout, key);
  let isWhole = false;
  let chips = [];
  let at = null;
  let fills = [];

  const width = () => shell.arrays.fate.shape[1];
  const fateOf = (r, c) => shell.arrays.fate.data[r * width() + c];
  const isNever = (r, c) => shell.arrays.never.data[r * width() + c] > 0;
  const words = ([r, c]) => told(r, c, shell.header.read[r][c], shell.header.truth[r][c], fateOf(r, c), isNever(r, c));

  batch.addEventListener("pointerover", (event) => {
    const node = event.target.closest?.("[data-at]");
    if (node) point(node.dataset.at.split(".").map(Number));
  });
  mouseLeaves(batch, () => point(null));
  cursorKeys(batch, {
    size: () => [chips.length, width()],
    get: () => at,
    move: (next) => {
      point(next);
      shell.say(words(next));
      if (batch.children[next[0]].hidden) more.click();
      chips[next[0]][next[1]].scrollIntoView({ block: "nearest" });
    },
    choose: () => {},
    reset: () => point(null),
  });

  /** As many rows as can be seen at once; the others on demand. */
  function shorten() {
    const rows = [...batch.children];
    for (const row of rows) row.hidden = false;
    const least = shell.tall - AROUND * shell.theme.unit;
    const n = isWhole ? rows.length : rows.filter((row) => row.offsetTop + row.offsetHeight <= least).length;
    rows.forEach((row, r) => (row.hidden = r >= Math.max(2, n)));
    more.hidden = !isWhole && n === rows.length;
    more.textContent = isWhole ? "Fewer rows" : `All ${rows.length} rows`;
  }

  function point(next) {
    if (at) chips[at[0]]?.[at[1]]?.classList.remove("on");
    at = next;
    if (at) chips[at[0]][at[1]].classList.add("on");
    readout.replaceChildren(
      at
        ? words(at)
        : el("span", {
            class: "gf-hint",
            text: "Point at a token, or use the arrow keys: what does the model read there, and what is it asked?",
          }),
    );
  }

  return {
    update() {
      const { read, truth } = shell.header;
      at = null;
      chips = read.map((row, r) =>
        row.map((token, c) => {
          const fate = fateOf(r, c);
          const never = isNever(r, c);
          const second = fate
            ? el("small", {}, el("b", { text: FATES[fate].letter }), ` ${short(truth[r][c], 10)}`)
            : el("small", { text: "" });
          return el(
            "span",
            { class: never ? "tok never" : "tok", "data-at": `${r}.${c}` },
            el("span", { text: short(token, 12) }),
            second,
          );
        }),
      );
      batch.replaceChildren(
        ...chips.map((row, r) =>
          el("div", {}, el("span", { class: "n", text: String(r + 1) }), el("div", { class: "row" }, ...row)),
        ),
      );
    },
    draw() {
      const { theme } = shell;
      fills = [mix(theme.page, theme.text, 0.06), theme.categorical[0], theme.categorical[1], theme.categorical[2]];
      batch.setAttribute("aria-label", shell.header.takeaway);
      chips.forEach((row, r) =>
        row.forEach((chip, c) => {
          const fill = isNever(r, c) ? null : fills[fateOf(r, c)];
          chip.style.background = fill ?? "transparent";
          chip.style.color = fill ? (fateOf(r, c) ? readableOn(fill) : theme.text) : "";
        }),
      );
      const counts = tally(shell.arrays.fate.data, shell.arrays.never.data);
      key.replaceChildren(
        ...FATES.map((one, i) => {
          const mark = el("i", { text: one.letter || "·" });
          mark.style.background = fills[i];
          mark.style.color = i ? readableOn(fills[i]) : theme.text;
          return el("span", {}, mark, `${one.name}: ${counts[i]}`);
        }),
        el("span", {}, "under it: the word that is asked for"),
      );
      shorten();
      point(at);
    },
    table: () => ({
      columns: ["row", "position", "the model reads", "fate", "asked for"],
      rows: shell.header.read.flatMap((row, r) =>
        row.map((token, c) => [
          String(r + 1),
          String(c),
          token,
          isNever(r, c) ? "never chosen" : FATES[fateOf(r, c)].name,
          fateOf(r, c) ? shell.header.truth[r][c] : "",
        ]),
      ),
    }),
    picture() {
      const base = batch.getBoundingClientRect();
      return {
        width: base.width + 8,
        height: base.height + 8,
        paint(p) {
          chips.forEach((row, r) =>
            row.forEach((chip, c) => {
              const b = chip.getBoundingClientRect();
              const [x, y] = [b.left - base.left + 4, b.top - base.top + 4];
              const fate = fateOf(r, c);
              const never = isNever(r, c);
              const ink = never ? shell.theme.soft : fate ? readableOn(fills[fate]) : shell.theme.text;
              p.rect(x, y, b.width, b.height, {
                fill: never ? undefined : fills[fate],
                stroke: never ? shell.theme.line : undefined,
                radius: 5,
              });
              p.text(short(shell.header.read[r][c], 12), x + b.width / 2, y + 13, {
                fill: ink,
                size: 13,
                font: shell.theme.code,
                align: "center",
              });
              if (fate) {
                p.text(`${FATES[fate].letter} ${short(shell.header.truth[r][c], 10)}`, x + b.width / 2, y + 31, {
                  fill: ink,
                  size: 11,
                  font: shell.theme.code,
                  align: "center",
                });
              }
            }),
          );
        },
      };
    },
  };
}, CSS);
