// One training step, frozen: INPUT, OUTPUT, TARGET shifted by one, the probability of the target, and the loss.
import { grouped } from "../page/numbers.js";
import { readableOn, scale } from "../drawing/color.js";
import { clamp, el, format, measure } from "../drawing/elements.js";
import { fitted, quoted, short } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";
import { TOP_STYLE, topTokens } from "./top_tokens.js";
import { loss, mean, rest, sentence, sumText } from "./training_step_math.js";

const STYLE = `${TOP_STYLE}
.gf-stage { cursor: default; }
.gf-mean { margin-top: 0.5rem; padding: 0.55rem 0.8rem; background: var(--gf-panel); border-radius: 6px; font-family: var(--st-code-font); font-size: 0.875rem; overflow-wrap: anywhere; }
.gf-mean b { color: var(--gf-accent); }
.gf-readout { font-family: var(--st-font); min-height: 3em; }
.gf-readout b { color: inherit; font-weight: 400; }
.gf-two { display: flex; flex-wrap: wrap; gap: 0.8rem 2rem; margin-top: 0.5rem; }
.gf-two > div { flex: 1 1 250px; min-width: 0; }
`;
const [LABELS, CHIP, BARS] = [78, 26, 104];
const WORD = 7; // letters of a token that are shown in any case
const Y = { input: 4, model: 50, output: 96, target: 160, p: 200, bars: 226 };

