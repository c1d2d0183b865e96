// One matrix over a training: play, step and scrub through its frames, all in the browser.
import { define } from "../drawing/base.js";
import { el, format, fromByte, ROUNDED } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { Grid } from "../drawing/grid.js";
import { Player } from "../drawing/player.js";
import { quoted } from "../drawing/tokens.js";

const FRAMES_PER_SECOND = 4;

export default define((shell) => {
  const player = new Player({
    what: "Training step",
    perSecond: FRAMES_PER_SECOND,
    show,
    say: () => shell.say(player.now.textContent),
  });
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const grid = new Grid({
    hover: (at, byKeyboard) => {
      describe(at);
      if (byKeyboard && at) shell.say(readout.textContent);
    },
  });
  shell.body.append(player.node, grid.node, readout, key);

  let at = 0;
  let following = true;
  const levels = () => {
    const {
      data,
      shape: [, T, S],
    } = shell.arrays.frames;
    return data.subarray(at * T * S, (at + 1) * T * S);
  };

  function show(index) {
    const h = shell.header;
    at = index;
    following = at === player.last;
    player.tell(`step ${h.steps[at].toLocaleString("en")}${h.notes[at] && `: ${h.notes[at]}`}`);
    grid.set({
      values: levels(),
      of: (v) => v / 255,
      rows: h.rows,
      columns: h.columns,
      scale: grid.scale,
      truth: shell.arrays.truth?.data,
      rowTitle: h.row_title,
      columnTitle: h.column_title,
      labelFor: `${h.takeaway} Shown: ${player.now.textContent}.`,
    });
    grid.redraw(shell.theme, grid.node.clientWidth || shell.width, {
      maxHeight: Math.min(420, (shell.tall - 290) / shell.theme.unit),
    });
    describe(grid.at);
  }

  function describe(cell) {
    const h = shell.header;
    if (!cell) {
      readout.replaceChildren(el("span", { class: "gf-hint", text: "Space plays, the arrow keys step." }));
      return;
    }
    const [row, column] = [h.rows[cell[0]], h.columns[cell[1]]].map((token) => el("b", { text: quoted(token) }));
    const value = format(grid.value(...cell), 2);
    if (h.value_title === "weight") readout.replaceChildren("writing ", row, " it reads ", column, ` with ${value}`);
    else {
      readout.replaceChildren(`${h.row_title} `, row, ` · ${h.column_title} `, column, ` · ${h.value_title} ${value}`);
    }
  }

  shell.body.addEventListener("keydown", (event) => {
    if (event.key !== " " && grid.node.contains(event.target)) return; // the matrix has arrows of its own
    if (player.key(event)) event.preventDefault();
  });

  return {
    update() {
      const h = shell.header;
      const same = h.steps.indexOf(shell.previous?.steps?.[at]);
      // New frames do not pull anybody away.
      player.set(h.steps.length - 1, following || same < 0 ? h.steps.length - 1 : same);
    },
    draw() {
      grid.scale = scale("probability", 0, 1, shell.theme.mode);
      key.replaceChildren(
        ...legend(grid.scale, `${shell.header.value_title} (${ROUNDED})`, {
          truth: shell.arrays.truth && shell.header.truth_title,
        }),
      );
      player.go(player.at);
    },
    destroy: () => player.play(false),
    table: () => ({
      columns: [`${shell.header.row_title} (${shell.header.value_title}, ${ROUNDED})`, ...shell.header.columns],
      rows: shell.header.rows.map((t, r) => [t, ...shell.header.columns.map((_, c) => fromByte(grid.value(r, c)))]),
    }),
    picture: () => ({
      width: grid.w + 12,
      height: grid.h + 32,
      scale: grid.scale,
      scaleTitle: shell.header.value_title,
      paint(p) {
        p.text(player.now.textContent, 8, 12, { fill: shell.theme.text, size: 12, font: shell.theme.code });
        grid.paint(p, 6, 24);
      },
    }),
  };
});
