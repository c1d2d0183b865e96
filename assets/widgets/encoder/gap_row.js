// A text whose words can be hidden: click or Enter opens and closes a gap; the model's answers stand in cards below.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { mouseLeaves, withModifier } from "../drawing/input.js";
import { printed, said, toggled } from "../shared/gap_set.js";
import { short, visible } from "../drawing/tokens.js";

const CSS = `
.gf-gaps { display: flex; flex-wrap: wrap; gap: 8px 5px; padding: 4px 2px; }
.gf .gf-gaps button { font-family: var(--st-code-font); font-size: 1rem; min-height: 34px; min-width: 22px; padding: 3px 8px; border-radius: 6px; background: var(--gf-panel); white-space: pre; }
.gf .gf-gaps button:hover { background: var(--gf-wash); }
.gf .gf-gaps button[aria-pressed="true"] { border: 2px dashed var(--gf-accent); color: var(--gf-accent); font-weight: 600; background: transparent; }
.gf .gf-gaps button:disabled { opacity: 1; color: var(--gf-soft); background: transparent; border: 1px dashed var(--gf-line); }
.gf .gf-solid { margin-top: 0.4rem; }
.gf-cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13.2rem, 100%), 1fr)); gap: 0.7rem; margin-top: 0.6rem; }
.gf-cards > section { border: 1px solid var(--gf-line); border-radius: 8px; padding: 0.5rem 0.65rem 0.6rem; min-width: 0; }
.gf-cards h4 { margin: 0 0 0.3rem; font-size: 0.8125rem; font-weight: 600; }
.gf-cards h4 span { font-weight: 400; color: var(--gf-soft); }
.gf-cards .bar { display: grid; grid-template-columns: 5.2rem minmax(0, 1fr) 3.2rem; gap: 0.4rem; align-items: center; font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.5; }
.gf-cards .bar div { height: 12px; }
.gf-cards .bar i { display: block; height: 100%; min-width: 1px; border-radius: 3px; background: var(--gf-fill); }
.gf-cards .bar span:last-child { text-align: right; font-variant-numeric: tabular-nums; }
.gf-cards .right span:first-child { font-weight: 700; color: var(--gf-accent); }
.gf-cards .old { opacity: 0.5; }
`;