export default picture(
  (h, arrays, { theme, width, state: pinned, set }) => {
    const { unit } = theme;
    const n = h.inputs.length;
    const chances = [...arrays.probability.data];
    const untrained = arrays.untrained && [...arrays.untrained.data];
    const losses = chances.map(loss);
    const [mine, other] = theme.categorical;
    const left = Math.round((width < 480 ? 68 : LABELS) * unit);
    const column = clamp(Math.floor((width - left - 4) / n), Math.round(47 * unit), Math.round(118 * unit));
    const letters = clamp((column - 9) / (WORD * (measure("m", 100, theme.code) / 100)), 10 * unit, 12 * unit);
    const wide = left + n * column + 2;
    const y = Object.fromEntries(Object.entries(Y).map(([name, v]) => [name, v * unit]));
    const [chip, floor, high] = [CHIP * unit, y.bars + BARS * unit, y.bars + (BARS + 8) * unit];
    // Before a click the header's position is told of, or where a narrow screen begins.
    const kept = pinned ?? (wide > width + 4 ? 0 : Math.min(h.first, n - 1));
    const colors = scale("probability", 0, 1, theme.mode);
    const font = { font: theme.code, size: letters, align: "center" };
    const soft = { fill: theme.soft, size: 11 * unit, font: theme.font };
    const top = Math.max(h.blind * 1.1, ...[...losses, ...(untrained ?? []).map(loss)].filter(Number.isFinite));
    const tall = (v) => (Math.min(v, top) / top) * (BARS - 22) * unit;

    function box(p, text, t, from, { ink = theme.text, ...look }) {
      const thick = look.stroke === theme.accent ? 2 : 1;
      p.rect(left + t * column + 3, from, column - 6, chip, { radius: 5, width: thick, ...look });
      const fits = fitted(short(text, 14), column - 8, (one) => measure(one, letters, theme.code));
      p.text(fits, left + (t + 0.5) * column, from + chip / 2 + 0.5, { ...font, fill: ink });
    }

    function paintModel(p, at) {
      const look = { radius: 5, width: 1.5 };
      p.rect(left + 3, y.model, wide - left - 8, chip, { fill: theme.panel, stroke: theme.line, radius: 5 });
      // What the chosen position has read: everything up to itself.
      p.rect(left + 3, y.model, (at + 1) * column - 6, chip, { stroke: theme.accent, ...look });
      p.text(labels("reads", { at, n: at + 1, all: n }), left + 12, y.model + chip / 2, soft);
    }

    function paintColumn(p, t, at) {
      const middle = left + (t + 0.5) * column;
      const [guess, share] = h.top[t][0];
      const [isRead, isAt, fill] = [t <= at, t === at, colors.css(share)];
      const stroke = isRead ? theme.accent : theme.line;
      box(p, h.inputs[t], t, y.input, {
        fill: isRead ? theme.page : "",
        stroke,
        ink: isRead ? theme.text : theme.soft,
      });
      for (const [from, to] of [
        [y.input, y.model],
        [y.model, y.output],
      ]) {
        // prettier-ignore
        const look = isAt ? { color: theme.accent, width: 2 } : { color: theme.line, width: 1 };
        p.segment(middle, from + chip + 3, middle, to - 3, look);
      }
      box(p, guess, t, y.output, { fill, stroke: theme.line, ink: readableOn(fill) });
      const small = { ...font, size: 11 * unit };
      const sign = guess === h.targets[t] ? "✓" : "";
      p.text(`${sign}${format(share, 2)}`, middle, y.output + chip + 10 * unit, { ...small, fill: theme.soft });
      box(p, h.targets[t], t, y.target, { stroke: isAt ? theme.accent : theme.line });
      if (isAt && t + 1 < n) {
        // The same token, one place later in the input.
        const look = { color: theme.accent, width: 1.5, dash: [3, 3] };
        p.segment(left + (t + 1) * column - 3, y.target + 4, left + (t + 1.5) * column, y.input + chip + 2, look);
      }
      p.text(format(chances[t], 2), middle, y.p, { ...font, fill: theme.text });
      const size = tall(losses[t]);
      const bar = { fill: isAt ? theme.accent : mine, radius: 2 };
      p.rect(middle - column * 0.26, floor - size, column * 0.52, Math.max(size, 1), bar);
      if (untrained) {
        const line = floor - tall(loss(untrained[t]));
        p.segment(middle - column * 0.36, line, middle + column * 0.36, line, { color: other, width: 2.5 });
      }
      p.text(format(losses[t], 2), middle, floor - size - 8 * unit, { ...small, fill: theme.text });
    }

    function list(title, rows, t, color) {
      const others = grouped(h.vocab_size - rows.length);
      const foot = labels("others", { n: others, p: format(rest(rows), 3) });
      const truth = rows.findIndex(([token]) => token === h.targets[t]);
      return el("div", {}, el("div", { class: "gf-soft", text: title }), topTokens(rows, { truth, color, foot }));
    }

    const total = el(
      "div",
      { class: "gf-mean", hidden: theme.presenting }, // a slide says the mean beside the picture
      ...labels.parts("mean", { sum: sumText(losses), mean: el("b", { text: format(mean(losses), 4) }) }),
      el("span", { class: "gf-deep", text: ` ${labels("nats")}` }),
      untrained ? `   ·   ${labels("untrained_mean", { mean: format(mean(untrained.map(loss)), 4) })}` : "",
      el("span", { class: "gf-deep", text: `   ·   ln V = ${format(h.blind, 4)}` }),
    );
    const swatch = (color) => el("span", { class: "gf-swatch", style: `background: ${color}` });
    return {
      things: h.inputs,
      size: [wide, high],
      at(x) {
        const t = Math.floor((x - left) / column);
        return t >= 0 && t < n ? t : null;
      },
      paint(p, place) {
        const at = place ?? kept;
        p.rect(left + at * column, 0, column, high, { fill: theme.wash, radius: 6 });
        const bold = { ...soft, weight: 600 };
        for (const name of ["input", "output", "target"]) p.text(labels(`row.${name}`), 2, y[name] + chip / 2, bold);
        p.text(labels(h.plain ? "probability" : "p_target"), 2, y.p, bold);
        p.text(labels(h.plain ? "loss" : "loss_nats"), 2, y.bars + 8 * unit, bold);
        paintModel(p, at);
        for (let t = 0; t < n; t++) paintColumn(p, t, at);
        const blind = floor - tall(h.blind);
        p.segment(left, blind, wide - 4, blind, { color: theme.soft, dash: [5, 4] });
        p.text(h.plain ? labels("blind") : "ln V", left - 6, blind, { ...soft, font: theme.code, align: "right" });
        p.segment(left, floor, wide - 4, floor, { color: theme.soft });
      },
      said: (token, t) => [
        sentence(h, chances[t], t),
        el(
          "div",
          { class: "gf-two", hidden: theme.presenting },
          list(labels("model_says", { token: quoted(token) }), h.top[t], t, mine),
          untrained ? list(labels("untrained_says"), h.untrained_top[t], t, other) : null,
        ),
      ],
      chosen: kept,
      follows: true,
      choose: (_, t) => set(t),
      reset: () => set(null),
      held: pinned !== null && [pinned],
      hold: ([t]) => t < n && set(t),
      label: `${h.takeaway} ${labels("step_keys")}`,
      note: total.textContent,
      above: [total],
      key: [
        el("span", {}, swatch(mine), labels("this_model")),
        ...(untrained ? [el("span", {}, swatch(other), labels("untrained_copy"))] : []),
        el("span", {}, ...labels.parts("dashed", { ln_v: el("span", { class: "gf-deep", text: "ln V, " }) })),
      ],
      columns: [
        ...["position", "input", "output", "its_probability", "target"].map((one) => labels(`column.${one}`)),
        ...[labels("p_target"), labels("loss")],
        ...(untrained ? [labels("untrained_p"), labels("untrained_loss")] : []),
      ],
      row: (token, t) => [
        String(t),
        token,
        ...h.top[t][0],
        h.targets[t],
        chances[t],
        losses[t],
        ...(untrained ? [untrained[t], loss(untrained[t])] : []),
      ],
    };
  },
  {
    style: STYLE,
    state: (h, old, before) => (JSON.stringify(before?.inputs) === JSON.stringify(h.inputs) ? old : null),
  },
);
