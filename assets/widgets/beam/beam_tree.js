// The tree of a beam search: play, step and scrub; columns are steps, nodes are candidates. Nothing asks the server.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { pointer } from "../drawing/input.js";
import { countFrames, fate, frameAt, normalized, passes, path, placeOf, sentence, tokensOf } from "./beam_tree_math.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { inText, visible } from "../drawing/tokens.js";
import { STYLE } from "./beam_tree_style.js";
import { row, table } from "../drawing/table.js";
import { layTree, paintTree, tints } from "./beam_tree_paint.js";

const FRAMES_PER_SECOND = 1.25;

export default define((shell) => {
  const player = new Player({
    what: "Frame of the search",
    perSecond: FRAMES_PER_SECOND,
    show,
    say: () => shell.say(said.textContent),
  });
  const said = el("div", { class: "gf-said" });
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "group" }, canvas);
  const scroller = el("div", { class: "gf-scroll" }, stage);
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const pool = el("div", { class: "gf-pool gf-scroll", tabindex: 0, role: "region", "aria-label": "Finished texts" });
  shell.body.append(el("div", { class: "gf-beam" }, player.node, said, scroller, readout, key, pool));

  let frame = 0;
  let fromStart = true;
  let isFirst = true;
  let over = null;
  let pinned = null;
  let best = null;
  const size = { width: 0, height: 0 };
  let place = layTree(1);

  const steps = () => shell.header.steps;
  const last = () => countFrames(steps()) - 1;
  const name = (i) => shell.header.names[i];
  const same = (a, b) => a?.s === b?.s && a?.c === b?.c;

  function show(index) {
    frame = index;
    const { step, decided } = frameAt(frame);
    if (over && over.s > step) over = null;
    if (pinned && pinned.s > step) pinned = null;
    said.textContent = sentence(shell.header, frame);
    player.tell(step < 0 ? "prompt" : `step ${step + 1} of ${steps().length}`, said.textContent);
    const pooled = poolNow();
    best = pooled.length && decided ? placeOf(steps(), pooled[0].tokens, step) : null;
    drawPool(pooled);
    paintNow();
    describe();
    const right = place.x(Math.max(0, step)) + place.w + place.px(12);
    const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const target =
      right > scroller.scrollLeft + scroller.clientWidth
        ? right - scroller.clientWidth
        : place.x(step) < scroller.scrollLeft
          ? Math.max(0, place.x(step) - place.gap - place.root)
          : null;
    if (fromStart) {
      scroller.scrollLeft = 0;
      fromStart = false;
    } // a new tree is read from its root
    else if (target !== null) scroller.scrollTo({ left: target, behavior: quiet ? "auto" : "smooth" });
  }

  /** The finished texts that the frame knows of. */
  function poolNow() {
    const { step, decided } = frameAt(frame);
    const known = decided ? step : step - 1;
    return known < 0 ? [] : steps()[known].pool;
  }

  function drawPool(pooled) {
    const h = shell.header;
    const line = (one, mark, kind) => {
      const text = one.tokens
        .map((t) => inText(name(t)))
        .join("")
        .trim();
      const cells = [mark + text, String(one.tokens.length), format(one.log_prob, 3), format(one.score, 3)];
      return row(cells, { class: kind });
    };
    const rows = pooled.map((one, i) => line(one, i ? "" : "▸ ", i ? null : "best"));
    if (!rows.length) rows.push(row(["none yet", "", "", ""]));
    if (h.greedy) rows.push(line(h.greedy, "Greedy search writes: ", "greedy"));
    const sums = h.plain ? ["sum", "score"] : ["log-prob. (score with α = 0)", `score with α = ${h.length_penalty}`];
    pool.replaceChildren(table([`Finished so far, best score first (at most ${h.n_beam})`, "tokens", ...sums], rows));
  }

  function paint(p, shown) {
    const places = shown ? path(steps(), shown.s, shown.c) : null;
    paintTree(p, shell.header, place, shell.theme, {
      frame,
      isLit: (s, c) => passes(places, s, c) || passes(best, s, c),
      isPinned: (s, c) => Boolean(pinned) && same(pinned, { s, c }),
    });
  }

  function paintNow() {
    paint(new CanvasPainter(fit(canvas, size.width, size.height)), over ?? pinned);
  }

  function describe() {
    const at = over ?? pinned;
    const h = shell.header;
    if (!at) {
      readout.replaceChildren(
        el(
          "span",
          { class: "gf-hint" },
          "In each box: the token and two numbers, ",
          el("span", { class: "gf-deep", text: "its log-probability, and Σ, the sum over its text so far. " }),
          el("span", {
            class: "gf-plain",
            text: "for itself and for its text so far. The closer to 0, the likelier. ",
          }),
          "Point at a box or click it for more. Space plays, the arrow keys step.",
        ),
      );
      return;
    }
    const places = path(h.steps, at.s, at.c);
    const step = h.steps[at.s];
    const { step: upTo, decided } = frameAt(frame);
    const terms = places.map((c, s) => format(h.steps[s].log_probs[c], 3));
    const n = places.length;
    const words = tokensOf(h.steps, places)
      .map((t) => visible(name(t)))
      .join(" ");
    const told = { kept: "goes on", finished: "finished", pruned: "dropped" }[fate(step, at.c)];
    const total = step.totals[at.c];
    const score =
      h.length_penalty === 0
        ? ""
        : `; score ${format(total, 3)} ÷ ${n}^${h.length_penalty} = ${format(normalized(total, n, h.length_penalty), 3)}`;
    const sum = `: ${terms.join(" + ").replaceAll("+ −", "− ")}${n > 1 ? ` = ${format(total, 3)}` : ""} nats${score}`;
    readout.replaceChildren(
      el("b", { text: words }),
      el("span", { class: "gf-deep", text: sum }),
      el("span", { class: "gf-soft", text: at.s === upTo && !decided ? "  · not decided yet" : `  · ${told}` }),
    );
  }

  function nodeAt(event) {
    const box = stage.getBoundingClientRect();
    const { step: upTo } = frameAt(frame);
    const left = event.clientX - box.left;
    const top = event.clientY - box.top;
    const s = Math.floor((left - place.x(0)) / place.stepX);
    const c = Math.floor((top - place.y(0)) / place.stepY);
    if (s < 0 || s > upTo || c < 0 || c >= steps()[s].tokens.length || left > place.x(s) + place.w) return null;
    return { s, c };
  }

  function point(at) {
    if (!same(at, over)) {
      over = at;
      paintNow();
      describe();
    }
  }

  pointer(
    stage,
    (event) => point(nodeAt(event)),
    () => point(null),
  );
  stage.addEventListener("click", (event) => {
    const at = nodeAt(event);
    pinned = same(at, pinned) ? null : at;
    paintNow();
    describe();
    if (pinned) shell.say(readout.textContent);
  });
  shell.body.addEventListener("keydown", (event) => {
    const { key: pressed, target } = event;
    if ((pressed === "ArrowUp" || pressed === "ArrowDown") && target === stage) {
      const { step } = frameAt(frame);
      if (step < 0) return;
      const from = pinned?.s === step ? pinned.c : pressed === "ArrowDown" ? -1 : steps()[step].tokens.length;
      over = null;
      pinned = { s: step, c: clamp(from + (pressed === "ArrowDown" ? 1 : -1), 0, steps()[step].tokens.length - 1) };
      paintNow();
      describe();
      shell.say(readout.textContent);
    } else if (pressed === "Escape") {
      player.play(false);
      over = pinned = null;
      paintNow();
      describe();
    } else if (!player.key(event)) return;
    event.preventDefault();
  });

  function drawKey() {
    const tint = tints(shell.theme);
    const sign = (color, style, width) => {
      const node = el("span", { class: "gf-key" });
      node.style.border = `${width}px ${style} ${color}`;
      return node;
    };
    key.replaceChildren(
      el("span", {}, sign(tint.kept, "solid", 2), "goes on"),
      el("span", {}, sign(tint.finished, "solid", 2), "■ finished"),
      el("span", {}, sign(shell.theme.soft, "dashed", 1), "dropped"),
      el("span", {}, sign(shell.theme.accent, "solid", 3), "the best finished text, or the one you point at"),
    );
  }

  return {
    held: () => pinned && [pinned.s, pinned.c],
    hold([s, c]) {
      if (c < steps()[s]?.tokens.length) {
        pinned = { s, c };
        paintNow();
        describe();
      }
    },
    update() {
      const keep = shell.previous?.content_id === shell.header.content_id;
      player.play(false);
      over = pinned = null;
      player.set(last(), keep ? player.at : last());
      fromStart = !keep;
      // The first search plays from its first step, for all who have nothing against motion.
      if (isFirst && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
        player.set(last(), 1);
        player.play(true);
      }
      isFirst = false;
    },
    draw() {
      const rows = Math.max(...steps().map((step) => step.tokens.length));
      place = layTree(Math.min(1.5, shell.theme.unit));
      size.width = place.x(steps().length - 1) + place.w + place.px(6);
      size.height = place.y(rows) + 4;
      Object.assign(stage.style, { width: `${size.width}px`, height: `${size.height}px` });
      stage.setAttribute(
        "aria-label",
        `${shell.header.takeaway} Left and right step, up and down choose a candidate, Space plays.`,
      );
      drawKey();
      player.go(player.at);
    },
    destroy: () => player.play(false),
    table: () => ({
      columns: ["step", "place", "text so far", "log-prob. of the token", "sum", "score", "fate"],
      rows: steps().flatMap((step, s) =>
        step.tokens.map((_, c) => [
          String(s + 1),
          String(c + 1),
          tokensOf(steps(), path(steps(), s, c))
            .map((t) => visible(name(t)))
            .join(" "),
          step.log_probs[c],
          step.totals[c],
          step.scores[c],
          fate(step, c),
        ]),
      ),
    }),
    picture: () => ({
      width: size.width + 8,
      height: size.height,
      paint: (p) => p.shifted(4, 0, () => paint(p, pinned)),
    }),
  };
}, STYLE);
