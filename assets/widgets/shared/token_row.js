// A text as chips: color for the value, ids on hover both ways, every invisible character visible.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { indexUnder, mouseLeaves } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { readableOn, scale, tints } from "../drawing/color.js";
import { inText, visible } from "../drawing/tokens.js";

export default define((shell) => {
  const row = el("div", { class: "gf-chips", role: "listbox", tabindex: 0, "aria-orientation": "horizontal" });
  const ids = el("div", { class: "gf-ids", "aria-hidden": "true" });
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const css = el("style", {
    text: `
    .gf-chips { display: flex; flex-wrap: wrap; gap: 4px 2px; padding: 4px 2px; margin: -4px -2px; line-height: 1; }
    .gf-chips span { font-family: var(--st-code-font); font-size: 0.8125rem; padding: 5px 4px; min-width: 12px; min-height: 25px; text-align: center; border-radius: 5px; white-space: pre; cursor: pointer; unicode-bidi: isolate; max-width: 100%; overflow: hidden; text-overflow: ellipsis; border: 1px solid transparent; }
    .gf.presenting .gf-readout:has(> .gf-hint) { display: none; }
    .gf-chips i { flex-basis: 100%; height: 0; }
    .gf-chips .bare { border-color: var(--gf-line); border-style: dashed; }
    .gf-chips .on, .gf-ids .on { outline: 2px solid var(--gf-accent); outline-offset: 0; }
    .gf-chips .picked { outline: 3px solid var(--gf-accent); outline-offset: 1px; }
    .gf-ids { display: flex; flex-wrap: wrap; gap: 2px 8px; margin-top: 0.7rem; font-family: var(--st-code-font); font-variant-numeric: tabular-nums; font-size: 0.75rem; color: var(--gf-soft); max-height: 9rem; overflow-y: auto; padding: 3px; }
    .gf-ids span { padding: 2px 3px; border-radius: 4px; cursor: pointer; }
    .gf-ids .on { color: var(--gf-accent); font-weight: 700; }`,
  });
  shell.body.append(css, row, readout, ids, key);

  let chips = [];
  let numbers = [];
  let at = null;
  let selected = null;
  let colors = null;
  let fills = [];
  let built = "";

  for (const box of [row, ids]) {
    box.addEventListener("pointerover", (event) => hover(indexUnder(event)));
    mouseLeaves(box, () => hover(null));
    box.addEventListener("click", (event) => {
      const i = indexUnder(event);
      if (i !== null) choose(i);
    });
  }
  row.addEventListener("keydown", (event) => {
    const last = chips.length - 1;
    const from = at ?? selected ?? -1;
    const line = (sign) => {
      // the chip above or below, by where it stands
      const box = chips[Math.max(0, from)].getBoundingClientRect();
      const middle = box.left + box.width / 2;
      let best = from;
      let distance = Infinity;
      chips.forEach((chip, i) => {
        const b = chip.getBoundingClientRect();
        const dy = (b.top - box.top) * sign;
        const d = dy > 4 ? dy * 10 + Math.abs(b.left + b.width / 2 - middle) : Infinity;
        if (d < distance) [best, distance] = [i, d];
      });
      return Math.max(0, best);
    };
    if (event.key === "ArrowRight") move(Math.min(last, from + 1));
    else if (event.key === "ArrowLeft") move(Math.max(0, from - 1));
    else if (event.key === "ArrowDown") move(line(1));
    else if (event.key === "ArrowUp") move(line(-1));
    else if (event.key === "Home") move(0);
    else if (event.key === "End") move(last);
    else if ((event.key === "Enter" || event.key === " ") && at !== null) choose(at);
    else if (event.key === "Escape") {
      hover(null);
      if (selected !== null && !shell.header.chooses) {
        mark(null);
        shell.commit("pick", null);
      }
    } else return;
    event.preventDefault();
  });

  function move(i) {
    hover(i);
    chips[i]?.scrollIntoView({ block: "nearest" });
  }

  function hover(i) {
    if (i === at) return;
    for (const set of [chips, numbers]) {
      set[at]?.classList.remove("on");
      set[i]?.classList.add("on");
    }
    at = i;
    if (i !== null) row.setAttribute("aria-activedescendant", chips[i].id);
    else row.removeAttribute("aria-activedescendant");
    describe();
  }

  function mark(i) {
    selected = i;
    chips.forEach((chip, k) => {
      chip.classList.toggle("picked", k === i);
      chip.setAttribute("aria-selected", String(k === i));
    });
    describe();
  }

  function choose(i) {
    if (!shell.header.chooses) mark(i); // else all pictures of the page do, if it can be chosen
    shell.say(`Selected position ${i}`);
    shell.commit("pick", i);
  }

  const shown = (token) => (shell.header.in_words ? inText(token) : visible(token));
  const valueOf = (i) => shell.arrays.values?.data[i];

  function describe() {
    const h = shell.header;
    const i = at ?? selected;
    if (i === null || i === undefined) {
      readout.replaceChildren(
        el("span", {
          class: "gf-hint",
          text: `${h.tokens.length} tokens. Point at one; Enter or a click selects its position.`,
        }),
      );
      return;
    }
    const id = h.ids ? `  ·  id ${h.ids[i]}` : "";
    const value = h.tokens.length && shell.arrays.values ? `  ·  ${h.value_title} ${format(valueOf(i))}` : "";
    readout.replaceChildren(
      ...(h.in_words ? [] : ["position ", el("b", { text: String(i) }), "  ·  "]),
      el("bdi", {}, el("b", { text: shown(h.tokens[i]) })),
      id,
      value,
      h.details ? `  ·  ${h.details[i]}` : "",
    );
  }

  function build() {
    const h = shell.header;
    chips = [];
    numbers = [];
    at = null;
    row.replaceChildren();
    ids.replaceChildren();
    h.tokens.forEach((token, i) => {
      const chip = el("span", {
        text: shown(token),
        "data-i": i,
        role: "option",
        id: `t${i}`,
        dir: "auto",
        "aria-selected": "false",
      });
      chips.push(chip);
      row.append(chip);
      if (token.includes("\n")) row.append(el("i", { role: "presentation" }));
      if (h.ids) {
        const n = el("span", { text: String(h.ids[i]), "data-i": i });
        numbers.push(n);
        ids.append(n);
      }
    });
  }

  return {
    held: () => Number.isInteger(selected) && selected !== shell.header.selected && [selected],
    hold([i]) {
      if (i < chips.length) mark(i);
    },
    update() {
      const h = shell.header;
      const print = JSON.stringify([h.tokens, h.ids]);
      if (h.selected !== shell.previous?.selected) selected = h.selected;
      if (print !== built) {
        build();
        built = print;
      }
      if (selected !== null && selected !== undefined) selected = clamp(selected, 0, h.tokens.length - 1);
    },
    draw() {
      const h = shell.header;
      const { theme } = shell;
      ids.hidden = !h.ids || theme.presenting; // too small for a slide; pointing at a token tells its number
      const palette = tints(theme.mode, theme.page);
      colors = scale(h.kind, h.low, h.high, theme.mode);
      fills = h.tokens.map((_, i) => {
        if (!shell.arrays.values) return palette[i % palette.length];
        return Number.isFinite(valueOf(i)) ? colors.css(valueOf(i)) : null;
      });
      chips.forEach((chip, i) => {
        chip.style.background = fills[i] ?? "transparent";
        chip.style.color = fills[i] ? readableOn(fills[i]) : theme.text;
        chip.classList.toggle("bare", !fills[i]);
      });
      row.setAttribute("aria-label", h.takeaway);
      mark(selected ?? null);
      key.replaceChildren(...(shell.arrays.values ? legend(colors, h.value_title) : []));
    },
    table: () => ({
      columns: [
        "position",
        "token",
        ...(shell.header.ids ? ["id"] : []),
        ...(shell.arrays.values ? [shell.header.value_title] : []),
      ],
      rows: shell.header.tokens.map((t, i) => [
        String(i),
        shown(t),
        ...(shell.header.ids ? [String(shell.header.ids[i])] : []),
        ...(shell.arrays.values ? [valueOf(i)] : []),
      ]),
    }),
    picture() {
      const base = row.getBoundingClientRect();
      return {
        width: base.width + 8,
        height: base.height + 8,
        scale: shell.arrays.values ? colors : undefined,
        scaleTitle: shell.header.value_title,
        paint(p) {
          chips.forEach((chip, i) => {
            const b = chip.getBoundingClientRect();
            const [x, y] = [b.left - base.left + 4, b.top - base.top + 4];
            p.rect(x, y, b.width, b.height, {
              fill: fills[i] ?? undefined,
              stroke: fills[i] ? undefined : shell.theme.line,
              radius: 5,
            });
            p.text(shown(shell.header.tokens[i]), x + b.width / 2, y + b.height / 2, {
              fill: fills[i] ? readableOn(fills[i]) : shell.theme.text,
              size: 13,
              font: shell.theme.code,
              align: "center",
            });
          });
        },
      };
    },
  };
});