export default define((shell) => {
  const row = el("div", { class: "gf-gaps", role: "toolbar" });
  const readout = el("div", { class: "gf-readout" });
  const cards = el("div", { class: "gf-cards" });
  const all = el("button", {
    class: "gf-solid",
    text: "Show all words",
    onclick: () => {
      change([]);
      buttons[current]?.focus();
    },
  });
  shell.body.append(row, readout, all, cards);
  let gaps = [];
  let buttons = [];
  let at = null;
  let current = 0;

  const n = () => shell.arrays.chances.shape[1];
  const chancesOf = (i) => Array.from(shell.arrays.chances.data.subarray(i * n(), (i + 1) * n()));
  const truthOf = (i) => shell.arrays.truth.data[i];
  const isAnswered = (i) => shell.header.gaps.includes(i) === gaps.includes(i);

  row.addEventListener("click", (event) => {
    const i = placeOf(event);
    if (i !== null) toggle(i);
  });
  row.addEventListener("pointerover", (event) => point(placeOf(event)));
  mouseLeaves(row, () => point(null));
  row.addEventListener("focusin", (event) => {
    const i = placeOf(event);
    if (i !== null) {
      reach(i);
      point(i);
    }
  });
  row.addEventListener("focusout", () => point(null));
  row.addEventListener("keydown", (event) => {
    if (withModifier(event)) return;
    if (event.key === "Escape") {
      if (gaps.length) change([]);
      event.preventDefault();
      return;
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    let to = event.key === "Home" ? 0 : event.key === "End" ? buttons.length - 1 : step ? current + step : null;
    if (to === null) return;
    const way = event.key === "Home" ? 1 : event.key === "End" ? -1 : step;
    while (buttons[to]?.disabled) to += way;
    buttons[to]?.focus();
    event.preventDefault();
  });

  const placeOf = (event) => {
    const node = event.target.closest?.("[data-i]");
    return node ? Number(node.dataset.i) : null;
  };

  /** One button of the row is reached by Tab, the others by the arrow keys. */
  function reach(i) {
    buttons[current]?.setAttribute("tabindex", "-1");
    current = i;
    buttons[i]?.setAttribute("tabindex", "0");
  }

  function toggle(i) {
    change(toggled(gaps, i, shell.header.never));
    shell.say(gaps.includes(i) ? `${shell.header.tokens[i]} is hidden` : `${shell.header.tokens[i]} is shown again`);
  }

  function change(next) {
    gaps = next;
    drawRow();
    drawCards();
    shell.commit("pick", gaps);
  }

  const sentence = (i) =>
    said(visible(shell.header.tokens[i]), gaps.includes(i), shell.header.top[i].map(visible), chancesOf(i), truthOf(i));

  function point(i) {
    at = i;
    const idle = `${gaps.length ? "" : "Nothing is hidden. "}Click a word, or press Enter on it, to hide it. Point at a word to see what the model would say in its place.`;
    readout.replaceChildren(
      at === null || !isAnswered(at)
        ? el("span", { class: "gf-hint", text: idle })
        : shell.header.never.includes(at)
          ? `${visible(shell.header.tokens[at])}: a special token, never hidden.`
          : sentence(at),
    );
  }

  function drawRow() {
    const { tokens } = shell.header;
    buttons.forEach((button, i) => {
      const isGap = gaps.includes(i);
      button.textContent = isGap ? "<mask>" : short(tokens[i], 14);
      button.setAttribute("aria-pressed", String(isGap));
      button.setAttribute("aria-label", isGap ? `${visible(tokens[i])}, hidden` : visible(tokens[i]));
    });
    point(at);
  }

  function drawCards() {
    const { tokens, top } = shell.header;
    all.hidden = !gaps.length;
    cards.replaceChildren(
      ...gaps.map((i) => {
        if (!isAnswered(i)) return el("section", { class: "old" }, el("h4", { text: `Position ${i} …` }));
        const chances = chancesOf(i);
        const bars = top[i].map((word, k) => bar(word, chances[k], word === tokens[i]));
        if (!top[i].includes(tokens[i])) bars.push(bar(tokens[i], truthOf(i), true));
        return el(
          "section",
          {},
          el("h4", {}, `Position ${i} `, el("span", { text: `it was: ${short(tokens[i], 14)} ✓` })),
          ...bars,
        );
      }),
    );
  }

  function bar(word, p, isRight) {
    const fill = el("i");
    fill.style.width = `${100 * p}%`;
    return el(
      "div",
      { class: isRight ? "bar right" : "bar" },
      el("span", { text: `${short(word, 9)}${isRight ? " ✓" : ""}` }),
      el("div", {}, fill),
      el("span", { text: printed(p) }),
    );
  }

  return {
    update() {
      const { tokens, never } = shell.header;
      const isNew = JSON.stringify(tokens) !== JSON.stringify(shell.previous?.tokens);
      gaps = [...shell.header.gaps];
      if (!isNew && buttons.length) return;
      at = null;
      buttons = tokens.map((_, i) => el("button", { "data-i": i, tabindex: -1, disabled: never.includes(i) }));
      row.replaceChildren(...buttons);
      current = 0;
      reach(
        gaps[0] ??
          Math.max(
            0,
            buttons.findIndex((button) => !button.disabled),
          ),
      );
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      row.setAttribute("aria-label", shell.header.takeaway);
      drawRow();
      drawCards();
    },
    table: () => ({
      columns: ["position", "word", "hidden", "most probable", "its probability", "probability of the word"],
      rows: shell.header.tokens.map((token, i) => [
        String(i),
        visible(token),
        shell.header.gaps.includes(i) ? "yes" : "no",
        visible(shell.header.top[i][0]),
        chancesOf(i)[0],
        truthOf(i),
      ]),
    }),
    picture() {
      const parts = [...buttons, ...cards.querySelectorAll("section")];
      const base = shell.body.getBoundingClientRect();
      return {
        width: base.width + 8,
        height: base.height + 8,
        paint(p) {
          const at = (node) => {
            const b = node.getBoundingClientRect();
            return [b.left - base.left + 4, b.top - base.top + 4, b.width, b.height];
          };
          for (const node of parts) {
            const [x, y, w, h] = at(node);
            p.rect(x, y, w, h, { stroke: shell.theme.line, radius: 6 });
          }
          for (const node of shell.body.querySelectorAll(".gf-gaps button, .gf-cards h4, .gf-cards .bar > span")) {
            const [x, y, , h] = at(node);
            p.text(node.textContent, x + (node.tagName === "BUTTON" ? 6 : 0), y + h / 2, {
              fill: shell.theme.text,
              size: 12,
              font: shell.theme.code,
            });
          }
          for (const node of shell.body.querySelectorAll(".gf-cards .bar i")) {
            const [x, y, w, h] = at(node);
            p.rect(x, y, w, h, { fill: shell.theme.categorical[0], radius: 3 });
          }
        },
      };
    },
  };
}, CSS);
