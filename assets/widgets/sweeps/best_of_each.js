// All runs of a sweep in columns, one for each value of a setting, such as the width: the best of each column joined,
// and the runs that have all other settings from one that was chosen. A film over the training.
import { mix } from "../drawing/color.js";
import { clamp, el, format, grouped, measure } from "../drawing/elements.js";
import { ticks } from "../drawing/ticks.js";
import { nearest, picture } from "../scene/scene.js";
import { spreadWords } from "../shared/spread_words.js";
import { labels } from "./labels.js";

const AROUND = 228; // css pixels: the player, the sentence and the axes
const dot = (p, [x, y], r, fill, more = {}) => p.rect(x - r, y - r, 2 * r, 2 * r, { fill, radius: r, ...more });

/** The first of several rows of words that fits in columns so wide. */
function fitting(rows, column, { size, font }) {
  return rows.find((words) => words.every((one) => measure(one, size, font) * 1.06 < column - 4));
}

export default picture(
  (h, _, { theme, width: room, step, shell, state, set }) => {
    const { unit } = theme;
    const { runs, across, tuned } = h;
    const isNarrow = room < 480 * unit;
    const width = Math.min(room, 1000 * unit);
    const small = { size: 13 * unit, font: theme.font };
    const soft = { ...small, fill: theme.soft };
    const bold = { size: 14 * unit, font: theme.font, weight: 700 };
    const [left, aside] = [46 * unit, (isNarrow ? 4 : 190) * unit]; // for the scale, for the names of the lines
    const right = width - aside;
    const top = (isNarrow ? 76 : 34) * unit;
    const high = isNarrow ? 170 * unit : clamp(shell.tall - AROUND * unit - top, 150 * unit, 290 * unit);
    const bottom = top + high;
    const [low, most] = h.scale;
    const margin = { above: 16 * unit, below: 34 * unit }; // for the runs above the scale, for the words under a dot
    const score = (i) => runs[i].scores[step];
    const isAbove = (i) => score(i) > most;
    const within = (v) => bottom - margin.below - ((v - low) / (most - low)) * (high - margin.above - margin.below);
    const y = (v) => (v > most ? top : within(v));
    const column = (right - left) / h.ticks.length;
    const x = (i) => left + (runs[i].at[across] + 0.5) * column;
    const spot = (i) => (score(i) === null ? null : [x(i), y(score(i))]);
    const spots = runs.map((_run, i) => spot(i) ?? [-99, -99]);
    const isKnown = (i) => i !== null && score(i) !== null;

    const best = h.best[step].filter(isKnown);
    const chosen = state ?? h.worse;
    const like = (i) => runs[i].at.every((at, k) => k === across || at === runs[chosen].at[k]);
    const others = chosen === null ? [] : runs.map((_run, i) => i).filter((i) => like(i) && isKnown(i));
    others.sort((a, b) => x(a) - x(b));
    const isLast = step === h.rungs.length - 1;
    const isShown = isLast && chosen !== null && chosen === h.worse; // what the sentence says
    const dark = mix(theme.page, theme.text, 0.75);
    const values = h.ticks.map((value) => labels("with", { name: h.axes[across], value }));
    const under = fitting([values, [values[0], ...h.ticks.slice(1)]], column, small); // the values of the setting
    const sizes = h.sizes.map(grouped);
    const counted = sizes.map((n) => labels("n_numbers", { n }));
    const counts = fitting([counted, [counted[0], ...sizes.slice(1)], sizes], column, bold);
    const rows = [h.sizes.length ? (counts ?? []) : [], under ?? h.ticks].filter((row) => row.length);
    if (!under) rows.push([h.axes[across]]);
    const foot = bottom + (8 + 18 * rows.length) * unit;

    function paintGround(p) {
      const [values, digits] = ticks([low, most], 4);
      for (const v of values) {
        p.segment(left, y(v), right, y(v), { color: theme.line, width: 0.75 });
        p.text(format(v, digits), left - 6 * unit, y(v), { ...soft, align: "right" });
      }
      p.text(h.measured, 0, 10 * unit, { ...bold, fill: theme.text });
      const after = measure(h.measured, bold.size, bold.font) * 1.06 + 14 * unit;
      p.text(labels("lower"), after, 10 * unit, { ...bold, fill: theme.primary });
      if (runs.some((_run, i) => isKnown(i) && isAbove(i))) {
        p.text(`${format(most, 2)}+`, left - 6 * unit, top, { ...soft, align: "right" });
      }
      rows.forEach((row, k) => {
        const look = { ...(k ? soft : { ...small, weight: 700, fill: theme.text }), align: "center" };
        const every = Math.ceil((Math.max(...row.map((one) => measure(one, small.size, small.font))) + 4) / column);
        const middle = (n) => (row.length > 1 ? left + (n + 0.5) * column : (left + right) / 2);
        row.forEach((words, n) => n % every || p.text(words, middle(n), bottom + (14 + 18 * k) * unit, look));
      });
    }

    /** A run, as a dot; as an arrow up if it lies above the scale. */
    function paintRun(p, i, r, color) {
      const [at, level] = spots[i];
      if (isAbove(i)) {
        const path = `M${at} ${level - 1.5 * r} L${at - 1.4 * r} ${level + r} L${at + 1.4 * r} ${level + r} Z`;
        p.path(path, { fill: color });
      } else {
        dot(p, spots[i], r, color);
      }
    }

    function paintLines(p) {
      runs.forEach((_run, i) => isKnown(i) && paintRun(p, i, 3.5, mix(theme.page, theme.text, 0.28)));
      const points = (some) => some.map((i) => spots[i]);
      if (others.length > 1) p.line(points(others), { color: dark, width: 2, dash: [6, 4] });
      if (best.length > 1) p.line(points(best), { color: theme.primary, width: 3.5 });
      for (const i of others) paintRun(p, i, 4.5, dark);
      const every = Math.ceil(((isNarrow ? 36 : 44) * unit) / column); // numbers that have room
      for (const i of best) {
        paintRun(p, i, 5, theme.primary);
        if (runs[i].at[across] % every || (i === best.at(-1) && !isNarrow)) continue; // the last is written large
        const text = { ...bold, size: (isNarrow ? 14 : 17) * unit, fill: theme.primary, align: "center" };
        p.text(format(score(i), 2), x(i), y(score(i)) + 17 * unit, text);
      }
    }

    /** The two models of the sentence, on one height with the small one. */
    function paintPair(p) {
      const [small_one, large] = [h.best.at(-1)[0], h.worse];
      const level = y(score(small_one));
      const ink = { color: theme.accent, width: 1.5, dash: [3, 3] };
      p.segment(x(small_one), level, x(large), level, ink);
      for (const i of [small_one, large]) dot(p, spots[i], 8.5, "", { stroke: theme.accent, width: 2 });
    }

    function paintNames(p) {
      const lines = [{ i: best.at(-1), name: h.best_name, note: "", ink: theme.primary }];
      if (others.length) {
        const { words } = runs[chosen];
        const name = labels("with", { name: h.like_name, value: words[tuned] });
        const note = words.filter((_words, k) => k !== across && k !== tuned).join(" · ");
        lines.push({ i: others.at(-1), name, note, ink: dark });
      }
      if (isNarrow) {
        lines.forEach(({ name: text, note, ink }, k) => {
          const all = note ? `${text} (${note})` : text;
          p.segment(0, (31 + 20 * k) * unit, 22, (31 + 20 * k) * unit, { color: ink, width: 3, dash: k ? [6, 4] : [] });
          p.text(all, 30, (31 + 20 * k) * unit, { ...small, weight: 700, fill: ink });
        });
        return;
      }
      const boxes = lines.map(({ i }, group) => ({ x: aside / 2, y: spots[i][1], w: aside, h: 68 * unit, group }));
      const at = spreadWords(boxes, { width: aside, height: foot, gap: 4, groupGap: 4 });
      lines.forEach(({ i, name: text, note, ink }, k) => {
        const start = right + 4 * unit;
        const from = [x(i) + 10, spots[i][1]];
        p.line([from, [right - 14, from[1]], [start - 4, at[k].y - 12 * unit]], { color: ink, width: 1, dash: [2, 3] });
        p.text(format(score(i), 2), start, at[k].y - 12 * unit, { ...bold, size: 30 * unit, fill: ink });
        const [title] = fitting([[`${text} (${note})`], [text]], note ? aside : 0, bold) ?? [text];
        p.text(title, start, at[k].y + 14 * unit, { ...small, weight: 700, fill: ink });
        if (k && isShown) p.text(h.pair, start, at[k].y + 30 * unit, { ...small, weight: 700, fill: theme.accent });
        else if (title === text) p.text(note, start, at[k].y + 30 * unit, soft);
      });
    }

    const known = [...runs.keys()].filter(isKnown).sort((a, b) => score(a) - score(b));
    return {
      things: runs,
      size: [width, foot],
      at: nearest(spots),
      paint(p) {
        paintGround(p);
        paintLines(p);
        if (best.length) paintNames(p);
        if (isShown) paintPair(p);
      },
      mark(p, i) {
        if (isKnown(i)) dot(p, spots[i], 6, theme.accent);
      },
      choose: (_run, i) => set(i === chosen ? null : i),
      chosen: state,
      reset() {
        if (state === null) return false;
        set(null);
        return true;
      },
      said: (run, i) => [
        el("b", { text: run.words.map((words, k) => `${h.axes[k]} ${words}`).join(" · ") }),
        isKnown(i) ? `: ${format(score(i), 3)}` : "",
      ],
      hint: labels("columns_hint"),
      sentence: [
        isLast || !known.length
          ? h.says
          : labels("of_all", { steps: grouped(h.rungs[step]), score: format(score(known[0]), 2) }),
      ],
      columns: [...h.axes, labels("after_steps", { n: grouped(h.rungs[step]) })],
      rows: known.map((i) => [...runs[i].words, score(i)]),
    };
  },
  {
    state: (h, old, before) => (before?.sweep === h.sweep ? (old ?? null) : null),
    steps: ({ rungs }) => rungs.map((n) => labels("after_steps", { n: grouped(n) })),
  },
);
