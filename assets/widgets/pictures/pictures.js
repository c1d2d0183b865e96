// A grid of small pictures with a weight on each patch. Pointing and arrow keys read pixels and patches in the browser;
// a click or Enter commits a picture or a patch where the page asks for one.
import { Badge, BADGE_STYLE } from "../page/badge.js";
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { PictureGrid } from "./picture_grid.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

export default define((shell) => {
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const grid = new PictureGrid({
    hover: (at, byKeyboard) => {
      describe(at);
      if (at && byKeyboard) shell.say(grid.say(at));
    },
    choose: ({ picture, patch }) => {
      const { pick, values } = shell.header;
      if (!pick) return;
      grid.chosen = pick === "patch" ? [picture, patch] : picture;
      shell.redraw();
      shell.say(labels("chosen", { what: grid.at ? grid.say(grid.at) : grid.title(picture) }));
      shell.commit("pick", values ? values[pick === "patch" ? patch : picture] : grid.chosen);
    },
  });
  const badge = new Badge({ ask: (token) => shell.commit("check", { of: token }), say: (text) => shell.say(text) });
  badge.hear(grid.stage);
  const sentence = el("p", { class: "gf-sentence" });
  shell.body.append(grid.node, sentence, readout, key, badge.node);

  /** What the badge tells of a patch: a picture is a row, a patch a column. */
  function cellOf(at) {
    if (!at || !grid.weights) return null;
    const { again, difference } = shell.arrays;
    const patch = grid.patchOf(at.row, at.column);
    const i = at.picture * grid.nPatch() + patch;
    return {
      at: [at.picture, patch],
      shown: grid.weight(at.picture, patch),
      again: again?.data[i],
      difference: difference?.data[i],
    };
  }

  function describe(at) {
    badge.show(cellOf(at));
    const how = shell.theme.presenting ? "" : labels(`how.${shell.header.pick ?? (grid.n > 1 ? "many" : "none")}`);
    readout.replaceChildren(...(at ? grid.told(at) : [el("span", { class: "gf-hint", text: how })]));
  }

  function swatch(text, css) {
    const mark = el("span", { class: "gf-swatch" });
    Object.assign(mark.style, css);
    return el("span", {}, mark, text);
  }

  function fillLegend() {
    const h = shell.header;
    const parts = [];
    if (grid.weights) {
      parts.push(...legend(grid.scale(), h.weight_title, { digits: grid.digits() }));
      const border = (style, color) => ({ border: `4px ${style} ${color}` });
      parts.push(swatch(labels(h.kind === "signed" ? "frame" : "frame_weight"), border("solid", grid.color(1))));
      if (h.kind === "signed") parts.push(swatch(labels("below_0"), border("dashed", grid.color(-1))));
    }
    if (grid.hidden) parts.push(el("span", {}, el("span", { class: "gf-swatch gf-hatch" }), h.hidden_title));
    key.replaceChildren(...parts);
  }

  return {
    update() {
      const { header: h, previous } = shell;
      grid.set(h, shell.arrays);
      if (JSON.stringify(h.chosen) !== JSON.stringify(previous?.chosen) || h.pick !== previous?.pick) {
        grid.chosen = h.chosen;
      }
      const last = Array.isArray(grid.chosen) ? grid.chosen[0] : grid.chosen;
      if (last !== null && last >= grid.n) grid.chosen = null;
    },
    draw() {
      grid.draw(shell.theme, shell.width);
      sentence.textContent = shell.header.sentence ?? "";
      sentence.hidden = !shell.header.sentence;
      fillLegend();
      badge.set(shell.header.badge, [labels("picture"), labels("patch")], false);
      describe(grid.at);
    },
    table: () => grid.table(),
    picture: () => ({
      ...photograph(grid.node),
      scale: grid.weights ? grid.scale() : undefined,
      scaleTitle: shell.header.weight_title,
    }),
  };
}, BADGE_STYLE);
