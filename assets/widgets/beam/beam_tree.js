// The tree of a beam search: play, step and scrub; columns are steps, nodes are candidates. Nothing asks the server.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { countFrames, fate, frameAt, normalized, passes, path, placeOf, sentence, tokensOf } from "./beam_tree_math.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { inText, short, visible } from "../drawing/tokens.js";

const FRAMES_PER_SECOND = 1.25;
const NODE = [112, 36];
const GAP = [46, 8];
const TOP = 26;
const ROOT = 104; // css px

const STYLE = `
.gf-beam .gf-said { min-height: 3em; font-size: 0.875rem; margin-bottom: 0.3rem; }
.gf-beam .gf-stage { cursor: pointer; touch-action: pan-x pan-y; }
.gf-beam .gf-pool { margin-top: 0.8rem; }
.gf-beam .gf-pool table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; }
.gf-beam .gf-pool th, .gf-beam .gf-pool td { text-align: right; padding: 3px 0 3px 12px; border-bottom: 1px solid var(--gf-line); font-variant-numeric: tabular-nums; white-space: nowrap; vertical-align: top; }
.gf-beam .gf-pool th { white-space: normal; font-weight: 600; color: var(--gf-soft); font-size: 0.75rem; }
.gf-beam .gf-pool td { font-family: var(--st-code-font); }
.gf-beam .gf-pool :is(th, td):first-child { text-align: left; padding-left: 0; white-space: normal; overflow-wrap: anywhere; min-width: 9em; }
.gf-beam .gf-pool tr.greedy td { color: var(--gf-soft); }
.gf-beam .gf-pool tr.best td { color: var(--gf-accent); font-weight: 700; }
.gf-beam .gf-key { width: 22px; height: 14px; border-radius: 4px; }
`;

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
  let over = null;
  let pinned = null;
  let best = null;
  const size = { width: 0, height: 0, unit: 1 };

  const steps = () => shell.header.steps;
  const last = () => countFrames(steps()) - 1;
  const name = (i) => shell.header.names[i];
  const px = (v) => v * size.unit;
  const x = (s) => px(ROOT + GAP[0] + s * (NODE[0] + GAP[0]));
  const y = (c) => px(TOP + c * (NODE[1] + GAP[1]));
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
    const right = x(Math.max(0, step)) + px(NODE[0] + 12);
    const quiet = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const target =
      right > scroller.scrollLeft + scroller.clientWidth
        ? right - scroller.clientWidth
        : x(step) < scroller.scrollLeft
          ? Math.max(0, x(step) - px(GAP[0] + ROOT))
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
    const cells = (tag, values) => values.map((v) => el(tag, { text: v, scope: tag === "th" ? "col" : null }));
    const row = (one, mark, kind) =>
      el(
        "tr",
        { class: kind },
        ...cells("td", [
          mark +
            one.tokens
              .map((t) => inText(name(t)))
              .join("")
              .trim(),
          String(one.tokens.length),
          format(one.log_prob, 3),
          format(one.score, 3),
        ]),
      );
    const rows = pooled.map((one, i) => row(one, i ? "" : "▸ ", i ? null : "best"));
    if (!rows.length) rows.push(el("tr", {}, el("td", { text: "none yet" }), ...cells("td", ["", "", ""])));
    if (h.greedy) rows.push(row(h.greedy, "Greedy search writes: ", "greedy"));
    pool.replaceChildren(
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...cells("th", [
              `Finished so far, best score first (at most ${h.n_beam})`,
              "tokens",
              ...(h.plain ? ["sum", "score"] : ["log-prob. (score with α = 0)", `score with α = ${h.length_penalty}`]),
            ]),
          ),
        ),
        el("tbody", {}, ...rows),
      ),
    );
  }

  const colors = () => ({
    kept: shell.theme.categorical[0],
    finished: shell.theme.categorical[2],
    pruned: shell.theme.line,
    called: shell.theme.soft,
  });

  function paint(p, shown) {
    const { theme, header: h } = shell;
    const { step: upTo, decided } = frameAt(frame);
    const tint = colors();
    const places = shown ? path(h.steps, shown.s, shown.c) : null;
    const isLit = (s, c) => passes(places, s, c) || passes(best, s, c);
    const [w, height] = NODE.map(px);
    const small = { font: theme.code, size: px(10.5) };
    const kept = (s) => h.steps[s].kept.flatMap((k, c) => (k ? [c] : []));
    for (let s = 0; s <= upTo; s++) {
      const step = h.steps[s];
      const open = s === upTo && !decided;
      p.text(`step ${s + 1}`, x(s) + w / 2, px(10), {
        fill: theme.soft,
        size: px(11),
        font: theme.font,
        align: "center",
      });
      for (const strong of [false, true]) {
        step.tokens.forEach((_, c) => {
          const lit = isLit(s, c);
          if (lit !== strong) return;
          const what = open ? "called" : fate(step, c);
          const y1 = y(c) + height / 2;
          const x0 = s ? x(s - 1) + w : px(ROOT);
          const y0 = s ? y(kept(s - 1)[step.parents[c]]) + height / 2 : y(0) + height / 2;
          const bend = px(16);
          p.line(
            [
              [x0, y0],
              [x0 + bend / 2, y0],
              [x(s) - bend, y1],
              [x(s), y1],
            ],
            {
              color: lit ? theme.accent : what === "pruned" ? theme.line : tint[what],
              width: lit ? 2.5 : what === "pruned" ? 0.75 : 1.25,
              dash: what === "pruned" ? [3, 3] : [],
            },
          );
        });
      }
      step.tokens.forEach((token, c) => {
        const what = open ? "called" : fate(step, c);
        const lit = isLit(s, c);
        const faint = what === "pruned" && !lit;
        p.rect(x(s), y(c), w, height, {
          fill: faint ? theme.page : theme.panel,
          stroke: lit ? theme.accent : tint[what],
          width: lit ? 2.5 : what === "pruned" ? 1 : 1.75,
          dash: what === "pruned" ? [3, 3] : [],
          radius: 6,
        });
        if (what === "finished") {
          p.rect(x(s) + w - px(13), y(c) + px(5), px(8), px(8), { fill: tint.finished, radius: 1 });
        }
        if (pinned && same(pinned, { s, c })) {
          p.rect(x(s) - 3, y(c) - 3, w + 6, height + 6, { stroke: theme.accent, width: 1, radius: 8 });
        }
        p.text(short(name(token), 11), x(s) + px(8), y(c) + px(12), {
          fill: faint ? theme.soft : theme.text,
          size: px(12.5),
          font: theme.code,
          weight: faint ? 400 : 700,
        });
        p.text(
          `${format(step.log_probs[c], 2)}${h.plain ? ", " : "  Σ "}${format(step.totals[c], 2)}`,
          x(s) + px(8),
          y(c) + px(26),
          { ...small, fill: theme.soft },
        );
      });
    }
    p.rect(1, y(0), px(ROOT) - 1, height, { fill: theme.panel, stroke: theme.soft, radius: 6 });
    p.text(short(h.prompt, 11), px(8), y(0) + px(12), {
      fill: theme.text,
      size: px(12.5),
      font: theme.code,
      weight: 700,
    });
    p.text("the prompt", px(8), y(0) + px(26), { ...small, fill: theme.soft, font: theme.font });
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
    const s = Math.floor((left - x(0)) / px(NODE[0] + GAP[0]));
    const c = Math.floor((top - y(0)) / px(NODE[1] + GAP[1]));
    if (s < 0 || s > upTo || c < 0 || c >= steps()[s].tokens.length || left > x(s) + px(NODE[0])) return null;
    return { s, c };
  }

  function point(at) {
    if (!same(at, over)) {
      over = at;
      paintNow();
      describe();
    }
  }

  stage.addEventListener("pointermove", (event) => point(nodeAt(event)));
  stage.addEventListener("pointerleave", () => point(null));
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
    const tint = colors();
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
    },
    draw() {
      const rows = Math.max(...steps().map((step) => step.tokens.length));
      size.unit = Math.min(1.5, shell.theme.unit);
      size.width = x(steps().length - 1) + px(NODE[0] + 6);
      size.height = y(rows) + 4;
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
