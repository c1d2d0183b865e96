// One word in two sentences: its two vectors as arrows that open by their true angle, from part to part of the model.
// Between the arrows stands the part, with the step that it makes.
import { mix } from "../drawing/color.js";
import { COLORS } from "../drawing/theme.js";
import { format, measure } from "../drawing/elements.js";
import { wrapped } from "../pictures/pictures_math.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const degrees = (angle) => labels("in_degrees", { angle: format(angle, 0) });
const signed = (step) => `${step > 0 ? "+" : ""}${degrees(step)}`;

export default picture((h, _, { theme, width: room }) => {
  const { unit } = theme;
  const isNarrow = room < 620 * unit;
  const width = Math.min(room, 1000 * unit);
  const small = { size: 13 * unit, font: theme.font, fill: theme.soft };
  const code = { size: (isNarrow ? 13 : 16) * unit, font: theme.code };
  const colors = [theme.primary, COLORS[theme.mode].diverging[9]]; // of the two sentences
  const { angles, steps } = h;
  const pitch = (width - 16) / angles.length;
  const long = isNarrow ? 60 * unit : Math.min(100 * unit, 0.55 * pitch);
  const turns = angles.map((angle) => (Math.min(180, angle) * Math.PI) / 360);
  const halves = turns.map((turn) => Math.max(0.2, Math.sin(turn)) * long + 8 * unit); // above and below the middle
  const most = Math.max(...halves);
  const line = 1.5 * code.size;
  const sentenceHigh = (isNarrow && h.sentences[0].expected ? 2.2 : 1) * line;
  const noteHigh = 17 * unit;
  const boxTop = sentenceHigh + 14 * unit;
  const boxHigh = (isNarrow ? 29 : 46) * unit;
  const notes = steps.map(noteOf);
  const under = Math.max(0, ...notes.map((one) => one.length)) * noteHigh + 4 * unit;
  const spots = angles.map((_, i) =>
    isNarrow
      ? { x: 12 * unit, y: boxTop + halves.slice(0, i).reduce((sum, one) => sum + 2 * one + boxHigh, 0) + halves[i] }
      : { x: 12 * unit + i * pitch, y: boxTop + boxHigh + under + most },
  );
  const end = spots.at(-1).y + (isNarrow ? halves.at(-1) + 4 * unit : most + 54 * unit);
  const foot = fit(labels("only_the_angle", { n: h.n_number }), width - 4, 2);
  const height = end + sentenceHigh + (10 + 17 * foot.length) * unit;

  function fit(text, space, most) {
    return wrapped(text, space, (one) => measure(one, small.size, small.font), most);
  }

  /** As many of the last words as fit before the word. */
  function lastWords({ before, word }) {
    const space = width - (isNarrow ? 12 : 250) * unit - measure(word, code.size, code.font);
    const words = before.trim().split(" ");
    const text = () => `${shown < words.length ? "… " : ""}${words.slice(words.length - shown).join(" ")} `;
    let shown = words.length;
    while (shown > 0 && measure(text(), code.size, code.font) > space) shown--;
    return before.trim() ? text() : "";
  }

  function noteOf(step, i) {
    const apart = step < 0 ? labels("added_apart", { angle: degrees(h.added[i]) }) : "";
    const text = i === h.biggest ? labels("biggest_step") : apart;
    return fit(text, isNarrow ? width : 0.94 * pitch, 3);
  }

  function paintSentence(p, s, y) {
    const { word, expected, chance } = h.sentences[s];
    const before = lastWords(h.sentences[s]);
    const at = y + 0.5 * line;
    const x = 2 + measure(before, code.size, code.font);
    const wide = measure(word, code.size, code.font) + 8 * unit;
    p.text(before, 2, at, { ...code, fill: theme.text });
    p.rect(x, at - 0.5 * line, wide, line, { fill: colors[s], radius: 5 });
    p.text(word, x + 4 * unit, at, { ...code, weight: 700, fill: theme.page });
    if (!expected) return;
    const told = labels(h.is_next ? "next_word" : "in_its_place");
    const [left, low] = isNarrow ? [2, at + line] : [x + wide + 14 * unit, at];
    p.text(told, left, low, { ...small, size: 14 * unit });
    const next = left + measure(told, 14 * unit, small.font) + 8 * unit;
    p.text(`${expected} ${chance}`, next, low, { ...code, weight: 700, fill: colors[s] });
  }

  function paintStage(p, i) {
    const { x, y } = spots[i];
    const turn = turns[i];
    const wedge = 0.5 * long;
    const [dx, dy] = [Math.cos(turn) * wedge, Math.sin(turn) * wedge];
    const fill = mix(theme.page, theme.text, 0.1);
    if (turn > 0.02) p.path(`M${x} ${y} L${x + dx} ${y - dy} A${wedge} ${wedge} 0 0 1 ${x + dx} ${y + dy} Z`, { fill });
    const gap = turn < 0.02 ? 1.5 * unit : 0; // two arrows that lie on each other stay two
    [-1, 1].forEach((side, s) => {
      const [ex, ey] = [x + Math.cos(turn) * long, y + side * (Math.sin(turn) * long + gap)];
      const back = 11 * unit; // the length of its head
      const [bx, by] = [ex - Math.cos(turn) * back, ey - side * Math.sin(turn) * back];
      const [ax, ay] = [0.45 * back * Math.sin(turn), -0.45 * side * back * Math.cos(turn)];
      p.segment(x, y + side * gap, bx, by, { color: colors[s], width: 3.5 * unit });
      p.path(`M${ex} ${ey} L${bx + ax} ${by + ay} L${bx - ax} ${by - ay} Z`, { fill: colors[s] });
    });
    p.path(`M${x - 4} ${y} a4 4 0 1 0 8 0 a4 4 0 1 0 -8 0 Z`, { fill: theme.text });
    const [nx, ny] = isNarrow ? [x + long + 22 * unit, y] : [x, y + most + 14 * unit];
    p.text(degrees(angles[i]), nx, ny, { size: 26 * unit, font: theme.font, weight: 700, fill: theme.text });
    const said = labels(i === 0 ? "at_start" : i === angles.length - 1 ? "apart_at_end" : "apart");
    p.text(said, isNarrow ? nx + 72 * unit : nx, isNarrow ? ny + 2 : ny + 24 * unit, small);
  }

  /** A part of the model between two pairs of arrows. */
  function paintStep(p, i) {
    const isMost = i === h.biggest;
    const color = isMost ? theme.accent : theme.text;
    const look = { fill: mix(theme.page, isMost ? theme.accent : theme.text, 0.06), radius: 8 };
    if (isMost) Object.assign(look, { stroke: theme.accent, width: 2 });
    const title = { ...small, fill: isMost ? theme.accent : theme.soft, weight: 600 };
    const number = { size: 20 * unit, font: theme.font, weight: 700, fill: color };
    if (isNarrow) {
      const y = spots[i].y + halves[i] + 1;
      p.rect(2, y, width - 4, 27 * unit, look);
      const text = [h.parts[i], ...notes[i]].join(": ");
      p.text(fit(text, width - 74 * unit, 1)[0], 10 * unit, y + 14 * unit, title);
      p.text(signed(steps[i]), width - 10 * unit, y + 14 * unit, { ...number, size: 17 * unit, align: "right" });
      return;
    }
    const wide = 0.94 * pitch;
    const x = spots[i].x + 0.5 * (long + pitch);
    p.rect(x - wide / 2, boxTop, wide, boxHigh, look);
    const middle = { align: "center" };
    p.text(fit(h.parts[i], wide - 8, 1)[0], x, boxTop + 13 * unit, {
      ...title,
      ...middle,
    });
    p.text(signed(steps[i]), x, boxTop + 32 * unit, { ...number, ...middle });
    notes[i].forEach((text, k) =>
      p.text(text, x, boxTop + boxHigh + (0.7 + k) * noteHigh, {
        ...small,
        fill: isMost ? theme.accent : theme.soft,
        ...middle,
      }),
    );
  }

  return {
    things: angles,
    size: [width, height],
    at(x, y) {
      if (y < boxTop || y > end) return null;
      const found = isNarrow
        ? spots.findIndex((one, i) => y < one.y + halves[i] + boxHigh)
        : Math.floor((x - spots[0].x + 8) / pitch);
      return found >= 0 && found < angles.length ? found : null;
    },
    paint(p) {
      paintSentence(p, 0, 0);
      steps.forEach((_, i) => paintStep(p, i));
      angles.forEach((_, i) => paintStage(p, i));
      paintSentence(p, 1, end);
      foot.forEach((text, i) => p.text(text, 2, height + (17 * (i - foot.length) + 6) * unit, small));
    },
    mark(p, i) {
      const { x, y } = spots[i];
      const wide = isNarrow ? width - 4 : long + 12 * unit;
      const high = isNarrow ? halves[i] : most;
      p.rect(x - 9 * unit, y - high, wide, 2 * high, { stroke: theme.accent, width: 1.5, radius: 6 });
    },
    said: (angle, i) => [
      labels("after_part", {
        part: h.stages[i],
        angle: format(angle, 1),
        cosine: format(h.cosines[i], 3),
        distance: format(h.distances[i], 2),
      }),
    ],
    hint: labels("point_at_arrows"),
    label: labels("arrows"),
    sentence: [
      labels(h.is_apart ? "sentence.apart" : "sentence.one", {
        word: h.sentences[0].word,
        start: degrees(angles[0]),
        end: degrees(angles.at(-1)),
      }),
    ],
    columns: [labels("part"), labels("angle_column"), labels("cosine"), labels("distance")],
    rows: angles.map((angle, i) => [h.stages[i], angle, h.cosines[i], h.distances[i]]),
  };
});
