// A picture whose patches can be taken away: a click or Enter hides a patch and shows it again.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { PictureGrid } from "../pictures/picture_grid.js";
import { photograph } from "../scene/photograph.js";
import { History } from "../shared/undo.js";
import { fromAddress, toAddress } from "./patch_sets.js";
import { labels } from "./labels.js";

export default define((shell) => {
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const bar = el("div", { class: "gf-controls", role: "group", "aria-label": labels("hide_group") });
  const grid = new PictureGrid({
    hover: (at, byKeyboard) => {
      describe(at);
      if (at && byKeyboard) shell.say(grid.say(at));
    },
    choose: ({ patch }) => toggle(patch),
  });
  const answer = el("p", { class: "gf-sentence" });
  shell.body.append(grid.node, answer, bar, readout, key);
  let hidden = new Uint8Array();
  const history = new History(hidden);

  const nHidden = () => hidden.reduce((sum, one) => sum + one, 0);

  function toggle(patch) {
    put(hidden.map((one, i) => (i === patch ? 1 - one : one)));
    const [row, column] = [Math.floor(patch / grid.grid[1]), patch % grid.grid[1]];
    shell.say(labels(hidden[patch] ? "gone" : "back", { row, column, hidden: nHidden(), all: hidden.length }));
  }

  /** Hide exactly these. */
  function put(next) {
    hidden = next;
    history.push(hidden);
    shell.redraw();
    shell.commit("gone", toAddress(hidden));
  }

  function buttons() {
    const button = (text, onclick, disabled = false) => el("button", { class: "gf-solid", text, onclick, disabled });
    const { sets, k } = shell.header;
    const some = ([name, order]) =>
      button(name, () => put(hidden.map((_, i) => Number(order.slice(0, k).includes(i)))));
    const undo = button(labels("undo"), () => put(history.undo()), !history.canUndo);
    const word = labels("numbers").split(" ")[k - 1] ?? k;
    bar.replaceChildren(
      el("span", { text: labels(k === 1 ? "hide_one" : "hide_some", { k: word }) }),
      ...Object.entries(sets).map(some),
      undo,
      button(labels("show_all"), () => put(hidden.map(() => 0))),
    );
  }

  function sentence() {
    const [n, { said, sure, first }] = [nHidden(), shell.header];
    const about = { n, sure, first, said: el("b", { class: "gf-key-number", text: said }) };
    const kind = n === 0 ? "whole_picture" : said === first ? "still" : "changed";
    answer.replaceChildren(...labels.parts(n === 1 ? `${kind}_one` : kind, about));
  }

  function describe(at) {
    const hint = shell.theme.presenting ? "" : labels("switches_hint");
    readout.replaceChildren(...(at ? grid.told(at) : [el("span", { class: "gf-hint", text: hint })]));
  }

  return {
    update() {
      const { gone, grid: sides } = shell.header;
      const now = fromAddress(gone, sides[0] * sides[1]);
      if (now.length === hidden.length && now.every((one, i) => one === hidden[i])) return;
      if (now.length === hidden.length) history.push(now);
      else history.reset(now);
      hidden = now;
    },
    draw() {
      buttons();
      const said = `${shell.header.takeaway} ${labels("n_hidden", { hidden: nHidden(), all: hidden.length })}`;
      const room = shell.width < 480 || shell.tall < 560 ? 240 : shell.tall - 260 * shell.theme.unit;
      const size = Math.min(shell.header.size, shell.width, room);
      grid.set({ ...shell.header, size, takeaway: said }, shell.arrays, hidden);
      sentence();
      grid.draw(shell.theme, shell.width);
      key.replaceChildren(
        ...(grid.weights ? legend(grid.scale(), shell.header.weight_title, { digits: grid.digits() }) : []),
        el(
          "span",
          {},
          el("span", { class: "gf-swatch gf-hatch" }),
          labels("hidden_key", { hidden: nHidden(), all: hidden.length }),
        ),
      );
      describe(grid.at);
    },
    table: () => grid.table(),
    picture: () => ({
      ...photograph(grid.node),
      scale: grid.weights ? grid.scale() : undefined,
      scaleTitle: shell.header.weight_title,
    }),
  };
});
