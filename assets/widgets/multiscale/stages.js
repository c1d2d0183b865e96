// The stages of a multi-scale model: stacks of channels to scale, and the windows of the chosen stage over the picture.
import { mix } from "../drawing/color.js";
import { clamp, el, grouped } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { MODEL_LIST } from "../shared/model_list.js";
import { labels } from "./labels.js";
import { cuts, neighbor, pieceOf, stacks } from "./stages_math.js";

const FINEST = 3; // css pixels: closer lines are a gray
const STYLE = `${MODEL_LIST}
.gf-stage { cursor: pointer; }
.gf-model .gf-mono { font-size: 0.75rem; word-spacing: -0.25em; white-space: nowrap; }
.gf-has { font-size: 0.75rem; color: var(--gf-soft); text-align: right; }
.gf-models .gf-solid { margin-top: 0.5rem; }
`;
const COLUMNS = [
  ...["stage", "side", "tokens", "channels", "numbers"],
  ...["windows", "window", "blocks", "heads", "pixels"],
].map((one) => labels(`column.${one}`));

const counted = (key, n) => labels(key, { n, count: grouped(n) });

export default picture(
  ({ stages, takeaway }, _, { shell, theme, width, state, set }) => {
    const chosen = Math.min(state.chosen, stages.length - 1);
    const one = stages[chosen];
    const canShift = one.shift > 0;
    const shifted = state.shifted && canShift;
    const ends = cuts(one.side, one.window, shifted ? one.shift : 0);
    const { unit, boxes, height } = stacks(stages, width - 4);
    const top = Math.ceil(height) + 16; // where the windows stand
    const left = width < 620 ? width : shell.tall - top - 110 * theme.unit;
    const side = Math.round(clamp(left, 200, Math.min(width, 340)));
    const cell = side / one.side;
    const color = (i) => theme.categorical[i % theme.categorical.length];
    const first = stages.length; // the tokens follow the stages
    const tokens = Array.from({ length: one.side ** 2 }, (__, i) => [Math.floor(i / one.side), i % one.side]);
    const placeOf = (row, column) => first + row * one.side + column;
    const choose = (i) => set({ ...state, chosen: clamp(i, 0, stages.length - 1) });

    function paintStacks(p) {
      boxes.forEach(({ x, y, size, deep }, i) => {
        const n = Math.max(1, Math.min(stages[i].width, Math.round(deep / 2.2)));
        const edge = mix(theme.page, color(i), i === chosen ? 0.95 : 0.6);
        for (let k = n; k >= 0; k--) {
          const dx = (deep * k) / n;
          const fill = mix(theme.page, color(i), (i === chosen ? 0.3 : 0.16) + (k ? 0 : 0.1));
          p.rect(x + dx, y - dx / 2, size, size, { fill, stroke: edge, width: k ? 0.6 : 1.4 });
        }
        for (const end of cuts(stages[i].side, stages[i].window).slice(1, -1)) {
          if (stages[i].window * unit < FINEST) break;
          const [d, e] = [x + end * unit, y + end * unit];
          p.segment(d, y, d, y + size, { color: edge, width: 0.8 });
          p.segment(x, e, x + size, e, { color: edge, width: 0.8 });
        }
      });
    }

    function paintWindows(p, token) {
      p.rect(0, 0, side, side, { fill: mix(theme.page, color(chosen), 0.14) });
      if (token) {
        const [[up, down], [left, right]] = token.map((at) => pieceOf(ends, at).map((end) => end * cell));
        p.rect(left, up, right - left, down - up, { fill: mix(theme.page, color(chosen), 0.55) });
      }
      const rule = (place, wide, css) => {
        p.segment(place, 0, place, side, { color: css, width: wide });
        p.segment(0, place, side, place, { color: css, width: wide });
      };
      if (cell >= FINEST) for (let i = 1; i < one.side; i++) rule(i * cell, 0.6, mix(theme.page, color(chosen), 0.4));
      for (const end of ends) rule(clamp(end * cell, 1, side - 1), one.window * cell < 8 ? 1 : 1.8, theme.text);
    }

    const size = (i) => {
      const { side: n, width: channels, pixels } = stages[i];
      const counts = { tokens: grouped(n ** 2), channels: grouped(channels), numbers: grouped(n ** 2 * channels) };
      return labels("stage_size", { i, side: n, ...counts, pixels });
    };
    function told([row, column]) {
      const [up, down] = pieceOf(ends, row);
      const [left, right] = pieceOf(ends, column);
      const n = (down - up) * (right - left);
      return labels("at_window", {
        ...{ up, down: down - 1, left, right: right - 1, high: down - up, wide: right - left, tokens: grouped(n) },
        ...{ pixels: grouped(n * one.pixels ** 2), all: grouped((one.side * one.pixels) ** 2) },
      });
    }

    /** From stage to stage, and window by window; down from the stages into the windows, and up again. */
    const walk = (down, right) => (place) => {
      if (place === null || place < first) {
        if (down > 0) return first;
        choose(chosen + right);
        shell.say(size(clamp(chosen + right, 0, first - 1)));
        return null;
      }
      const [row, column] = tokens[place - first];
      const [to, beside] = [neighbor(ends, row, down), neighbor(ends, column, right)];
      return down < 0 && pieceOf(ends, row)[0] === 0 ? chosen : placeOf(down ? to : row, right ? beside : column);
    };
    const toggle = () => canShift && set({ ...state, shifted: !shifted });
    const cannot = one.window < one.side ? "shift.never" : "shift.one_window";
    const shift = labels(canShift ? (shifted ? "shift.on" : "shift.off") : cannot);
    const button = ({ side: n, width: channels, window, n_layer }, i) =>
      el(
        "button",
        {
          class: "gf-model",
          "data-name": `stage ${i}`,
          "aria-pressed": String(i === chosen),
          onclick: () => choose(i),
        },
        el("span", { class: "gf-chip", style: `background: ${color(i)}` }),
        el(
          "span",
          {},
          ...labels.parts("stage", {
            i,
            size: el("span", { class: "gf-mono", text: `${n} × ${n} × ${grouped(channels)}` }),
          }),
        ),
        el("span", {
          class: "gf-has",
          text: `${counted("n_window", (n / window) ** 2)}, ${counted("n_block", n_layer)}`,
        }),
      );
    const shiftLook = { class: "gf-solid", "data-name": "shift", "aria-pressed": String(shifted), disabled: !canShift };
    return {
      things: [...stages, ...tokens],
      size: [width, top + side],
      at(x, y) {
        if (y < top - 8) {
          const i = boxes.findIndex((box) => x <= box.x + box.size + box.deep + 8);
          return i < 0 ? first - 1 : i;
        }
        const [row, column] = [Math.floor((y - top) / cell), Math.floor(x / cell)];
        return row >= 0 && row < one.side && column >= 0 && column < one.side ? placeOf(row, column) : null;
      },
      paint(p, place) {
        p.shifted(2, 2, () => paintStacks(p));
        p.shifted(0, top, () => paintWindows(p, tokens[place - first]));
      },
      keys: {
        ArrowRight: walk(0, 1),
        ArrowLeft: walk(0, -1),
        ArrowDown: walk(1, 0),
        ArrowUp: walk(-1, 0),
        Home: () => choose(0),
        End: () => choose(first),
      },
      said: (thing, place) => [place < first ? size(place) : told(thing)],
      chosen,
      choose: (__, place) => (place < first ? choose(place) : toggle()),
      reset: () => chosen > 0 && choose(0),
      label: takeaway,
      spoken: shifted ? shift : size(chosen),
      beside: [
        el(
          "div",
          { class: "gf-models", role: "group", "aria-label": labels("stages") },
          ...stages.map(button),
          el("button", { ...shiftLook, text: shift, onclick: toggle }),
          el("div", {
            class: "gf-soft",
            text: labels("hint"),
          }),
        ),
      ],
      columns: COLUMNS,
      rows: stages.map((s, i) => [
        `${i}`,
        ...[s.side, s.side ** 2, s.width, s.side ** 2 * s.width, (s.side / s.window) ** 2].map(grouped),
        ...[s.window ** 2, s.n_layer, s.n_head].map(grouped),
        `${s.pixels} × ${s.pixels}`,
      ]),
    };
  },
  { style: STYLE, state: (__, old) => old ?? { chosen: 0, shifted: false } },
);
