// The vector of a position as clock hands, one clock for each pair of numbers, over the curves and the heat map of all.
import { scale } from "../drawing/color.js";
import { clamp, el, format } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { dot, handOf, layDials, pairAt, speed } from "./clock_math.js";
import { heard, LONG, paintFace, paintHand, tell } from "./dial.js";
import { labels } from "./labels.js";

const [LEFT, RIGHT, CURVES, GAP] = [44, 8, 96, 30];
const AROUND = 190; // px of sliders, readout and legend
const DASH = [4, 3];

export default picture(
  (h, { table: { data } }, { shell, theme, width: room, state, set }) => {
    const { width, n_position: n, frequencies } = h;
    const nPair = width / 2;
    const position = clamp(state.at.position, 0, n - 1);
    const distance = clamp(state.at.distance, 0, n - 1 - position);
    const pair = clamp(state.at.pair, 0, nPair - 1);
    const at = { position, distance, pair };
    const [sine, cosine] = pairAt(data, width, position, pair);
    const pace = speed(frequencies[pair]);
    const colors = scale("signed", -1, 1, theme.mode);
    const bold = (text) => el("b", { text });

    const letters = 12 * theme.unit;
    const dials = layDials(room, nPair, 76, 112);
    const dialHeight = dials.cell + letters + 4;
    const dialsHeight = dials.rows * dialHeight + 10;
    const curvesTop = dialsHeight + 22;
    const mapTop = curvesTop + CURVES + GAP;
    const row = clamp(Math.floor((shell.tall - AROUND - mapTop - 34) / width), 4, 16);
    const step = (room - LEFT - RIGHT) / n;
    const small = { fill: theme.soft, size: letters * 0.92, font: theme.code };
    const middle = (i) => LEFT + (i + 0.5) * step;
    const height = (v) => curvesTop + ((1 - v) / 2) * CURVES;

    const sentence = (position, pair) => {
      const [sine, cosine] = pairAt(data, width, position, pair);
      return labels("at_pair", { position, pair, sine: format(sine), cosine: format(cosine) });
    };
    const move = (changes) => set({ ...state, at: { ...at, ...changes } });
    const release = (to = at) => {
      shell.say(sentence(to.position, to.pair));
      tell(shell, { ...state, at: { ...at, ...to } }, set);
    };
    const reset = () => tell(shell, { ...state, at: { position: 0, distance: 0, pair: 0 } }, set);
    const walk = (down, right) => () => {
      const next = [clamp(position + right, 0, n - 1), clamp(pair + down, 0, nPair - 1)];
      move({ position: next[0], pair: next[1] });
      shell.say(sentence(...next));
    };

    function paintMap(p) {
      for (let j = 0; j < width; j++) {
        for (let i = 0; i < n; i++) {
          const fill = colors.css(data[i * width + j]);
          p.rect(LEFT + i * step, mapTop + j * row, step + 0.3, row + 0.3, { fill });
        }
      }
      for (let j = 0; j < width; j += Math.ceil((letters + 2) / row)) {
        p.text(String(j), LEFT - 6, mapTop + (j + 0.5) * row, { ...small, align: "right" });
      }
      const foot = mapTop + row * width;
      const jump = [1, 2, 4, 8, 16, 32, 64].find((s) => s * step >= letters * 2.6) ?? 64;
      for (let i = 0; i < n; i += jump) p.text(String(i), middle(i), foot + 10, { ...small, align: "center" });
      const title = { ...small, font: theme.font };
      p.text(labels("position"), LEFT + step * n, foot + 24, { ...title, align: "right" });
      p.text(labels("number"), 8, (mapTop + foot) / 2, { ...title, align: "center", rotate: -90 });
      p.rect(LEFT - 1, mapTop + 2 * pair * row - 1, step * n + 2, 2 * row + 2, { stroke: theme.accent, width: 1.5 });
    }

    function paintDials(p) {
      frequencies.forEach((_, i) => {
        const x = ((i % dials.columns) + 0.5) * dials.cell;
        const y = Math.floor(i / dials.columns) * dialHeight + dials.cell / 2;
        const r = dials.cell / 2 - 6;
        const on = i === pair;
        const to = (place) => handOf(pairAt(data, width, place, i)).map((v) => v * r * 0.84);
        paintFace(p, x, y, r, theme, { on });
        const other = { color: theme.categorical[1], width: 2, dash: DASH, dot: 2.5 };
        if (distance) paintHand(p, x, y, ...to(position + distance), other);
        paintHand(p, x, y, ...to(position), { color: theme.categorical[0] });
        const look = { fill: on ? theme.accent : theme.soft, weight: on ? 700 : 400, align: "center" };
        p.text(labels("pair", { i }), x, y + r + letters * 0.8, { ...small, ...look });
      });
    }

    function paintCurves(p) {
      for (const v of [1, 0, -1]) {
        p.segment(LEFT, height(v), LEFT + step * n, height(v), { color: theme.line, width: 0.75 });
        p.text(format(v, 0), LEFT - 6, height(v), { ...small, align: "right" });
      }
      ["sine", "cosine"].forEach((name, i) => {
        const look = { color: theme.categorical[2 + i], width: 2, dash: i ? [6, 4] : [] };
        const points = Array.from({ length: n }, (_, t) => [middle(t), height(pairAt(data, width, t, pair)[i])]);
        const x = LEFT + 140 * i;
        p.line(points, look);
        p.segment(x, curvesTop - 14, x + 24, curvesTop - 14, look);
        p.text(labels(`curve.${name}`, { i: 2 * pair + i }), x + 30, curvesTop - 14, { ...small, font: theme.font });
      });
    }

    /** The cursor through the curves and the heat map. */
    function paintColumn(p, i, color, dash) {
      p.segment(middle(i), curvesTop - 4, middle(i), curvesTop + CURVES + 4, { color, width: 2, dash });
      const look = { stroke: color, width: 2, dash };
      p.rect(LEFT + i * step - 1, mapTop - 4, Math.max(step, 3) + 2, row * width + 8, look);
    }

    const slider = (key, name, max, shown) => ({
      label: labels(key),
      key,
      min: 0,
      max,
      value: at[name],
      shown,
      change: (value) => move({ [name]: value }),
      release: () => release(),
    });
    return {
      things: Array.from({ length: nPair * n }, (_, i) => ({ pair: Math.floor(i / n), position: i % n })),
      size: [room, mapTop + row * width + 34],
      /** A clock is of its pair; the curves and the heat map are of a position. */
      at(x, y) {
        if (y < dialsHeight) {
          const found = Math.floor(y / dialHeight) * dials.columns + Math.floor(x / dials.cell);
          return x < dials.columns * dials.cell && found < nPair ? found * n + position : null;
        }
        const j = Math.floor((y - mapTop) / row);
        const found = j >= 0 && j < width ? Math.floor(j / 2) : pair;
        return found * n + clamp(Math.floor((x - LEFT) / step), 0, n - 1);
      },
      paint(p) {
        paintMap(p);
        paintDials(p);
        paintCurves(p);
        if (distance) paintColumn(p, position + distance, theme.categorical[1], DASH);
        paintColumn(p, position, theme.categorical[0], []);
      },
      mark: () => {},
      keys: {
        ArrowRight: walk(0, 1),
        ArrowLeft: walk(0, -1),
        ArrowDown: walk(1, 0),
        ArrowUp: walk(-1, 0),
        Home: walk(0, -n),
        End: walk(0, n),
        Enter: () => release(),
        " ": () => release(),
        Escape: reset,
      },
      chosen: pair * n + position,
      follows: true,
      choose: (thing, _, isPulled) => (isPulled ? move(thing) : release(thing)),
      controls: [
        slider("position_t", "position", n - 1),
        slider("distance_k", "distance", n - 1 - position, `k = ${distance}`),
        { text: labels("reset"), act: reset },
      ],
      idle: [
        ...labels.parts("clocks", {
          ...{ position: bold(String(position)), pair, sine: bold(format(sine, 4)), cosine: bold(format(cosine, 4)) },
          degrees: format(pace.degrees, pace.degrees < 1 ? 3 : 1),
          turn: format(pace.turn, pace.turn < 100 ? 1 : 0),
        }),
        el("br"),
        ...labels.parts(distance ? "product" : "product.itself", {
          ...{ position, other: position + distance, distance },
          product: bold(format(dot(data, width, position, position + distance), 4)),
        }),
      ],
      legends: [[colors, labels("value")]],
      columns: [labels("position"), ...Array.from({ length: width }, (_, j) => `${j}`)],
      rows: Array.from({ length: n }, (_, i) => [`${i}`, ...data.slice(i * width, (i + 1) * width)]),
    };
  },
  { style: `${LONG} .gf-stage { touch-action: pan-y pinch-zoom; cursor: pointer; }`, state: heard },
);
