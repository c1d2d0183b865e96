// A picture whose patches can be taken away: a click or Enter hides a patch and shows it again. The picture follows at
// once; what the model says follows from the server.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { PictureGrid } from "../pictures/picture_grid.js";

export default define((shell) => {
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const grid = new PictureGrid({
    hover: (at, byKeyboard) => {
      describe(at);
      if (at && byKeyboard) shell.say(grid.say(at));
    },
    choose: ({ patch }) => toggle(patch),
  });
  shell.body.append(grid.node, readout, key);
  let hidden = new Uint8Array();
  let turn = 0;

  const places = () => [...hidden.keys()].filter((i) => hidden[i]);

  function toggle(patch) {
    hidden[patch] = hidden[patch] ? 0 : 1;
    turn += 1;
    shell.redraw();
    const where = `patch in row ${Math.floor(patch / grid.grid[1])}, column ${patch % grid.grid[1]}`;
    shell.say(`${where} ${hidden[patch] ? "is hidden" : "is back"}; ${places().length} of ${hidden.length} hidden`);
    shell.commit("drawn", { turn, hidden: places() });
  }

  function describe(at) {
    const hint = shell.theme.presenting ? "" : "Click a patch, or press Enter on it: it goes away, or comes back.";
    readout.replaceChildren(...(at ? grid.told(at) : [el("span", { class: "gf-hint", text: hint })]));
  }

  return {
    update() {
      const given = shell.header.turn;
      // An answer to an older click must not undo the clicks made since.
      if (hidden.length !== shell.arrays.hidden.data.length || given === null || given >= turn) {
        hidden = Uint8Array.from(shell.arrays.hidden.data);
      }
      turn = Math.max(turn, given ?? 0);
    },
    draw() {
      grid.set(shell.header, shell.arrays, hidden);
      grid.draw(shell.theme, shell.width);
      key.replaceChildren(
        ...(grid.weights ? legend(grid.scale(), shell.header.weight_title, { digits: grid.digits() }) : []),
        el("span", {}, el("span", { class: "gf-swatch gf-hatch" }), `hidden: ${places().length} of ${hidden.length}`),
      );
      describe(grid.at);
    },
    table: () => grid.table(),
    picture: () => ({
      width: grid.w + 8,
      height: grid.h + 8,
      paint: (p) => p.shifted(4, 4, () => grid.paint(p)),
      scale: grid.weights ? grid.scale() : undefined,
      scaleTitle: shell.header.weight_title,
    }),
  };
});
