// One training step, frozen: INPUT, OUTPUT, TARGET shifted by one, the probability of the target, and the loss.
import { define } from "../drawing/base.js";
import { clamp, el, format, measure } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { readableOn, scale } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { fitted, quoted, short } from "../drawing/tokens.js";
import { TOP_STYLE, topTokens } from "./top_tokens.js";
import { loss, mean, rest, sentence, sumText } from "./training_step_math.js";

const STYLE = `${TOP_STYLE}
.gf-lesson .gf-stage { cursor: default; touch-action: pan-x pan-y pinch-zoom; }
.gf-lesson .gf-mean { margin-top: 0.5rem; padding: 0.55rem 0.8rem; background: var(--gf-panel); border-radius: 6px; font-family: var(--st-code-font); font-size: 0.875rem; overflow-wrap: anywhere; }
.gf-lesson .gf-mean b { color: var(--gf-accent); }
.gf-lesson .gf-readout { font-family: var(--st-font); min-height: 3em; }
.gf-lesson .gf-two { display: flex; flex-wrap: wrap; gap: 0.8rem 2rem; }
.gf-lesson .gf-two > div { flex: 1 1 250px; min-width: 0; }
`;
const LABELS = 78;
const WORD = 7; // letters of a token that are shown in any case
const CHIP = 26;
const BARS = 104;

