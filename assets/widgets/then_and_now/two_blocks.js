// Two blocks of different years, and the switches between them: each flips one part of the second block.
import { mix } from "../drawing/color.js";
import { el, measure } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { plan } from "./two_blocks_plan.js";

const NARROW = 640; // px: below, the blocks stand side by side and run down
const HEAD = 28;
const FOOT = 22;
const BRANCH = { at: 32, thick: 64 }; // where the stream runs across
const STREAM = { at: 104, thick: 42 };
const COLUMN = { stream: 14, indent: 30 };
const STYLE = `
.gf-stage { cursor: default; }
.gf-switches { display: flex; flex-wrap: wrap; gap: 0.5rem 1.2rem; margin-top: 0.6rem; }
.gf-switch { display: flex; flex-direction: column; gap: 2px; }
.gf-switch > span { font-size: 0.8125rem; color: var(--gf-soft); }
.gf-switch b { color: var(--st-text-color); }
.gf-switch > div { display: flex; flex-wrap: wrap; gap: 4px; }
.gf .gf-switch button { font-size: 0.8125rem; padding: 2px 8px; }
.gf .gf-switch button.then[aria-pressed="true"] { background: var(--gf-panel); border-color: var(--gf-line); color: var(--st-text-color); }
.gf .gf-switch button[aria-pressed="true"] { font-weight: 700; box-shadow: inset 0 0 0 1px currentColor; }
.gf-readout { min-height: 2.7em; font-family: var(--st-font); }
`;

