// Two blocks of different years, and the switches between them: each flips one part of the second block.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { mix } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { plan } from "./two_blocks_plan.js";

const NARROW = 640; // px: below, the blocks stand side by side and run down
const HEAD = 28;
const FOOT = 22;
const BRANCH = { at: 32, thick: 64 }; // where the stream runs across
const STREAM = { at: 104, thick: 42 };
const COLUMN = { stream: 14, indent: 30 };

export default define(
  (shell) => {
    const canvas = el("canvas");
    const stage = el("div", { class: "gf-stage gf-two-blocks", role: "img" }, canvas);
    const board = el("div", { class: "gf-switches" });
    const readout = el("div", { class: "gf-readout gf-switch-text" });
    shell.body.append(stage, board, readout);
    let place = null;
    let buttons = new Map();
    let looked = "";

    const switches = () => shell.header.switches;
    const states = () => switches().flatMap((one) => one.states);
    const title = (name) => states().find((one) => one.name === name)?.title ?? name;
    const thenSetting = () => Object.fromEntries(switches().map((one) => [one.name, one.states[0].name]));
    const todaySetting = () => Object.fromEntries(switches().map((one) => [one.name, one.today]));

    /** Where the switches stand, as the page has it: the states that are not those of 2017. */
    function setting() {
      const now = thenSetting();
      for (const one of switches()) {
        const on = one.states.find((state) => shell.header.on.includes(state.name));
        if (on) now[one.name] = on.name;
      }
      return now;
    }

    function flip(changes) {
      const now = { ...setting(), ...changes };
      const first = thenSetting();
      const on = states().map((state) => state.name);
      shell.commit(
        "on",
        on.filter((name) => switches().some((one) => now[one.name] === name && first[one.name] !== name)),
      );
    }

    function tell(name, aloud = false) {
      looked = name;
      const owner = switches().find((one) => one.states.some((state) => state.name === name));
      if (!owner) {
        readout.replaceChildren(el("span", { class: "gf-hint", text: shell.header.hint }));
        return;
      }
      const state = owner.states.find((one) => one.name === name);
      const found = state.found ? ` ${state.found}` : "";
      readout.replaceChildren(
        el("b", { text: state.title }),
        ` (${state.paper}) `,
        el("span", { class: "gf-hint", text: `${owner.says}${found}` }),
      );
      if (aloud) shell.say(`${state.title}, ${state.paper}. ${owner.says}${found}`);
    }

    function build() {
      buttons = new Map();
      const button = (owner, state) => {
        const node = el("button", {
          class: "gf-solid",
          text: state.title,
          onclick: () => {
            flip({ [owner.name]: state.name });
            tell(state.name, true);
          },
          onfocus: () => tell(state.name),
          onpointerenter: () => tell(state.name),
        });
        buttons.set(state.name, node);
        return node;
      };
      const group = (name, inside) =>
        el(
          "div",
          { class: "gf-switch", role: "group", "aria-label": name },
          el("span", { text: name }),
          el("div", {}, ...inside),
        );
      const all = (text, wanted) => el("button", { class: "gf-solid", text, onclick: () => flip(wanted()) });
      board.replaceChildren(
        group("second block", [all("all as today", todaySetting), all("all as in 2017", thenSetting)]),
        ...switches().map((owner) =>
          group(
            owner.title,
            owner.states.map((state) => button(owner, state)),
          ),
        ),
      );
      tell(looked);
    }

    function lay() {
      const down = shell.width < NARROW;
      const wide = down ? (shell.width - 14) / 2 : shell.width - 12;
      const both = [thenSetting(), setting()].map((one) => plan(one, thenSetting(), title, wide, down));
      const tall = down
        ? HEAD + Math.max(...both.map((one) => one.long)) + 2 * FOOT
        : HEAD + STREAM.at + STREAM.thick / 2 + FOOT + 6;
      return { down, wide, both, tall, height: down ? tall : 2 * tall };
    }

    const notes = (now) => [
      [`× ${shell.header.n_layer}, ${title(now.biases)}`, now.biases !== thenSetting().biases],
      [title(now.training), now.training !== thenSetting().training],
    ];

    function paintBlock(p, one, now, name) {
      const { theme } = shell;
      const { down, wide } = place;
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
        const tall = place.tall - HEAD - FOOT + 4;
        p.rect(from * s - 4, HEAD - 6, (to - from) * s + 6, tall, { stroke: theme.soft, dash: [4, 3], radius: 6 });
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
      notes(now).forEach(([text, isLit], i) => {
        const look = { ...ink(isLit), size: 12, font };
        if (down) p.text(text, 0, HEAD + one.long + 14 + i * 16, look);
        else if (i) p.text(text, 60, 11, look);
        else p.text(text, ((from + to) / 2) * s, place.tall - FOOT / 2, { ...look, align: "center" });
      });
    }

    function paint(p) {
      const names = [shell.header.names[0], shell.header.names[isToday() ? 1 : 2]];
      [thenSetting(), setting()].forEach((now, i) => {
        const [dx, dy] = place.down ? [3 + i * (place.wide + 8), 0] : [3, i * place.tall];
        p.shifted(dx, dy, () => paintBlock(p, place.both[i], now, names[i]));
      });
    }

    const isToday = () => Object.entries(todaySetting()).every(([name, state]) => setting()[name] === state);

    return {
      update() {
        build();
      },
      draw() {
        const now = setting();
        place = lay();
        stage.style.width = `${shell.width}px`;
        stage.style.height = `${place.height}px`;
        stage.setAttribute("aria-label", shell.header.takeaway);
        paint(new CanvasPainter(fit(canvas, shell.width, place.height)));
        for (const one of switches()) {
          for (const state of one.states) {
            buttons.get(state.name).setAttribute("aria-pressed", String(now[one.name] === state.name));
          }
        }
      },
      table: () => ({
        columns: ["switch", "2017", "second block"],
        rows: switches().map((one) => [one.title, one.states[0].title, title(setting()[one.name])]),
      }),
      picture: () => ({ width: shell.width, height: place.height, paint }),
    };
  },
  `
  .gf-two-blocks { cursor: default; }
  .gf-switches { display: flex; flex-wrap: wrap; gap: 0.3rem 0.9rem; }
  .gf-switch { display: flex; flex-direction: column; gap: 2px; }
  .gf-switch > span { font-size: 0.75rem; color: var(--gf-soft); }
  .gf-switch > div { display: flex; flex-wrap: wrap; gap: 4px; }
  .gf .gf-switch button { font-size: 0.75rem; padding: 2px 8px; }
  .gf .gf-switch button[aria-pressed="true"] { font-weight: 700; box-shadow: inset 0 0 0 1px currentColor; }
  .gf-switch-text { min-height: 2.7em; font-family: var(--st-font); }
`,
);
