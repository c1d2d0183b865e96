// A caption: its words are buttons, and for the word under the pointer the picture shows which patches it was read
// from, beside it what else the word could have been, below it the same for every head. Nothing asks the server.
import { define } from "../drawing/base.js";
import { clamp, el } from "../drawing/elements.js";
import { mouseLeaves, withModifier } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { laid, mapOf, spoken, told } from "./caption_math.js";
import { printed } from "../shared/gap_set.js";
import { PictureGrid } from "../pictures/picture_grid.js";
import { inText } from "../drawing/tokens.js";

const CSS = `
.gf-caption { display: flex; flex-wrap: wrap; gap: 5px 4px; padding: 2px; margin-bottom: 0.6rem; }
.gf .gf-caption button { max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: pre; font-family: var(--st-code-font); font-size: 1rem; min-height: 34px; padding: 3px 9px; background: var(--gf-panel); border: 1px solid var(--gf-line); }
.gf .gf-caption button:hover { background: var(--gf-wash); }
.gf .gf-caption button[aria-pressed="true"] { background: var(--gf-accent); border-color: var(--gf-accent); color: var(--gf-on-accent); font-weight: 600; }
.gf .gf-caption button.second { border-bottom: 3px double var(--gf-truth); }
.gf-caption .cut { align-self: center; color: var(--gf-soft); font-size: 0.75rem; padding: 0 3px; }
.gf-words .bar { display: grid; grid-template-columns: 5.4rem minmax(0, 1fr) 3.4rem; gap: 0.4rem; align-items: center; font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.7; }
.gf-words .bar div { height: 13px; }
.gf-words .bar span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
.gf-words .bar i { display: block; height: 100%; min-width: 1px; border-radius: 3px; background: var(--gf-fill); }
.gf-words .bar span:last-child { text-align: right; font-variant-numeric: tabular-nums; }
.gf-words .on span:first-child { font-weight: 700; color: var(--gf-accent); }
.gf-words h4, .gf-each { margin: 0 0 0.35rem; font-size: 0.8125rem; font-weight: 600; overflow-wrap: anywhere; }
.gf-each { margin-top: 0.8rem; }
`;
const MAP = { low: 0, kind: "probability", weight_title: "attention weight", lines: true, ink: true };