export default picture(
  ({ switches, on, first: alone, names, n_layer: nLayer, takeaway, hint }, _, { shell, theme, width, state, set }) => {
    const things = switches.flatMap((owner) => owner.states.map((state) => ({ owner, state })));
    const title = (name) => things.find(({ state }) => state.name === name)?.state.title ?? name;
    const first = Object.fromEntries(switches.map((one) => [one.name, one.states[0].name]));
    const today = Object.fromEntries(switches.map((one) => [one.name, one.today]));
    // Where the switches stand, as the page has it: the states that are not those of 2017. One at a time, today's
    // nine are too many to begin with.
    const isAll = switches.every((one) => on.includes(one.today));
    const flipped = isAll && !state.several ? [alone] : on;
    const stateOf = ({ states }) => (states.find(({ name }) => flipped.includes(name)) ?? states[0]).name;
    const setting = Object.fromEntries(switches.map((one) => [one.name, stateOf(one)]));
    const isToday = switches.every(({ name }) => setting[name] === today[name]);
    const isLit = ({ owner, state: { name } }) => setting[owner.name] === name && first[owner.name] !== name;
    const lit = things.filter(isLit);
    const now = lit.length === 1 ? labels("with", { part: lit[0].state.title }) : names[isToday ? 1 : 2];
    const down = width < NARROW;
    const wide = down ? (width - 14) / 2 : width - 12;
    const both = [first, setting].map((one) => plan(one, first, title, wide, down));
    const tall = down
      ? HEAD + Math.max(...both.map((one) => one.long)) + 2 * FOOT
      : HEAD + STREAM.at + STREAM.thick / 2 + FOOT + 6;
    const notes = (one) => [
      [`× ${nLayer}, ${title(one.biases)}`, one.biases !== first.biases],
      [title(one.training), one.training !== first.training],
    ];

    function flip(changes) {
      const wanted = { ...(state.several ? setting : first), ...changes };
      const isOn = ({ owner, state: { name } }) => wanted[owner.name] === name && first[owner.name] !== name;
      shell.commit(
        "on",
        things.filter(isOn).map((one) => one.state.name),
      );
    }

    function paintBlock(p, one, states, name) {
      const s = one.scale;
      const font = theme.font;
      const ink = (isLit) => ({ fill: isLit ? theme.accent : theme.text, weight: isLit ? 700 : 500 });
      p.text(name, 4, 11, { fill: theme.text, size: 15, font, weight: 700 });
      // A place along the stream and across it, as a rectangle.
      const rect = (box) =>
        down
          ? box.isBranch
            ? [COLUMN.indent, HEAD + box.at, wide - COLUMN.indent - 8, box.long]
            : [0, HEAD + box.at, wide * 0.8, box.long]
          : box.isBranch
            ? [box.at * s, HEAD + BRANCH.at - BRANCH.thick / 2, box.long * s, BRANCH.thick]
            : [box.at * s, HEAD + STREAM.at - STREAM.thick / 2, box.long * s, STREAM.thick];
      const [from, to] = one.block;
      if (down) p.rect(-3, HEAD + from - 2, wide, to - from + 2, { stroke: theme.soft, dash: [4, 3], radius: 6 });
      else {
        const high = tall - HEAD - FOOT + 4;
        p.rect(from * s - 4, HEAD - 6, (to - from) * s + 6, high, { stroke: theme.soft, dash: [4, 3], radius: 6 });
      }
      const line = { color: theme.soft, width: 2.5 };
      if (down) p.segment(COLUMN.stream, HEAD, COLUMN.stream, HEAD + one.long, line);
      else p.segment(0, HEAD + STREAM.at, one.long * s, HEAD + STREAM.at, line);
      const thin = { color: theme.soft, width: 1.5 };
      for (const [start, end] of one.branches) {
        const middle = (COLUMN.indent + wide) / 2;
        p.line(
          down
            ? [
                [COLUMN.stream, HEAD + start],
                [middle, HEAD + start],
                [middle, HEAD + end],
                [COLUMN.stream, HEAD + end],
              ]
            : [
                [start * s, HEAD + STREAM.at],
                [start * s, HEAD + BRANCH.at],
                [end * s, HEAD + BRANCH.at],
                [end * s, HEAD + STREAM.at],
              ],
          thin,
        );
      }
      for (const at of one.pluses) {
        const [x, y] = down ? [COLUMN.stream, HEAD + at] : [at * s, HEAD + STREAM.at];
        p.rect(x - 9, y - 9, 18, 18, { fill: theme.page, stroke: theme.soft, width: 1.5, radius: 9 });
        p.text("+", x, y + 0.5, { fill: theme.text, size: 14, font, align: "center", weight: 600 });
      }
      for (const box of one.boxes) {
        const [x, y, w, h] = rect(box);
        p.rect(x, y, w, h, {
          fill: box.isLit ? mix(theme.page, theme.accent, 0.1) : theme.panel,
          stroke: box.isLit ? theme.accent : theme.line,
          width: box.isLit ? 2 : 1,
          radius: 6,
        });
        const step = 14;
        box.lines.forEach(({ text, isLit }, i) =>
          p.text(text, x + w / 2, y + h / 2 + (i - (box.lines.length - 1) / 2) * step, {
            ...ink(isLit),
            size: 12,
            font,
            align: "center",
          }),
        );
      }
      notes(states).forEach(([text, isLit], i) => {
        const look = { ...ink(isLit), size: 12, font };
        if (down) p.text(text, 0, HEAD + one.long + 14 + i * 16, look);
        else if (i) p.text(text, 24 + measure(name, 16, font), 11, look);
        else p.text(text, ((from + to) / 2) * s, tall - FOOT / 2, { ...look, align: "center" });
      });
    }

    const group = (name, plain, ...buttons) =>
      el(
        "div",
        { class: "gf-switch", role: "group", "aria-label": name },
        el("span", {}, el("b", { text: name }), ` ${plain}`),
        el("div", {}, ...buttons),
      );
    const all = (text, wanted) =>
      el("button", {
        class: "gf-solid",
        text,
        onclick: () => {
          set({ several: true });
          flip(wanted);
        },
      });
    const mode = (text, several) =>
      el("button", {
        class: "gf-solid",
        text,
        "aria-pressed": String(state.several === several),
        onclick: () => set({ several }),
      });
    const button = ({ owner, state: { name, title: text } }, i) =>
      el("button", {
        class: name === first[owner.name] ? "gf-solid then" : "gf-solid",
        text,
        "data-i": i,
        "data-name": `${owner.name} ${name}`,
        "aria-pressed": String(setting[owner.name] === name),
      });
    const buttons = things.map(button);
    return {
      things,
      size: [width, down ? tall : 2 * tall],
      paint(p) {
        [first, setting].forEach((one, i) => {
          const [dx, dy] = down ? [3 + i * (wide + 8), 0] : [3, i * tall];
          p.shifted(dx, dy, () => paintBlock(p, both[i], one, i ? now : names[0]));
        });
      },
      said: ({ owner, state: { title: name, paper, found } }) => [
        el("b", { text: name }),
        ` (${paper}) `,
        el("span", { class: "gf-hint", text: `${owner.says}${found ? ` ${found}` : ""}` }),
      ],
      hint,
      label: takeaway,
      sentence: [
        lit.length === 1
          ? lit[0].state.does
          : lit.length
            ? labels("lit", { n: lit.length, all: switches.length })
            : labels("none"),
      ],
      choose: (one) => flip({ [one.owner.name]: one.state.name }),
      above: [
        el(
          "div",
          { class: "gf-switches" },
          group(
            labels("flip"),
            "",
            mode(labels("one"), false),
            mode(labels("several"), true),
            all(labels("all_today"), today),
            all(labels("all_then"), first),
          ),
          ...switches.map((owner) =>
            group(owner.title, owner.plain, ...buttons.filter((__, i) => things[i].owner === owner)),
          ),
        ),
      ],
      columns: [labels("switch"), "2017", labels("second")],
      rows: switches.map((one) => [one.title, one.states[0].title, title(setting[one.name])]),
    };
  },
  { style: STYLE, state: (_, old) => old ?? { several: false } },
);
