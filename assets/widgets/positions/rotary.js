// A query and a key turned by their positions: one dial for each pair of numbers, the score, and the score by distance.
import { clamp, el, format } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { layDials, pairIndices, score } from "./clock_math.js";
import { heard, LONG, paintFace, paintHand, tell } from "./dial.js";
import { labels } from "./labels.js";

const [LEFT, RIGHT, CURVE] = [48, 10, 120];

export default picture(
  (h, { q, k, by_distance: { data } }, { shell, theme, width: room, state, set }) => {
    const { n_position: n, frequencies, interleaved, start } = h;
    const at = { query: clamp(state.at.query, 0, n - 1), key: clamp(state.at.key, 0, n - 1) };
    const low = Math.min(at.query, at.key);
    const distance = at.key - at.query;
    const now = score(q.data, k.data, at.query, at.key, frequencies, interleaved);
    const told = (query, key) => {
      const { total } = score(q.data, k.data, query, key, frequencies, interleaved);
      return labels("score_at", { query, key, score: format(total, 4) });
    };
    const spoken = told(at.query, at.key);
    const pairs = frequencies.map((_, i) => pairIndices(now.q.length, interleaved, i));
    const letters = 12 * theme.unit;
    const dials = layDials(room, frequencies.length, 96, 150);
    const dialHeight = dials.cell + letters * 2.6;
    const top = dials.rows * dialHeight + 34;

    const move = (changes) => set({ ...state, at: { ...at, ...changes } });
    const release = () => {
      shell.say(spoken);
      tell(shell, state, set);
    };
    const step = (right, down) => () => {
      const [query, key] = [clamp(at.query + right, 0, n - 1), clamp(at.key + down, 0, n - 1)];
      move({ query, key });
      shell.say(told(query, key));
    };
    const reset = () => tell(shell, { ...state, at: { ...at, ...start } }, set);

    function paintDials(p) {
      const font = { fill: theme.soft, size: letters * 0.92, font: theme.code, align: "center" };
      const sizes = pairs.flatMap(([a, b]) => [Math.hypot(now.q[a], now.q[b]), Math.hypot(now.k[a], now.k[b])]);
      const r = dials.cell / 2 - 8;
      const unit = (r * 0.84) / Math.max(...sizes, 1e-9);
      pairs.forEach(([a, b], i) => {
        const x = ((i % dials.columns) + 0.5) * dials.cell;
        const y = Math.floor(i / dials.columns) * dialHeight + dials.cell / 2;
        paintFace(p, x, y, r, theme);
        paintHand(p, x, y, now.k[a] * unit, -now.k[b] * unit, { color: theme.categorical[1], dash: [5, 3], dot: 2.5 });
        paintHand(p, x, y, now.q[a] * unit, -now.q[b] * unit, { color: theme.categorical[0] });
        p.text(labels("numbers_of", { a, b }), x, y + r + letters * 0.9, font);
        p.text(format(now.parts[i]), x, y + r + letters * 2.1, { ...font, fill: theme.text });
      });
    }

    /** The score by distance, from Python; the cursor stands still when both slide together. */
    function paintCurve(p) {
      const most = Math.max(...data.map(Math.abs), 1e-9) * 1.1;
      const width = room - LEFT - RIGHT;
      const x = (d) => LEFT + ((d + n - 1) / (2 * n - 2)) * width;
      const y = (v) => top + ((most - v) / (2 * most)) * CURVE;
      const small = { fill: theme.soft, size: letters * 0.92, font: theme.code };
      const words = { ...small, font: theme.font };
      p.segment(LEFT, top - 20, LEFT + 24, top - 20, { color: theme.categorical[0], width: 2.5 });
      p.text(labels("query"), LEFT + 30, top - 20, words);
      p.segment(LEFT + 84, top - 20, LEFT + 108, top - 20, { color: theme.categorical[1], width: 2.5, dash: [5, 3] });
      p.text(labels("key"), LEFT + 114, top - 20, words);
      for (const v of [most / 1.1, 0, -most / 1.1]) {
        p.segment(LEFT, y(v), LEFT + width, y(v), { color: theme.line, width: 0.75 });
        p.text(format(v, 1), LEFT - 6, y(v), { ...small, align: "right" });
      }
      for (const d of [-(n - 1), -Math.round(n / 2), 0, Math.round(n / 2), n - 1]) {
        p.text(format(d, 0), clamp(x(d), LEFT + 8, room - 14), top + CURVE + 11, { ...small, align: "center" });
      }
      p.text(labels("distance_axis"), LEFT + width, top + CURVE + 26, { ...words, align: "right" });
      const points = Array.from(data, (v, i) => [x(i - n + 1), y(v)]);
      p.line(points, { color: theme.categorical[2], width: 2 });
      p.segment(x(distance), top - 6, x(distance), top + CURVE, { color: theme.accent, width: 1.5 });
      p.rect(x(distance) - 4, y(now.total) - 4, 8, 8, { fill: theme.accent, radius: 4 });
    }

    const slider = (key, value, max, change) => ({ label: labels(key), key, min: 0, max, value, change, release });
    return {
      size: [room, top + CURVE + 36],
      paint(p) {
        paintDials(p);
        paintCurve(p);
      },
      keys: {
        ArrowRight: step(1, 0),
        ArrowLeft: step(-1, 0),
        ArrowDown: step(0, 1),
        ArrowUp: step(0, -1),
        Home: step(-n, 0),
        End: step(n, 0),
        Enter: release,
        " ": release,
        Escape: reset,
      },
      controls: [
        slider("slide_both", low, n - 1 - Math.abs(distance), (to) =>
          move({ query: at.query - low + to, key: at.key - low + to }),
        ),
        slider("query_at", at.query, n - 1, (query) => move({ query })),
        slider("key_at", at.key, n - 1, (key) => move({ key })),
        { text: labels("reset"), act: reset },
      ],
      idle: [
        ...labels.parts("score", {
          ...{ score: el("b", { text: format(now.total, 4) }), query: at.query, key: at.key },
          distance: format(distance, 0),
        }),
      ],
      spoken,
      columns: [labels("numbers"), labels("query"), "", labels("key"), "", labels("adds")],
      rows: pairs.map(([a, b], i) => [`${a}, ${b}`, now.q[a], now.q[b], now.k[a], now.k[b], now.parts[i]]),
    };
  },
  { style: LONG, state: heard },
);
