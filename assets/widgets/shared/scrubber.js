// The frames of a training run: play, step and scrub through loss, sample and attention, all in the browser.
import { grouped } from "../page/numbers.js";
import { define } from "../drawing/base.js";
import { clamp, el, format, ROUNDED } from "../drawing/elements.js";
import { cursorKeys, drags } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import * as atlas from "./head_atlas.js";
import { Curve } from "./curve.js";
import { Grid } from "../drawing/grid.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { inStep } from "../drawing/in_step.js";
import { Player } from "../drawing/player.js";
import { quoted } from "../drawing/tokens.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

const FRAMES_PER_SECOND = 8;

export default define((shell) => {
  const player = new Player({
    what: labels("training_step"),
    name: "Training step",
    perSecond: FRAMES_PER_SECOND,
    speeds: true,
    show,
    say: () => shell.say(now.textContent),
  });
  const { now } = player;
  const leave = inStep(player, () => shell.header);

  const chart = Object.assign(el("canvas"), { paint: (p) => curve.paint(p, at) });
  const chartStage = el(
    "div",
    { class: "gf-stage", tabindex: 0, role: "img", "aria-label": labels("loss_by_step") },
    chart,
  );
  const sample = el("div", { class: "gf-panel gf-mono" });
  const sampleTitle = el("div", { class: "gf-soft" });
  const samplePart = el("div", { "data-not-in-file": true }, sampleTitle, sample);
  const heads = el("canvas");
  const headStage = el(
    "div",
    { class: "gf-stage", tabindex: 0, role: "img", "aria-label": labels("all_heads") },
    heads,
  );
  const headTitle = el("div", { class: "gf-soft" });
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  sample.style.cssText =
    "white-space:pre-wrap;overflow-wrap:anywhere;height:9.5rem;overflow-y:auto;font-size:0.8125rem;margin-top:0.3rem";
  headStage.style.cursor = "pointer";
  chartStage.style.touchAction = "pan-y pinch-zoom";
  chartStage.style.cursor = "ew-resize";
  const grid = new Grid({
    hover: (at, byKeyboard) => {
      describe(at);
      if (byKeyboard && at) shell.say(readout.textContent);
    },
  });
  const curve = new Curve();
  const headPart = el(
    "div",
    {},
    headTitle,
    el("div", { class: "gf-pair" }, el("div", { class: "gf-scroll" }, headStage), grid.node),
    readout,
    key,
  );
  const parts = el("div", { class: "gf-split even" }, el("div", {}, chartStage, samplePart), headPart);
  shell.body.append(player.node, parts);

  let at = 0;
  let head = [0, 0];
  let following = true;
  let size = 0;

  const hasHeads = () => shell.arrays.attention.data.length > 0; // recurrent nets have none
  /** The tokens that read, and those that they read: of an encoder-decoder the last and the first. */
  function tokens() {
    const names = shell.header.tokens[shell.header.tokens.length > 1 ? at : 0];
    const [T, S] = shell.arrays.attention.shape.slice(3);
    return { rows: names.slice(-T), columns: names.slice(0, S) };
  }
  const levels = (l, h) => {
    const {
      data,
      shape: [, nLayer, nHead, T, S],
    } = shell.arrays.attention;
    const n = T * S;
    const start = ((at * nLayer + l) * nHead + h) * n;
    return data.subarray(start, start + n);
  };

  function show(index) {
    at = index;
    following = at === player.last;
    const h = shell.header;
    const loss = h.loss[at] ?? h.val_loss[at];
    const step = grouped(h.steps[at]);
    player.tell(
      loss === null ? labels("at_step", { step }) : labels("at_step_with_loss", { step, loss: format(loss, 3) }),
    );
    sample.translate = !h.samples[at]; // what the model writes
    sample.textContent = h.samples[at] || labels("no_sample");
    chart.paint(new CanvasPainter(fit(chart, curve.width, curve.height)));
    if (!hasHeads()) return;
    drawHeads();
    drawGrid();
  }

  function geometry() {
    const [, nLayer, nHead, T, S] = shell.arrays.attention.shape;
    const places = { x0: 28, y0: 3, step: size + 6, line: size + 6, perGroup: nLayer, group: 0 };
    return { ...places, nLayer, nHead, T, S, size, pool: atlas.poolOf(T, S, size), scale: grid.scale };
  }

  function drawHeads() {
    const { theme, arrays } = shell;
    const all = geometry();
    const { nLayer, nHead, T, S, step } = all;
    const n = nLayer * nHead * T * S;
    const [w, h] = [28 + nHead * step, nLayer * step + 2];
    const ctx = fit(heads, w, h);
    Object.assign(headStage.style, { width: `${w}px`, height: `${h}px` });
    const found = atlas.atlasOf(arrays.attention.data.subarray(at * n, (at + 1) * n), all);
    atlas.drawHeads(ctx, { ...all, ...found }, theme, new Set());
    const p = new CanvasPainter(ctx);
    for (let l = 0; l < nLayer; l++) {
      p.text(`L${l}`, 0, (l + 0.5) * step, { fill: theme.soft, size: Math.round(11 * theme.unit), font: theme.code });
    }
    const [x, y] = atlas.place(all, ...head);
    p.rect(x - 0.5, y - 0.5, size + 1, size + 1, { stroke: theme.accent, width: 2.5 });
    const enlarged = { layer: head[0], head: head[1] };
    headTitle.textContent = labels("enlarged_head", enlarged);
    headStage.setAttribute("aria-label", labels("heads", { layers: nLayer, heads: nHead, ...enlarged }));
  }

  function drawGrid() {
    grid.set({
      values: levels(...head),
      of: (v) => v / 255,
      ...tokens(),
      scale: grid.scale,
      labelFor: labels("head_at", { layer: head[0], head: head[1], moment: now.textContent }),
    });
    grid.redraw(shell.theme, grid.node.clientWidth, { maxHeight: 330, maxCell: 30, minCell: 4 });
    describe(grid.at);
  }

  function describe(cell) {
    if (!cell) {
      readout.replaceChildren(el("span", { class: "gf-hint", text: labels("play_hint") }));
      return;
    }
    const { rows, columns } = tokens();
    readout.replaceChildren(
      ...labels.parts("reads", {
        query: el("b", { translate: "no", text: quoted(rows[cell[0]]) }),
        key: el("b", { translate: "no", text: quoted(columns[cell[1]]) }),
        weight: format(grid.value(...cell), 2),
      }),
    );
  }

  /** @param {number[]} at */
  function choose([l, h]) {
    head = [l, h];
    drawHeads();
    drawGrid();
    shell.say(headTitle.textContent);
  }
  const drag = (event) => {
    player.play(false);
    player.move(curve.nearest(event.clientX - chartStage.getBoundingClientRect().left));
  };
  drags(chartStage, drag);
  headStage.addEventListener("click", (event) => {
    const box = headStage.getBoundingClientRect();
    const found = atlas.headAt(geometry(), event.clientX - box.left, event.clientY - box.top);
    if (found) choose(found);
  });
  cursorKeys(headStage, {
    size: () => shell.arrays.attention.shape.slice(1, 3),
    get: () => head,
    move: choose,
    choose: () => {},
    reset: () => {},
  });
  shell.body.addEventListener("keydown", (event) => {
    if (event.target !== headStage && player.key(event)) event.preventDefault();
  });

  return {
    held: () => (String(head) === String(shell.header.head) ? null : head),
    hold([l, h]) {
      const [, nLayer, nHead] = shell.arrays.attention.shape;
      if (l < nLayer && h < nHead) choose([l, h]);
    },
    update() {
      const h = shell.header;
      const step = shell.previous?.steps?.[at];
      const [, nLayer, nHead] = shell.arrays.attention.shape;
      if (JSON.stringify(h.head) !== JSON.stringify(shell.previous?.head)) head = h.head;
      if (head[0] >= nLayer || head[1] >= nHead) head = [0, 0];
      const same = h.steps.indexOf(step);
      // New frames do not pull anybody away.
      player.set(h.steps.length - 1, following || same < 0 ? h.steps.length - 1 : same);
    },
    draw() {
      const h = shell.header;
      const { theme } = shell;
      const [, , nHead, T] = shell.arrays.attention.shape;
      headPart.hidden = !hasHeads();
      parts.classList.toggle("gf-split", hasHeads());
      const width = chartStage.parentElement.clientWidth;
      grid.scale = scale("probability", 0, 1, theme.mode);
      size = clamp(Math.floor((width - 28) / nHead) - 6, 24, Math.max(30, Math.min(T * 2, 46)));
      curve.set({
        steps: h.steps,
        chance: h.chance,
        width,
        height: 220,
        theme,
        series: [
          { name: labels("training"), color: theme.categorical[0], values: h.loss },
          { name: h.held_out ?? labels("validation"), color: theme.categorical[1], dash: [6, 4], values: h.val_loss },
        ].filter((one) => one.values.some((v) => v !== null)), // a run without a kind of loss has no key for it
      });
      sampleTitle.textContent = h.sample_title;
      samplePart.hidden = !h.samples.some((text) => text); // models of no text write nothing
      Object.assign(chartStage.style, { width: `${width}px`, height: "220px" });
      chartStage.setAttribute("aria-label", h.takeaway);
      key.replaceChildren(...legend(grid.scale, labels("rounded_weight", { rounded: ROUNDED })));
      player.go(player.at);
    },
    destroy() {
      player.play(false);
      leave();
    },
    table: () => ({
      columns: [
        labels("step"),
        labels("training_loss"),
        labels("loss_of", { kind: shell.header.held_out ?? labels("validation") }),
        labels("sample"),
      ],
      rows: shell.header.steps.map((s, i) =>
        [String(s), shell.header.loss[i], shell.header.val_loss[i], shell.header.samples[i].slice(0, 60)].map(
          (v) => v ?? "–",
        ),
      ),
    }),
    picture() {
      const { width, height, paint } = photograph(parts);
      const scaled = hasHeads() ? { scale: grid.scale, scaleTitle: labels("weight") } : {};
      const text = { fill: shell.theme.text, size: 12, font: shell.theme.code };
      return {
        width,
        height: height + 20,
        ...scaled,
        paint(p) {
          p.text(now.textContent, 8, 10, text);
          p.shifted(0, 20, () => paint(p));
        },
      };
    },
  };
});
