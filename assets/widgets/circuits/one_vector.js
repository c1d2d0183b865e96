// Two runs of a model, one above the other, and one vector that is copied from the first into the second: the answer of
// the second run flips or stays. A click on a circle copies that word's vector instead.
import { mix } from "../drawing/color.js";
import { el, measure, percent } from "../drawing/elements.js";
import { nearest, picture } from "../scene/scene.js";
import { boxRow, paintHatch } from "../shared/linked_words.js";
import { labels } from "./labels.js";

const MIDDLE = 1; // after layer 0: what a guess is asked for

export default picture((h, { said, p: chances, before, carriers }, { theme, width: room, shell }) => {
  const { unit } = theme;
  const isNarrow = room < 560 * unit;
  const isLow = shell.tall < 560;
  const width = Math.min(room, 1000 * unit);
  const own = h.sources.own; // the words of the second run
  const words = [h.sources[h.whose], own];
  const n = own.length;
  const [stage, place] = [h.site < h.n_stage ? h.site : MIDDLE, h.place];
  const at = (i) => stage * n + i;
  const isSaid = (i) => h.is_told || stage !== MIDDLE || i === h.ending;
  const isHidden = !isSaid(place);
  const [was, now] = [before.data[0], said.data[at(place)]];

  const small = { size: 14 * unit, font: theme.font };
  const isTight = width < 760 * unit; // then the names stand above the words
  const [start, aside] = [isTight ? 8 : 64, isTight ? 106 : 122].map((one) => one * unit); // for names, for the answer
  const size = (isNarrow || isTight ? 13 : 14) * unit;
  const letters = { size, font: theme.code };
  const big = { size: 24 * unit, font: theme.code, weight: 700 };
  const radius = (isNarrow ? 7 : 9) * unit;
  const [band, gap] = (isLow ? [18, 5] : [22, 9]).map((one) => one * unit); // of a layer, and between
  const wordY = (isTight ? 34 : 17) * unit; // from the edge of a run to its words
  const top = wordY + (isLow ? 14 : 19) * unit; // to its first layer
  const circles = 2 * radius + gap;
  const tall = top + (h.n_stage - 1) * (band + gap) + circles + 20 * unit; // of a run
  const between = (isLow ? 42 : 54) * unit;
  const head = 30 * unit; // for the question
  const upper = (r) => head + (isNarrow ? 0 : r * (tall + between));
  const line = 18 * unit; // of a word in a narrow picture
  const foot = head + 66 * unit + n * line;
  const row = boxRow(own, { x: start, y: 0, width: width - start - aside, ...letters, gap: 2 * unit });
  const spots = [0, 1].map((r) =>
    own.map((_, i) =>
      isNarrow
        ? { x: width * (r ? 0.64 : 0.36), y: head + 52 * unit + i * line }
        : { x: row[i].x, y: upper(r) + top + stage * (band + gap) + radius },
    ),
  );

  function paintRun(p, r) {
    const y = upper(r);
    const name = r ? labels("source.own") : labels(`source.${h.whose}`);
    const bold = { ...small, weight: 700, fill: theme.text };
    if (isNarrow) {
      const [x, align] = [spots[r][0].x + (r ? -1 : 1) * radius, r ? "left" : "right"];
      p.text(name, x, y + 10 * unit, { ...bold, align });
      p.text(labels(`copied_${stage}`), x, y + 29 * unit, { ...small, fill: theme.primary, align });
    } else {
      const fill = mix(theme.page, r ? theme.primary : theme.text, r ? 0.08 : 0.045);
      p.rect(0, y, width, tall, { fill, radius: 10 });
      p.text(name, 10, y + (isTight ? 13 : 17) * unit, bold);
      spots[r].forEach(({ x }) =>
        p.segment(x, y + wordY + 11 * unit, x, y + tall - 24 * unit, { color: theme.line, width: 1 }),
      );
      paintLayers(p, r);
      if (!isTight) p.text(labels("vectors"), 10, spots[r][0].y, { ...small, fill: theme.soft });
    }
    own.forEach((_, i) => paintPlace(p, r, i));
    if (!words[r] && !isNarrow) p.text(labels("all"), start, y + wordY, { ...small, fill: theme.soft });
  }

  function paintLayers(p, r) {
    const [left, right] = [spots[r][0].x - 14 * unit, spots[r][n - 1].x + 14 * unit];
    for (let layer = 0; layer < h.n_stage - 1; layer++) {
      const y = upper(r) + top + layer * (band + gap) + (layer < stage ? 0 : circles);
      p.rect(left, y, right - left, band, { fill: theme.page, stroke: mix(theme.page, theme.primary, 0.6), radius: 6 });
      const text = { ...small, size: 13 * unit, fill: theme.primary, align: "center" };
      p.text(labels("layer_i", { layer }), (left + right) / 2, y + band / 2 + 1, text);
    }
  }

  /** One word of a run, and its vector. */
  function paintPlace(p, r, i) {
    const { x, y } = spots[r][i];
    const isOn = i === place;
    const text = words[r]?.[i] ?? "";
    const baseline = upper(r) + wordY;
    const isRead = isNarrow && i === h.it; // the answer is read there
    const weight = i === h.ending || isOn || isRead ? 700 : 400;
    const look = { ...letters, weight, fill: isRead ? theme.primary : theme.text };
    if (isNarrow) p.text(text, x + (r ? 15 : -15) * unit, y, { ...look, align: r ? "left" : "right" });
    else p.text(text, x, baseline, { ...look, align: "center" });
    if (i === h.ending && text && !isNarrow) {
      const half = row[i].w / 2 - 3;
      p.segment(x - half, baseline + 11 * unit, x + half, baseline + 11 * unit, { color: theme.text, width: 2 });
    }
    const stroke = isOn ? theme.accent : mix(theme.page, theme.primary, 0.7);
    const isFlip = isSaid(i) && carriers.data[stage] === i;
    const fill = isOn ? theme.accent : isFlip ? theme.primary : theme.page;
    p.rect(x - radius, y - radius, 2 * radius, 2 * radius, { fill, stroke, radius, width: 1.5 });
    if (!r && !isSaid(i)) p.text("?", x, y + 1, { ...small, size: 13 * unit, fill: theme.soft, align: "center" });
  }

  function paintCopy(p) {
    const [from, to] = spots.map((some) => some[place]);
    const look = { stroke: theme.accent, width: 3 };
    const text = { ...small, size: 16 * unit, weight: 700, fill: theme.accent };
    if (isNarrow) {
      p.path(`M${from.x + radius} ${from.y} H${to.x - radius - 8}`, look);
      p.path(`M${to.x - radius} ${to.y} l-10 -6 v12 Z`, { fill: theme.accent });
      const label = { ...text, size: 13 * unit, align: "center" };
      return p.text(labels("copy"), (from.x + to.x) / 2, from.y + (place ? -11 : 11) * unit, label);
    }
    const x = from.x - row[place].w / 2 - 1; // between two words of the second run
    const [y, end] = [from.y, to.y];
    const bend = `C${from.x} ${y + 40} ${x} ${y + 20} ${x} ${y + 60}`;
    p.path(`M${from.x} ${y} ${bend} V${end - 30} Q${x} ${end} ${to.x - radius - 6} ${end}`, look);
    p.path(`M${to.x - radius + 1} ${end} l-11 -6 v12 Z`, { fill: theme.accent });
    const isRight = x > width * 0.55;
    const textX = x + (isRight ? -12 : 12) * unit;
    p.text(labels("copy_one"), textX, head + tall + between / 2, { ...text, align: isRight ? "right" : "left" });
  }

  /** That the second run still reads its own word. */
  function paintStays(p) {
    const [x, y] = isNarrow ? [0, foot - 9 * unit] : [10 * unit, upper(1) + tall - 9 * unit];
    p.text(labels("word_stays", { word: own[place] }), x, y, { ...small, size: 13 * unit, fill: theme.text });
  }

  /** What a run says: it is read at "it". */
  function paintAnswer(p, r) {
    if (!r && h.whose !== "twin") return;
    const it = spots[r][h.it];
    const [x, y] = isNarrow
      ? [r ? width * 0.52 : 4, foot + 36 * unit]
      : [width - aside + 12 * unit, upper(r) + tall - 22 * unit];
    const isChanged = r && !isHidden && now !== was;
    const read = { ...small, fill: isNarrow ? theme.primary : theme.soft };
    const still = r && !isHidden && !isChanged ? "it_is_still" : "it_is";
    p.text(labels(still), x, y - (isChanged && !isNarrow ? 48 : 26) * unit, read);
    if (!isNarrow) {
      const color = mix(theme.page, theme.primary, 0.7);
      const bottom = upper(r) + tall - 20 * unit;
      p.path(`M${it.x} ${bottom} v${9 * unit} H${x - 16 * unit} V${y} h${5 * unit}`, { stroke: color, width: 1.5 });
      p.path(`M${x - 5 * unit} ${y} l-8 -5 v10 Z`, { fill: color });
    }
    if (!r) return p.text(h.nouns[before.data[1]], x, y, { ...big, fill: theme.text });
    if (isHidden) {
      paintHatch(p, { x: x + 40 * unit, y, w: 80 * unit, h: 28 * unit, line: 0 }, theme.soft);
      p.rect(x + 27 * unit, y - 14 * unit, 26 * unit, 28 * unit, { fill: theme.page, radius: 6 });
      return p.text("?", x + 40 * unit, y, { ...big, fill: theme.text, align: "center" });
    }
    p.text(h.nouns[now], x, y, { ...big, fill: isChanged ? theme.accent : theme.text });
    if (!isChanged) return undefined;
    const old = { ...letters, size: 16 * unit, fill: theme.soft };
    const long = measure(h.nouns[was], old.size, old.font);
    const [oldX, oldY] = isNarrow ? [x + measure(h.nouns[now], big.size, big.font) + 10, y] : [x, y - 25 * unit];
    p.text(h.nouns[was], oldX, oldY, old);
    p.segment(oldX, oldY, oldX + long, oldY, { color: theme.soft, width: 1.5 });
  }

  const code = (text) => el("code", { translate: "no", text });
  const word = (i) => words[0]?.[i] ?? own[i];
  const where = labels(`where_${stage}`);
  const carrier = carriers.data[stage];
  const [first, second] = h.pair;
  const told = {
    word: code(word(place)),
    now: code(h.nouns[now]),
    was: code(h.nouns[was]),
    where,
    carrier: code(own[carrier] ?? ""),
  };
  const isGone = now === was && carriers.data[0] === place && h.whose === "twin";
  const gone = !h.is_told ? "gone_hidden" : carrier < 0 ? "gone" : "gone_to";
  const changed = carrier === place && h.whose === "twin" ? "carries" : "changes";
  const key = isHidden ? "hidden" : isGone ? gone : now === was ? "stays" : changed;
  const find = nearest(spots.flat().map(({ x, y }) => [x, y]));
  return {
    things: own.map((_, i) => i),
    size: [width, isNarrow ? foot + 54 * unit : head + 2 * tall + between],
    at(x, y) {
      const found = find(x, y);
      return found === null ? null : found % n;
    },
    paint(p) {
      const bold = { ...small, size: (isNarrow ? 15 : 16) * unit, weight: 700, fill: theme.text };
      p.text(labels("question", { first, second }), 0, 11 * unit, bold);
      [0, 1].forEach((r) => paintRun(p, r));
      paintStays(p);
      paintCopy(p);
      [0, 1].forEach((r) => paintAnswer(p, r));
    },
    mark(p, i) {
      const r = radius + 3;
      for (const { x, y } of spots.map((some) => some[i])) {
        p.rect(x - r, y - r, 2 * r, 2 * r, { stroke: theme.accent, radius: r, width: 2 });
      }
    },
    said: (i) => {
      const says = { word: word(i), now: h.nouns[said.data[at(i)]], share: percent(chances.data[at(i)]) };
      return [labels(isSaid(i) ? "copying" : "copying_hidden", says)];
    },
    idle: [el("span", { class: "gf-hint", text: labels("click_circle") })],
    chosen: place,
    choose: (i) => shell.commit("place", i),
    controls: [
      {
        label: labels("copy_where"),
        key: "site",
        asButtons: true,
        options: Array.from({ length: h.n_stage }, (_, i) => [i, labels(`copied_${i}`)]),
        value: stage,
        change(to) {
          shell.commit("site", to);
          shell.commit("place", carriers.data[to] >= 0 ? carriers.data[to] : h.ending);
        },
      },
    ],
    sentence: labels.parts(`one_vector.${key}`, told),
    columns: [labels("word"), labels("now_says"), labels("share_says")],
    rows: own.map((_, i) => [word(i), ...(isSaid(i) ? [h.nouns[said.data[at(i)]], chances.data[at(i)]] : ["?", "?"])]),
  };
});
