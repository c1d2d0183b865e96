// A text that is longer than those of the training: among how many letters the model hesitates, part by part, read as
// trained and in other ways. A film: it reads on. Before the guess, how YaRN reads is hidden.
import { mix } from "../drawing/color.js";
import { clamp, el, format, measure, percent } from "../drawing/elements.js";
import { ticks } from "../drawing/ticks.js";
import { picture } from "../scene/scene.js";
import { paintHatch } from "../shared/linked_words.js";
import { spreadWords } from "../shared/spread_words.js";
import { labels } from "./labels.js";

const [PLAIN, YARN] = ["plain", "yarn"];
const PARTS = 8; // of a long text; each is as long as a training text
const AROUND = 226; // css pixels: the player, the sentence and the axes

const round = (v) => format(v, 0);
const dot = (p, x, y, r, fill) => p.rect(x - r, y - r, 2 * r, 2 * r, { fill, radius: r });

export default picture(
  (h, { letters }, { theme, width: room, step, shell }) => {
    const { unit } = theme;
    const isNarrow = room < 480 * unit;
    const width = Math.min(room, 1000 * unit);
    const isTold = h.ways.length > 1;
    const value = (way, part) => letters.data[h.ways.findIndex(({ key }) => key === way) * PARTS + part];
    const shown = h.ways.filter(({ key }) => key === PLAIN || key === YARN || (isTold && key === h.other));
    const isCompared = shown.length > 2;
    const parts = Array.from({ length: PARTS }, (_, i) => ({ from: i * h.trained + 1, to: (i + 1) * h.trained }));

    const small = { size: 13 * unit, font: theme.font };
    const soft = { ...small, fill: theme.soft };
    const bold = { size: 14 * unit, font: theme.font, weight: 700 };
    const [left, aside] = [26 * unit, (isNarrow ? 76 : 222) * unit]; // for the scale, for the numbers
    const right = width - aside;
    const top = (isNarrow ? 66 : 52) * unit;
    const high = isNarrow ? 150 * unit : clamp(shell.tall - AROUND * unit - top, 150 * unit, 270 * unit);
    const bottom = top + high;
    const most = 1.08 * h.top;
    const x = (part) => left + ((part + 0.5) / PARTS) * (right - left);
    const y = (v) => bottom - (v / most) * high;
    const edge = left + (right - left) / PARTS; // where the training texts ended
    const look = {
      [PLAIN]: { color: theme.text, width: 3 },
      [YARN]: { color: theme.primary, width: 3.5 },
    };
    const lookOf = (key) => look[key] ?? { color: mix(theme.page, theme.text, 0.6), width: 2.5, dash: [6, 4] };

    function paintGround(p) {
      p.rect(left, top, edge - left, high, { fill: mix(theme.page, theme.primary, 0.12) });
      const [values] = ticks([0, most], isNarrow ? 2 : 3);
      for (const v of values) {
        p.segment(left, y(v), right, y(v), { color: theme.line, width: v ? 0.75 : 1.25 });
        p.text(round(v), left - 6 * unit, y(v), { ...soft, align: "right" });
      }
      p.text(labels("hesitates"), 0, 10 * unit, { ...bold, fill: theme.text });
      const after = measure(labels("hesitates"), bold.size, bold.font) * 1.06 + 8 * unit;
      const lower = { ...bold, fill: theme.primary };
      if (isNarrow) p.text(labels("lower"), 0, 30 * unit, lower);
      else {
        p.text(labels("perplexity"), after, 10 * unit, soft);
        p.text(
          labels("lower"),
          after + measure(labels("perplexity"), small.size, small.font) + 14 * unit,
          10 * unit,
          lower,
        );
      }
      p.segment(edge, top - 6 * unit, edge, bottom, { color: theme.accent, width: 2 });
      p.text(labels("ended"), edge - 2, top - 14 * unit, { ...small, weight: 700, fill: theme.accent });
      if (!isNarrow) p.text(labels("never"), edge + 12 * unit, top + 14 * unit, soft);
      for (const { to } of parts) {
        const isEdge = to === h.trained;
        if (!isEdge && to % (isNarrow ? 256 : 128)) continue;
        const ink = { ...small, weight: isEdge ? 700 : 400, fill: isEdge ? theme.accent : theme.soft, align: "center" };
        p.text(String(to), left + (to / h.trained / PARTS) * (right - left), bottom + 14 * unit, ink);
      }
      const name = labels(isNarrow ? "axis.short" : "axis");
      p.text(name, (left + right) / 2, bottom + 33 * unit, { ...soft, align: "center" });
    }

    function paintLine(p, { key }) {
      const { color, ...line } = lookOf(key);
      const points = parts.slice(0, step + 1).map((_, i) => [x(i), y(value(key, i))]);
      if (points.length > 1) p.line(points, { color, ...line });
      for (const [px, py] of points) dot(p, px, py, 4 * Math.sqrt(unit), color);
    }

    /** Beside the chart: the number at the end of each line, and how the text is read. */
    function paintNumbers(p) {
      const font = { size: (isNarrow ? 24 : 36) * unit, font: theme.font, weight: 700 };
      const tall = 46 * unit;
      const rows = shown.map(({ key, found }) => ({
        key,
        number: round(value(key, step)),
        note: isCompared ? labels("secrets", { share: percent(found) }) : labels(`note.${key}`),
        end: y(value(key, step)),
      }));
      if (!isTold) rows.push({ key: YARN, number: "?", note: labels("note.yarn"), end: (top + bottom) / 2 });
      const boxes = rows.map(({ end }, group) => ({ x: aside / 2, y: end, w: aside, h: tall, group }));
      const spots = spreadWords(boxes, { width: aside, height: bottom + tall / 2, gap: 2, groupGap: 2 });
      const start = right + (isNarrow ? 8 : 18) * unit;
      const wide = measure("88", font.size, font.font) * 1.06;
      rows.forEach(({ key, number, note, end }, i) => {
        const middle = spots[i].y;
        const at = { x: start, y: middle - (isNarrow ? 8 * unit : 0) };
        const ink = lookOf(key).color;
        if (number === "?") {
          const box = { x: start + wide / 2, y: at.y, w: wide, h: 1.1 * font.size, line: 0 };
          paintHatch(p, box, mix(theme.page, theme.primary, 0.4));
          p.text(number, box.x, at.y, { ...font, fill: theme.accent, align: "center" });
        } else {
          const from = [x(step), end];
          p.line([from, [right - 8, end], [start - 5 * unit, at.y]], { color: ink, width: 1, dash: [2, 3] });
          p.text(number, at.x, at.y, { ...font, fill: ink });
        }
        if (isNarrow) {
          p.text(labels(`short.${key}`), start, middle + 14 * unit, { ...small, weight: 700, fill: ink });
          return;
        }
        const beside = start + wide + 8 * unit;
        p.text(labels(`name.${key}`), beside, middle - 10 * unit, { ...bold, size: 15 * unit, fill: ink });
        p.text(note, beside, middle + 11 * unit, isCompared ? { ...small, weight: 700, fill: ink } : soft);
      });
    }

    const strong = (v) => el("b", { text: v });
    const [isFirst, isLast] = [step === 0, step === PARTS - 1];
    const other = shown.find(({ key }) => key === h.other);
    const key = isFirst ? "inside" : !isLast ? "part" : other ? "compared" : isTold ? "yarn" : "plain";
    const share = (way) => strong(percent(h.ways.find((one) => one.key === way)?.found ?? 0));
    return {
      things: parts,
      size: [width, bottom + 42 * unit],
      at: (px) => (px < left || px > right ? null : clamp(Math.floor(((px - left) / (right - left)) * PARTS), 0, step)),
      paint(p) {
        paintGround(p);
        shown.forEach((way) => paintLine(p, way));
        paintNumbers(p);
        const inside = {
          size: (isNarrow ? 20 : 26) * unit,
          font: theme.font,
          weight: 700,
          fill: theme.text,
          align: "center",
        };
        p.text(round(value(PLAIN, 0)), x(0), y(value(PLAIN, 0)) - 22 * unit, inside);
      },
      mark(p, part) {
        p.segment(x(part), top, x(part), bottom, { color: theme.accent, width: 1 });
        for (const { key: way } of shown) dot(p, x(part), y(value(way, part)), 6, theme.accent);
      },
      said: ({ from, to }, part) => [
        `${labels("said", { from, to })} `,
        shown.map(({ key: way, name }) => labels("value", { n: format(value(way, part), 1), name })).join("; "),
      ],
      hint: labels("point"),
      sentence: labels.parts(key, {
        n: h.trained,
        ...parts[step],
        inside: strong(round(value(PLAIN, 0))),
        end: strong(round(value(PLAIN, PARTS - 1))),
        letters: strong(round(value(isLast && other ? h.other : PLAIN, step))),
        yarn: isTold && strong(round(value(YARN, PARTS - 1))),
        name: other?.name,
        share: share(h.other),
        yarn_share: share(YARN),
      }),
      columns: [labels("axis.short"), ...shown.map(({ name }) => name)],
      row: ({ from, to }, part) => [`${from}–${to}`, ...shown.map(({ key: way }) => value(way, part))],
    };
  },
  {
    steps: ({ trained }) =>
      Array.from({ length: PARTS }, (_, i) => labels("tokens", { from: i * trained + 1, to: (i + 1) * trained })),
  },
);