export default define((shell) => {
  const row = el("div", { class: "gf-caption", role: "toolbar" });
  const bars = el("div", { class: "gf-panel gf-words" });
  const readout = el("div", { class: "gf-readout" });
  const each = el("p", { class: "gf-each" });
  const key = el("div", { class: "gf-legend" });
  const look = (grid) => (at) => readout.replaceChildren(...(at ? grid.told(at) : [sentence()]));
  const big = new PictureGrid({
    hover: (at, byKeyboard) => {
      look(big)(at);
      if (at && byKeyboard) shell.say(big.say(at));
    },
  });
  const small = new PictureGrid({
    hover: (at, byKeyboard) => {
      look(small)(at);
      if (at && byKeyboard) shell.say(small.say(at));
    },
    choose: ({ picture }) => {
      head = picture;
      show();
      shell.say(sentence());
    },
  });
  const left = el("div", {}, big.node);
  left.append(readout, key);
  const whole = el("div", {}, each, small.node);
  const right = el("div", {}, bars, whole);
  shell.body.append(row, el("div", { class: "gf-split even" }, left, right));
  let buttons = [];
  let held = 0;
  let pointed = null;
  let head = 0;

  const at = () => pointed ?? held;
  const sentence = () =>
    told(shell.header, shell.arrays.chances.data, mapOf(shell.arrays.maps, head, at()), at(), head);
  const placeOf = (event) => {
    const node = event.target.closest?.("[data-i]");
    return node ? Number(node.dataset.i) : null;
  };

  row.addEventListener("pointerover", (event) => {
    const i = placeOf(event);
    if (i !== null && event.pointerType === "mouse") point(i);
  });
  mouseLeaves(row, () => point(null));
  row.addEventListener("click", (event) => {
    const i = placeOf(event);
    if (i !== null) hold(i);
  });
  row.addEventListener("keydown", (event) => {
    if (withModifier(event)) return;
    const last = buttons.length - 1;
    const to = {
      ArrowRight: held + 1,
      ArrowDown: held + 1,
      ArrowLeft: held - 1,
      ArrowUp: held - 1,
      Home: 0,
      End: last,
      Escape: shell.header.start,
    }[event.key];
    if (to === undefined) return;
    hold(clamp(to, 0, last));
    buttons[held].focus();
    shell.say(sentence());
    event.preventDefault();
  });

  function point(i) {
    if (i !== pointed) {
      pointed = i;
      show();
    }
  }
  function hold(i) {
    held = i;
    pointed = null;
    show();
  }

  function show() {
    const h = shell.header;
    const t = at();
    const { maps, pixels, chances } = shell.arrays;
    const n = h.heads.length;
    const [, y, x] = pixels.shape;
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(i === t));
      button.setAttribute("tabindex", i === held ? "0" : "-1");
    });
    const common = { ...MAP, high: h.high, grid: h.grid, full: h.full, lines: h.grid[0] * h.grid[1] > 1 };
    const map = mapOf(maps, head, t);
    const nPatch = map.length;
    const isOne = nPatch === 1;
    big.set(
      {
        ...common,
        titles: h.names.length > 1 ? h.names : null,
        columns: h.names.length,
        size: h.names.length > 1 ? 176 : clamp(shell.tall - 200 * shell.theme.unit, 240, 368),
        pick: null,
        takeaway: `${sentence()} Arrow keys read the patches.`,
      },
      { pixels, weights: { data: laid(map, h.names.length, h.reads[t]) } },
    );
    const read = pixels.data.subarray(h.reads[t] * y * x, (h.reads[t] + 1) * y * x);
    const copies = new Uint8Array(n * y * x);
    const all = new Float32Array(n * nPatch);
    for (let i = 0; i < n; i++) {
      copies.set(read, i * y * x);
      all.set(mapOf(maps, i, t), i * nPatch);
    }
    small.set(
      {
        ...common,
        titles: h.heads,
        columns: 5,
        size: 72,
        pick: "picture",
        takeaway: `Every head at “${h.words[t]}”. Page Up and Page Down change the head, Enter opens it.`,
      },
      { pixels: { data: copies, shape: [n, y, x] }, weights: { data: all } },
    );
    small.chosen = head;
    whole.hidden = isOne;
    each.textContent = "Every head (layer.head); a click opens one";
    const { width } = box();
    big.draw(shell.theme, width);
    if (!isOne) small.draw(shell.theme, right.clientWidth || shell.width);
    const m = h.top[t].length;
    bars.replaceChildren(
      el("h4", { text: t ? `After “${spoken(h.words, t)}” comes` : "At the start comes" }),
      ...h.top[t].map((word, k) => {
        const fill = el("i");
        const p = chances.data[t * m + k];
        fill.style.width = `${100 * p}%`;
        return el(
          "div",
          { class: word === h.words[t] ? "bar on" : "bar" },
          el("span", { text: word, title: word }),
          el("div", {}, fill),
          el("span", { text: printed(p) }),
        );
      }),
    );
    readout.replaceChildren(sentence());
    key.replaceChildren(...legend(big.scale(), MAP.weight_title));
  }

  const box = () => ({ width: left.clientWidth || shell.width });

  return {
    held: () => head !== shell.header.head && [head], // the word is a button that stays pressed
    hold([i]) {
      if (i < shell.header.heads.length) {
        head = i;
        show();
      }
    },
    update() {
      const h = shell.header;
      const { previous } = shell;
      const isOther =
        JSON.stringify([h.words.length, h.names.length]) !==
        JSON.stringify([previous?.words?.length, previous?.names?.length]);
      if (isOther || held >= h.words.length) held = h.start;
      if (head >= h.heads.length || !previous?.words) head = h.head;
      pointed = null;
      [h.words, h.top] = [h.words.map(inText), h.top.map((row) => row.map(inText))]; // as they are read, from here on
      buttons = h.words.map((word, i) =>
        el("button", {
          "data-i": i,
          class: h.reads[i] ? "second" : null,
          text: word,
          "aria-label": h.names.length > 1 ? `${word}, reads ${h.names[h.reads[i]]}` : word,
        }),
      );
      const turn = h.reads.indexOf(1);
      const parts = [...buttons];
      if (turn > 0) parts.splice(turn, 0, el("span", { class: "cut", text: "┃ changed" }));
      row.replaceChildren(...parts);
    },
    draw() {
      shell.root.style.setProperty("--gf-fill", shell.theme.categorical[0]);
      row.setAttribute("aria-label", shell.header.takeaway);
      show();
    },
    table: () => ({
      columns: [
        "word",
        "probability",
        ...Array.from(
          { length: shell.header.grid[0] * shell.header.grid[1] },
          (_, i) => `row ${Math.floor(i / shell.header.grid[1])}, column ${i % shell.header.grid[1]}`,
        ),
      ],
      rows: shell.header.words.map((word, t) => {
        const k = Math.max(0, shell.header.top[t].indexOf(word));
        return [
          word,
          shell.arrays.chances.data[t * shell.header.top[t].length + k],
          ...mapOf(shell.arrays.maps, head, t),
        ];
      }),
    }),
    picture: () => ({
      width: Math.max(big.w, whole.hidden ? 0 : small.w, 420) + 8,
      height: 40 + big.h + (whole.hidden ? 0 : small.h + 16),
      scale: big.scale(),
      scaleTitle: MAP.weight_title,
      paint(p) {
        const { theme, header: h } = shell;
        p.text(spoken(h.words), 8, 12, { fill: theme.text, size: 14, font: theme.code });
        p.text(sentence(), 8, 30, { fill: theme.soft, size: 11, font: theme.font });
        p.shifted(4, 40, () => big.paint(p));
        if (!whole.hidden) p.shifted(4, 56 + big.h, () => small.paint(p));
      },
    }),
  };
}, CSS);
