// All heads of all layers as pictures on one canvas, their scores below them. A click opens one; the hovered one is
// enlarged beside them where they are small.
import { define } from "../drawing/base.js";
import { clamp, el, format, ROUNDED } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { Grid } from "../drawing/grid.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { quoted, visible } from "../drawing/tokens.js";
import * as atlas from "./head_atlas.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

export default define((shell) => {
  const canvas = el("canvas");
  canvas.paint = (p) => {
    atlas.paintHeads(p, geometry, shell.theme, levels, off);
    paintScores(p);
  };
  const over = el("canvas", { class: "gf-over" });
  const tags = el("div");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, canvas, over, tags);
  stage.style.cursor = "pointer";
  const name = el("div", { class: "gf-title" });
  const facts = el("div", { class: "gf-mono gf-facts" });
  const key = el("div", { class: "gf-legend" });
  const chooser = el("select", {
    "data-name": "best_head_by",
    onchange: () => {
      best = chooser.value;
      draw();
    },
  });
  const controls = el("div", { class: "gf-controls" }, el("label", {}, labels("best_head_by"), chooser));
  const large = new Grid({
    hover: (at) => {
      pair = at;
      tell();
    },
  });
  const panel = el("div", { class: "gf-panel" }, name, facts, large.node);
  const said = el("p", { class: "gf-sentence" });
  const left = el("div", {}, el("div", { class: "gf-scroll" }, stage), said, key);
  const parts = el("div", {}, left, panel);
  shell.body.append(controls, parts);

  let geometry;
  let at = null;
  let pair = null;
  let selected = null;
  let begun = null; // the head that is open at first
  let isChosen = false; // by somebody: before that, the best head is shown
  let best = null;
  let shown = null;
  let off = new Set();

  cursorKeys(stage, {
    size: () => [geometry.nLayer, geometry.nHead],
    get: () => at ?? selected,
    move: (to) => {
      hover(to, null);
      shell.say(sentence(to));
    },
    choose: open,
    reset: () => {
      hover(null, null);
      if (selected) {
        selected = null;
        drawOver();
        shell.commit("pick", null);
      }
    },
  });
  pointer(
    stage,
    (event) => hover(...find(event)),
    () => hover(null, null),
  );
  stage.addEventListener("click", (event) => {
    const [head] = find(event);
    if (head) open(head);
  });

  /** @param {number[]} at */
  function open([layer, head]) {
    selected = [layer, head];
    isChosen = true;
    drawOver();
    shell.say(labels("opened", { head: sentence(selected) }));
    shell.commit("pick", { layer, head });
  }

  /** Which head, and which cell inside it, lies under the pointer. */
  function find(event) {
    const { size, T, S } = geometry;
    const box = stage.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const head = atlas.headAt(geometry, x, y);
    if (!head) return [null, null];
    const [left, top] = atlas.place(geometry, ...head);
    const cell = (from, n) => clamp(Math.floor((from / size) * n), 0, n - 1);
    return [head, [cell(y - top, T), cell(x - left, S)]];
  }

  function hover(head, cell) {
    const same = head && at && head[0] === at[0] && head[1] === at[1];
    at = head;
    pair = cell;
    if (!same) drawOver();
    enlarge(focus());
    if (!large.node.hidden) {
      large.at = pair;
      large.drawOver();
    }
    tell();
  }

  const levels = ([l, h]) => {
    const { data, shape } = shell.arrays.weights;
    const n = shape[2] * shape[3];
    const start = (l * shape[1] + h) * n;
    return data.subarray(start, start + n);
  };

  /** The head that is shown large. */
  function focus() {
    const star = shell.header.sentence && !isChosen ? winner(best) : null;
    return at ?? (star ? star.split(",").map(Number) : selected) ?? [0, 0];
  }

  const strongest = (head) => atlas.strongest(levels(head), geometry.T, geometry.S);
  const winner = (score) => atlas.winner(shell.header.scores[score] ?? [], off);

  /** Show a head in the panel. Its labels and sizes are those of every head, so only the cells are painted anew. */
  function enlarge(head, isNew = false) {
    if (!isNew && shown && shown[0] === head[0] && shown[1] === head[1]) return;
    shown = head;
    const h = shell.header;
    large.set({
      values: levels(head),
      of: (v) => v / 255,
      rows: h.tokens,
      columns: h.columns,
      scale: geometry.scale,
      labelFor: sentence(head),
    });
    if (large.node.hidden) return;
    if (isNew) large.draw(shell.theme, panel.clientWidth - 26, { maxHeight: 300, maxCell: 26, minCell: 3 });
    else large.drawCells();
  }

  const sentence = (head) => {
    const [r, c, w] = strongest(head);
    const h = shell.header;
    const scores = Object.entries(h.scores).map(([n, s]) => `${n} ${format(s[head[0]][head[1]], 2)}`);
    return [
      labels("head", { layer: head[0], head: head[1] }),
      off.has(`${head}`) ? labels("knocked_out") : null,
      labels("strongest_pair", { query: quoted(h.tokens[r]), key: quoted(h.columns[c]), weight: format(w, 2) }),
      ...scores,
    ]
      .filter(Boolean)
      .join(", ");
  };

  function tell() {
    const head = focus();
    const h = shell.header;
    const [r, c, w] = strongest(head);
    const title = off.has(`${head}`) ? "title_of_knocked_out" : "title_of_head";
    name.textContent = labels(title, { layer: head[0], head: head[1] });
    const line = (label, ...value) => el("div", {}, el("span", { class: "gf-soft", text: `${label} ` }), ...value);
    const token = (t) => el("b", { translate: "no", text: visible(t) });
    const weight = pair ? levels(head)[pair[0] * geometry.S + pair[1]] / 255 : w;
    const [a, b] = pair ?? [r, c];
    facts.replaceChildren(
      line(
        labels(pair ? "this_pair" : "strongest"),
        ...labels.parts("reads", {
          query: token(h.tokens[a]),
          key: token(h.columns[b]),
          weight: format(weight, 2),
        }),
      ),
      ...Object.entries(h.scores).map(([n, s]) =>
        line(n, `${format(s[head[0]][head[1]], 3)}${winner(n) === `${head}` ? " ★" : ""}`),
      ),
    );
  }

  function draw() {
    const h = shell.header;
    const [nLayer, nHead, T, S] = shell.arrays.weights.shape;
    const { theme } = shell;
    // Room for the names of layers and heads; as the letters are larger in front of a class, so is it.
    const x0 = Math.round(34 * theme.unit);
    const y0 = Math.round(22 * theme.unit);
    const isRanked = Object.keys(h.scores).length > 0;
    const isLarge = !h.sentence && isRanked && atlas.isRoomy(shell.width - x0, nHead, theme.unit);
    parts.className = isLarge ? "" : h.sentence ? "gf-split even" : "gf-split";
    said.textContent = h.sentence;
    said.hidden = !h.sentence;
    panel.className = isLarge ? "gf-told" : "gf-panel";
    large.node.hidden = isLarge;
    const room = left.clientWidth - x0 - 2;
    const tall = shell.tall - y0;
    const sizes = atlas.sizesOf([nLayer, nHead], room, tall, isLarge, isRanked, theme.unit, x0);
    const { step, size, line, gap, perGroup, group } = sizes;
    const pool = atlas.poolOf(T, S, size);
    const stale = geometry?.mode !== theme.mode || geometry?.id !== h.id || geometry?.pool !== pool;
    geometry = {
      ...geometry,
      x0,
      y0,
      nLayer,
      nHead,
      T,
      S,
      step,
      line,
      size,
      perGroup,
      group,
      pool,
      mode: theme.mode,
      id: h.id,
      scale: scale("probability", 0, 1, theme.mode),
      w: x0 + group * (Math.ceil(nLayer / perGroup) - 1) + step * nHead - gap + 3,
      hgt: y0 + line * perGroup,
    };
    if (stale) Object.assign(geometry, atlas.atlasOf(shell.arrays.weights.data, geometry));
    const { w, hgt } = geometry;
    Object.assign(stage.style, { width: `${w}px`, height: `${hgt}px` });
    const ctx = fit(canvas, w, hgt);
    atlas.drawHeads(ctx, geometry, theme, off);
    paintScores(new CanvasPainter(ctx));
    drawLabels();
    drawOver();
    enlarge(focus(), true);
    tell();
    stage.setAttribute("aria-label", h.takeaway);
    key.replaceChildren(
      ...legend(
        geometry.scale,
        pool > 1 ? labels("strongest_weight", { pool }) : labels("rounded_weight", { rounded: ROUNDED }),
      ),
    );
  }

  const paintScores = (p) =>
    atlas.paintScores(p, geometry, shell.theme, shell.header.scores[best] ?? [], shell.header.threshold);

  function drawLabels() {
    const { nLayer, nHead, step, size, perGroup } = geometry;
    const { unit } = shell.theme;
    const letter = Math.round((unit > 1 ? 12 : 11) * unit);
    tags.replaceChildren();
    const put = (text, x, y, css = "") => {
      const n = el("span", { class: "gf-label", text });
      n.style.cssText = `left:${x}px;top:${y}px;font-size:${letter}px;${css}`;
      tags.append(n);
    };
    for (let l = 0; l < nLayer; l += perGroup) {
      for (let n = 0; n < nHead; n++) {
        const x = atlas.place(geometry, l, n)[0] + size / 2;
        put(step < 52 * unit ? `${n}` : labels("head_number", { number: n }), x, 5, "transform:translateX(-50%)");
      }
    }
    for (let l = 0; l < nLayer; l++) {
      const [x, y] = atlas.place(geometry, l, 0);
      put(`L${l}`, x - geometry.x0 + 6, y + size / 2 - letter / 2);
    }
    const star = winner(best);
    if (star) {
      const [l, n] = star.split(",").map(Number);
      const [x, y] = atlas.place(geometry, l, n);
      put(
        "★",
        x + size - letter - 4,
        y + 3,
        `color:${shell.theme.accent};background:var(--st-background-color);border-radius:4px;padding:1px 2px`,
      );
    }
  }

  function drawOver() {
    const { size, w, hgt } = geometry;
    const ctx = fit(over, w, hgt);
    const frame = ([l, n], width) => {
      ctx.lineWidth = width;
      ctx.beginPath();
      const [x, y] = atlas.place(geometry, l, n);
      ctx.roundRect(x - 2, y - 2, size + 4, size + 4, 4);
      ctx.stroke();
    };
    ctx.strokeStyle = shell.theme.accent;
    if (selected) frame(at ? selected : focus(), 3);
    if (at) frame(at, 1.75);
  }

  return {
    update() {
      const h = shell.header;
      const names = Object.keys(h.scores);
      if (JSON.stringify(h.selected) !== JSON.stringify(shell.previous?.selected)) {
        selected = h.selected;
      }
      isChosen ||= JSON.stringify(h.selected) !== (begun ??= JSON.stringify(h.selected));
      off = new Set(h.off.map(String));
      const [nLayer, nHead] = shell.arrays.weights.shape;
      const fits = (p) => p && p[0] < nLayer && p[1] < nHead;
      if (!fits(selected)) selected = null;
      if (!fits(at)) at = null;
      pair = null;
      if (!names.includes(best)) best = h.best;
      controls.hidden = names.length <= 1; // one score is no choice
      chooser.replaceChildren(...names.map((n) => el("option", { value: n, text: n, selected: n === best })));
    },
    draw,
    table: () => atlas.tableOf(shell.header, geometry, off, strongest),
    picture: () => ({ ...photograph(stage), scale: geometry.scale, scaleTitle: labels("weight") }),
  };
}, atlas.STYLE);
