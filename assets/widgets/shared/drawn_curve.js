// Draw a curve with mouse, finger, pen or keys before the real one is shown; afterwards both, one over the other.
import { fixed } from "../page/numbers.js";
import { define } from "../drawing/base.js";
import { clamp, el } from "../drawing/elements.js";
import { withModifier } from "../drawing/input.js";
import { ticks } from "../drawing/ticks.js";
import { missing, nearest, range, spread, stroke } from "./drawn_curve_math.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { labels } from "./labels.js";

// The title of the heights stands above the picture, that of the places below.
const [LEFT, RIGHT, TOP, BOTTOM] = [54, 16, 34, 44];
const YOURS = [7, 5]; // dashes: what was guessed is told apart without color
const STYLE = `
.gf-sheet { display: block; touch-action: pan-y pinch-zoom; cursor: crosshair; border-radius: 6px; }
.gf-sheet.done { cursor: default; touch-action: auto; }
.gf-key { display: inline-block; width: 26px; height: 0; border-top: 2.5px solid; }
`;
/** Four digits that matter, no zeros at the end, a true minus sign. */
const short = (v) => String(Number(v.toPrecision(4))).replace("-", "−");

export default define((shell) => {
  const sheet = el("canvas", { class: "gf-sheet", role: "application", tabindex: 0 });
  const legend = el("div", { class: "gf-legend" });
  const readout = el("div", { class: "gf-readout" });
  const send = el("button", { class: "gf-solid gf-primary", text: labels("commit"), onclick: () => commit() });
  const clear = el("button", {
    class: "gf-solid",
    text: labels("clear"),
    onclick: () => {
      heights = heights.map(() => null);
      at = null;
      draw();
      shell.say(labels("curve_is_blank"));
    },
  });
  const tools = el("div", { class: "gf-controls" }, send, clear);
  shell.body.append(sheet, legend, readout, tools);
  let heights = [];
  let places = [];
  let at = null;
  let last = null;
  let before = null; // the heights before this stroke
  let isSent = false;

  const isDone = () => shell.header.real !== null;
  const size = () => [shell.width, shell.width < 480 ? 260 : 320];
  const bounds = () => range(shell.header.low, shell.header.high, shell.header.real);
  const xOf = (i) => LEFT + places[i] * (size()[0] - LEFT - RIGHT);
  const yOf = (h) => {
    const [low, high] = bounds();
    return TOP + ((high - h) / (high - low)) * (size()[1] - TOP - BOTTOM);
  };
  const there = (event) => {
    const box = sheet.getBoundingClientRect();
    const [w, h] = size();
    const { low, high } = shell.header;
    const up = 1 - (event.clientY - box.top - TOP) / (h - TOP - BOTTOM);
    return [
      clamp((event.clientX - box.left - LEFT) / (w - LEFT - RIGHT), 0, 1),
      clamp(low + up * (high - low), low, high),
    ];
  };

  sheet.addEventListener("pointerdown", (event) => {
    if (isDone() || isSent || event.button || !event.isPrimary) return;
    event.preventDefault();
    sheet.focus({ preventScroll: true });
    sheet.setPointerCapture(event.pointerId);
    last = there(event);
    before = heights;
    heights = stroke(heights, places, last, last);
    at = nearest(places, last[0]);
    draw();
  });
  sheet.addEventListener("pointermove", (event) => {
    if (last === null) {
      if (isDone()) {
        at = nearest(places, there(event)[0]);
        draw();
      }
      return;
    }
    const to = there(event);
    heights = stroke(heights, places, last, to);
    last = to;
    at = nearest(places, to[0]);
    draw();
  });
  sheet.addEventListener("pointerup", () => (last = null));
  sheet.addEventListener("pointercancel", () => {
    if (last === null) return;
    [last, heights] = [null, before]; // it was a finger that scrolls, or one of two that zoom
    draw();
  });
  sheet.addEventListener("focus", () => {
    if (at === null) {
      at = 0;
      draw();
    }
  });
  sheet.addEventListener("keydown", (event) => {
    if (withModifier(event)) return;
    const { low, high } = shell.header;
    const small = (high - low) / 50;
    const n = places.length;
    const key = event.key;
    const up = { ArrowUp: small, ArrowDown: -small, PageUp: 5 * small, PageDown: -5 * small }[key];
    if (key === "ArrowLeft" || key === "ArrowRight") at = clamp((at ?? 0) + (key === "ArrowRight" ? 1 : -1), 0, n - 1);
    else if (key === "Home" || key === "End") at = key === "Home" ? 0 : n - 1;
    else if (up !== undefined && !isDone() && !isSent) {
      at ??= 0;
      // A point that has no height yet begins where the one before it stands, or in the middle.
      const now = heights[at] ?? heights[at - 1] ?? (low + high) / 2;
      heights[at] = clamp(Number((now + up).toPrecision(12)), low, high);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    draw();
    shell.say(sentence(at));
  });

  function commit() {
    if (missing(heights) || isSent) return;
    isSent = true;
    draw();
    shell.commit("drawn", { heights });
  }

  const valueOf = (h) => (h === null || h === undefined ? labels("not_drawn") : short(h));
  const sentence = (i) => {
    const { x, x_title } = shell.header;
    const place = x_title ? `${x_title} = ${short(x[i])}` : labels("place", { x: short(x[i]) });
    const yours = valueOf(heights[i]);
    if (!isDone()) return labels("drawn_at", { place, yours });
    const key = shell.header.guess ? "answer_and_guess_at" : "answer_at";
    return labels(key, { place, yours, answer: valueOf(shell.header.real[i]) });
  };

  function words() {
    const hint = isDone() ? labels("read_hint") : labels("draw_hint");
    readout.replaceChildren(at === null ? el("span", { class: "gf-hint", text: hint }) : sentence(at));
    tools.hidden = isDone();
    const open = missing(heights);
    send.disabled = open > 0 || isSent;
    const key = isSent ? "committed" : open ? "commit_after" : "commit";
    send.textContent = labels(key, { open, all: heights.length });
    clear.disabled = open === heights.length || isSent;
    const line = (color, style) => {
      const key = el("span", { class: "gf-key" });
      key.style.borderTopColor = color;
      key.style.borderTopStyle = style;
      return key;
    };
    legend.replaceChildren(
      ...[
        shell.header.real ? el("span", {}, line(colors().real, "solid"), labels("answer")) : null,
        shell.header.guess || !isDone() ? el("span", {}, line(colors().yours, "dashed"), labels("your_curve")) : null,
      ].filter(Boolean),
    );
    sheet.classList.toggle("done", isDone());
    sheet.setAttribute(
      "aria-label",
      isDone()
        ? shell.header.takeaway || labels("answer_curve")
        : labels("curve_to_draw", { set: heights.length - open, all: heights.length }),
    );
  }

  const colors = () => ({ real: shell.theme.categorical[0], yours: shell.theme.categorical[1] });

  function paint(p) {
    const { theme, header } = shell;
    const [w, h] = size();
    const [values, digits] = ticks(bounds());
    const unit = Math.min(theme.unit, 1.6);
    const small = { fill: theme.soft, size: 11 * unit, font: theme.code };
    for (const v of values) {
      p.segment(LEFT, yOf(v), w - RIGHT, yOf(v), { color: theme.line, width: 0.75 });
      p.text(fixed(v, digits).replace("-", "−"), LEFT - 8, yOf(v), { ...small, align: "right" });
    }
    let free = -Infinity;
    header.x.forEach((v, i) => {
      const text = short(v);
      const width = text.length * 7 * unit + 10;
      if (xOf(i) - width / 2 < free) return;
      free = xOf(i) + width / 2;
      p.text(text, xOf(i), h - BOTTOM + 14, { ...small, align: "center" });
    });
    p.text(header.x_title, w - RIGHT, h - 10, { ...small, font: theme.font, align: "right" });
    p.text(header.y_title, 8, 12, { ...small, font: theme.font });
    if (at !== null) {
      p.segment(xOf(at), TOP, xOf(at), h - BOTTOM, { color: theme.accent, width: 1 });
    }
    if (header.real) curve(p, header.real, colors().real, [], true);
    if (header.guess || !isDone()) curve(p, heights, colors().yours, YOURS, false);
  }

  function curve(p, values, color, dash, isRound) {
    let piece = [];
    const flush = () => {
      if (piece.length > 1) p.line(piece, { color, width: shell.theme.presenting ? 3.2 : 2.5, dash });
      piece = [];
    };
    values.forEach((v, i) => (v === null ? flush() : piece.push([xOf(i), yOf(v)])));
    flush();
    values.forEach((v, i) => {
      if (v !== null) p.rect(xOf(i) - 4, yOf(v) - 4, 8, 8, { fill: color, radius: isRound ? 4 : 1 });
    });
  }

  function draw() {
    paint(new CanvasPainter(fit(sheet, ...size())));
    words();
    if (!shell.tableBox.hidden) shell.fillTable();
  }

  return {
    update() {
      const { x, guess } = shell.header;
      if (heights.length !== x.length || isDone()) {
        heights = guess ? guess.slice() : x.map(() => null);
        at = null;
      }
      places = spread(x);
    },
    draw,
    table: () => ({
      columns: [
        shell.header.x_title || "x",
        ...(shell.header.real ? [labels("answer")] : []),
        ...(shell.header.guess || !isDone() ? [labels("your_curve")] : []),
      ],
      rows: shell.header.x.map((v, i) => [
        short(v),
        ...(shell.header.real ? [valueOf(shell.header.real[i])] : []),
        ...(shell.header.guess || !isDone() ? [valueOf(heights[i])] : []),
      ]),
    }),
    picture: () => ({ width: size()[0], height: size()[1], paint }),
  };
}, STYLE);