export default define((shell) => {
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, canvas);
  const scroller = el("div", { class: "gf-scroll" }, stage);
  const readout = el("div", { class: "gf-readout" });
  const two = el("div", { class: "gf-two" });
  const total = el("div", { class: "gf-mean" });
  const key = el("div", { class: "gf-legend" });
  shell.body.append(el("div", { class: "gf-lesson" }, scroller, key, total, readout, two));
  let at = null;
  let pinned = null;
  let size = null;

  const n = () => shell.header.inputs.length;
  const p = (t) => shell.arrays.probability.data[t];
  const untrained = () => shell.arrays.untrained?.data;
  const losses = () => Array.from(shell.arrays.probability.data, loss);

  pointer(
    stage,
    (event) => choose(placeOf(event) ?? kept()),
    () => choose(kept()),
  );
  stage.addEventListener("click", (event) => pin(placeOf(event) ?? pinned));
  cursorKeys(stage, {
    size: () => [1, n()],
    get: () => [0, at],
    choose: () => {},
    reset: () => pin(0, true),
    move: ([, t]) => pin(t, true),
  });

  function placeOf(event) {
    const t = Math.floor((event.clientX - stage.getBoundingClientRect().left - size.left) / size.column);
    return t >= 0 && t < n() ? t : null;
  }

  /** The position that a click has kept; before one the header's, or where a narrow screen begins. */
  const kept = () => pinned ?? (size.width > shell.width + 4 ? 0 : Math.min(shell.header.first, n() - 1));

  function pin(t, byKeyboard) {
    pinned = t;
    choose(kept(), byKeyboard);
  }

  function choose(t, byKeyboard = false) {
    if (t === at) return;
    at = t;
    paintNow();
    describe();
    if (byKeyboard) {
      shell.say(readout.textContent);
      const x = size.left + t * size.column;
      if (x < scroller.scrollLeft + size.left || x + size.column > scroller.scrollLeft + scroller.clientWidth) {
        scroller.scrollLeft = x - size.left - size.column;
      }
    }
  }

  function measureUp() {
    const unit = shell.theme.unit;
    const left = Math.round((shell.width < 480 ? 68 : LABELS) * unit);
    const column = clamp(Math.floor((shell.width - left - 4) / n()), Math.round(47 * unit), Math.round(118 * unit));
    const letter = measure("m", 100, shell.theme.code) / 100;
    const letters = clamp((column - 9) / (WORD * letter), 10 * unit, 12 * unit);
    const y = { input: 4, model: 50, output: 96, target: 160, p: 200, bars: 226 };
    for (const name in y) y[name] *= unit;
    size = { unit, left, column, letters, width: left + n() * column + 2, y, height: y.bars + (BARS + 8) * unit };
  }

  function paintNow() {
    Object.assign(stage.style, { width: `${size.width}px`, height: `${size.height}px` });
    paint(new CanvasPainter(fit(canvas, size.width, size.height)));
  }

  function paint(q) {
    const { theme, header: h } = shell;
    const { unit, left, column, letters, y, width } = size;
    const font = { font: theme.code, size: letters, align: "center" };
    const chip = CHIP * unit;
    const colors = scale("probability", 0, 1, theme.mode);
    const fits = (text, room) => fitted(short(text, 14), room, (one) => measure(one, font.size, font.font));
    const box = (text, t, top, { stroke, fill = undefined, ink = undefined }) => {
      q.rect(left + t * column + 3, top, column - 6, chip, {
        fill,
        stroke,
        radius: 5,
        width: stroke === theme.accent ? 2 : 1,
      });
      q.text(fits(text, column - 8), left + (t + 0.5) * column, top + chip / 2 + 0.5, {
        ...font,
        fill: ink ?? theme.text,
      });
    };
    const side = (text, top) =>
      q.text(text, 2, top, { fill: theme.soft, size: 11 * unit, font: theme.font, weight: 600 });
    q.rect(left + at * column, 0, column, size.height, { fill: theme.wash, radius: 6 });
    ["INPUT", "", "OUTPUT", "TARGET"].forEach(
      (text, i) => text && side(text, [y.input, 0, y.output, y.target][i] + chip / 2),
    );
    side(h.plain ? "probability" : "p(target)", y.p);
    side(h.plain ? "loss" : "loss, nats", y.bars + 8 * unit);
    q.rect(left + 3, y.model, width - left - 8, chip, { fill: theme.panel, stroke: theme.line, radius: 5 });
    // What the chosen position has read: everything up to itself.
    q.rect(left + 3, y.model, (at + 1) * column - 6, chip, { stroke: theme.accent, radius: 5, width: 1.5 });
    q.text(`the model: position ${at} reads ${at + 1} of ${n()} tokens`, left + 12, y.model + chip / 2, {
      fill: theme.soft,
      size: 11 * unit,
      font: theme.font,
    });
    const top = Math.max(
      h.blind * 1.1,
      ...losses().filter(Number.isFinite),
      ...(untrained() ? Array.from(untrained(), loss).filter(Number.isFinite) : []),
    );
    const tall = (v) => (Math.min(v, top) / top) * (BARS - 22) * unit;
    const floor = y.bars + BARS * unit;
    h.inputs.forEach((token, t) => {
      const read = t <= at;
      const [guess, share] = h.top[t][0];
      const right = guess === h.targets[t];
      const fill = colors.css(share);
      const middle = left + (t + 0.5) * column;
      box(token, t, y.input, {
        fill: read ? theme.page : null,
        stroke: read ? theme.accent : theme.line,
        ink: read ? theme.text : theme.soft,
      });
      for (const [a, b] of [
        [y.input + chip, y.model],
        [y.model + chip, y.output],
      ]) {
        q.segment(middle, a + 3, middle, b - 3, {
          color: t === at ? theme.accent : theme.line,
          width: t === at ? 2 : 1,
        });
      }
      box(guess, t, y.output, { fill, stroke: theme.line, ink: readableOn(fill) });
      q.text(`${right ? "✓" : ""}${format(share, 2)}`, middle, y.output + chip + 10 * unit, {
        ...font,
        size: 11 * unit,
        fill: theme.soft,
      });
      box(h.targets[t], t, y.target, { stroke: t === at ? theme.accent : theme.line });
      // The same token, one place later in the input.
      if (t === at && t + 1 < n()) {
        q.segment(left + (t + 1) * column - 3, y.target + 4, left + (t + 1.5) * column, y.input + chip + 2, {
          color: theme.accent,
          width: 1.5,
          dash: [3, 3],
        });
      }
      q.text(format(p(t), 2), middle, y.p, { ...font, fill: theme.text });
      const l = loss(p(t));
      const high = tall(l);
      q.rect(middle - column * 0.26, floor - high, column * 0.52, Math.max(high, 1), {
        fill: t === at ? theme.accent : theme.categorical[0],
        radius: 2,
      });
      if (untrained()) {
        const other = floor - tall(loss(untrained()[t]));
        q.segment(middle - column * 0.36, other, middle + column * 0.36, other, {
          color: theme.categorical[1],
          width: 2.5,
        });
      }
      q.text(format(l, 2), middle, floor - high - 8 * unit, { ...font, size: 11 * unit, fill: theme.text });
    });
    const blind = floor - tall(h.blind);
    q.segment(left, blind, width - 4, blind, { color: theme.soft, dash: [5, 4] });
    q.text(h.plain ? "blind" : "ln V", left - 6, blind, {
      fill: theme.soft,
      size: 11 * unit,
      font: theme.code,
      align: "right",
    });
    q.segment(left, floor, width - 4, floor, { color: theme.soft });
  }

  function describe() {
    const h = shell.header;
    two.hidden = total.hidden = shell.theme.presenting; // a slide says the mean beside the picture
    const place = h.top[at].findIndex(([token]) => token === h.targets[at]);
    readout.textContent = sentence(h, p(at), at);
    const others = (rows) =>
      `the other ${(h.vocab_size - rows.length).toLocaleString("en")} tokens together: ${format(rest(rows), 3)}`;
    const list = (title, rows, truth, color) =>
      el(
        "div",
        {},
        el("div", { class: "gf-soft", text: title }),
        topTokens(rows, { truth, color, foot: others(rows) }),
      );
    two.replaceChildren(
      list(`What the model says after ${quoted(h.inputs[at])}`, h.top[at], place, shell.theme.categorical[0]),
    );
    if (untrained()) {
      const rows = h.untrained_top[at];
      two.append(
        list(
          "What its untrained copy says",
          rows,
          rows.findIndex(([token]) => token === h.targets[at]),
          shell.theme.categorical[1],
        ),
      );
    }
  }

  function addUp() {
    const all = losses();
    const other = untrained() ? Array.from(untrained(), loss) : null;
    total.replaceChildren(
      `mean = ${sumText(all)} = `,
      el("b", { text: format(mean(all), 4) }),
      el("span", { class: "gf-deep", text: " nats" }),
      other ? `   ·   untrained: ${format(mean(other), 4)}` : "",
      el("span", { class: "gf-deep", text: `   ·   ln V = ${format(shell.header.blind, 4)}` }),
    );
    const swatch = (color) => {
      const s = el("span", { class: "gf-swatch" });
      s.style.background = color;
      return s;
    };
    key.replaceChildren(
      el("span", {}, swatch(shell.theme.categorical[0]), "this model"),
      ...(other ? [el("span", {}, swatch(shell.theme.categorical[1]), "its untrained copy (line)")] : []),
      el("span", {}, "dashed: ", el("span", { class: "gf-deep", text: "ln V, " }), "guessing blindly"),
    );
  }

  return {
    held: () => pinned !== null && [pinned],
    hold([t]) {
      if (t < n()) pin(t);
    },
    update() {
      const same = JSON.stringify(shell.previous?.inputs) === JSON.stringify(shell.header.inputs);
      if (!same) at = pinned = null;
    },
    draw() {
      measureUp();
      at ??= kept();
      stage.setAttribute("aria-label", `${shell.header.takeaway} Arrow keys go through the positions.`);
      paintNow();
      describe();
      addUp();
    },
    table: () => ({
      columns: [
        "position",
        "input",
        "output",
        "its probability",
        "target",
        "p(target)",
        "loss",
        ...(untrained() ? ["untrained p", "untrained loss"] : []),
      ],
      rows: shell.header.inputs.map((token, t) => [
        String(t),
        token,
        ...shell.header.top[t][0],
        shell.header.targets[t],
        p(t),
        loss(p(t)),
        ...(untrained() ? [untrained()[t], loss(untrained()[t])] : []),
      ]),
    }),
    picture: () => ({
      width: size.width + 12,
      height: size.height + 24,
      paint(q) {
        q.shifted(6, 0, () => paint(q));
        q.text(total.textContent, 8, size.height + 12, { fill: shell.theme.text, size: 12, font: shell.theme.code });
      },
    }),
  };
}, STYLE);
