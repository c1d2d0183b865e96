// One sentence twice, one word apart: where "it" looks in each, and what the model takes it for. An arc from "it" is as
// wide as its weight; the thin one below shows the word that told it which noun to look for, one layer before.
import { mix } from "../drawing/color.js";
import { el, measure, percent } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { paintArc, paintWord, wordPlaces } from "../shared/linked_words.js";
import { labels } from "./labels.js";

const LETTERS = 66; // of the sentence with its boxes, in letters of the code font

export default picture((h, { weights }, { theme, width: room, shell }) => {
  const { unit } = theme;
  const isNarrow = room < 560 * unit;
  const isLow = shell.tall < 560;
  const width = Math.min(room, 1000 * unit);
  const aside = isNarrow ? 0 : 138 * unit; // for the answer
  const size = isNarrow ? 14 * unit : Math.min(18 * unit, (width - aside) / LETTERS / 0.6);
  const font = theme.code;
  const looks = {
    plain: { ink: theme.text },
    reader: { ink: theme.text, fill: mix(theme.page, theme.primary, 0.13), stroke: theme.primary, weight: 700 },
    read: { ink: theme.page, fill: theme.primary, weight: 700 },
    changed: {
      ink: theme.text,
      fill: mix(theme.page, theme.accent, 0.06),
      stroke: theme.accent,
      width: 2,
      weight: 700,
    },
    pointed: { ink: theme.onAccent, fill: theme.accent, weight: 700 },
  };
  const small = { size: 14 * unit, font: theme.font };
  const step = isNarrow ? 54 * unit : 2 * size;
  const lift = (isNarrow ? 26 : isLow ? 66 : 100) * unit; // of the wider arc
  const below = (isNarrow ? 0 : isLow ? 54 : 68) * unit; // for the link one layer before
  const [first, second] = h.sentences;
  const inner = isNarrow ? width : width - aside;
  const placed = (words, y) => {
    const spots = wordPlaces(words, { x: 4, y: 0, width: inner - 6, size, font, step });
    const room = spots[h.it].line ? 18 * unit : 0.75 * lift + 40 * unit; // above the first line
    return spots.map((one) => ({ ...one, y: one.y + y + room }));
  };
  const upper = placed(first.words, isNarrow ? 0 : -0.19 * lift);
  const end = upper.at(-1).y + (isNarrow ? 56 * unit : below);
  const lower = placed(second.words, end + (isNarrow ? 30 * unit : 0));
  const places = [upper, lower];
  const height = lower.at(-1).y + (isNarrow ? 50 : 36) * unit;
  const things = h.sentences.flatMap(({ words }, s) => words.map((text, i) => ({ s, i, text })));
  const weight = ({ s, i }) => weights.data[s * first.words.length + i];

  function paintSentence(p, { words, to, said, p: sure }, s) {
    const [spots, reader] = [places[s], places[s][h.it]];
    const share = weight({ s, i: to });
    const arc = isNarrow || Math.abs(h.it - to) > 3 ? lift : lift * 0.75;
    paintArc(p, reader, spots[to], { color: theme.primary, width: (1 + 7 * share) * Math.sqrt(unit), lift: arc });
    words.forEach((text, i) => {
      const look = i === to ? looks.read : i === h.it ? looks.reader : i === h.ending ? looks.changed : looks.plain;
      paintWord(p, text, spots[i], { size, font, ...look });
    });
    const isSameLine = spots[to].line === reader.line;
    if (isNarrow || !isSameLine) {
      const isLeft = spots[to].x < reader.x;
      const x = reader.x + (isLeft ? 14 : -14) * unit;
      const text = { ...small, weight: 700, fill: theme.primary, align: isLeft ? "left" : "right" };
      p.text(percent(share), x, reader.y - reader.h / 2 - 12 * unit, text);
    } else {
      const text = labels("of_attention", { share: percent(share) });
      const y = reader.y - reader.h / 2 - 0.75 * arc - 14 * unit;
      p.text(text, (reader.x + spots[to].x) / 2, y, { ...small, weight: 700, fill: theme.primary, align: "center" });
    }
    paintAnswer(p, said, sure, spots.at(-1).y);
  }

  function paintAnswer(p, said, sure, y) {
    const [noun, share] = [said, labels("sure", { share: percent(sure) })];
    if (isNarrow) {
      const big = { size: 24 * unit, font, weight: 700, fill: theme.text, align: "right" };
      const right = width - measure(share, small.size, small.font) - 14;
      p.text(share, width - 2, y + 32 * unit, { ...small, weight: 700, fill: theme.primary, align: "right" });
      p.text(noun, right, y + 31 * unit, big);
      const x = right - measure(noun, big.size, font) - 10;
      p.text(labels("so_it_is"), x, y + 32 * unit, { ...small, fill: theme.soft, align: "right" });
      return;
    }
    const x = width - aside + 14 * unit;
    p.text(labels("so_it_is"), x, y - 32 * unit, { ...small, fill: theme.soft });
    p.text(noun, x, y - 4 * unit, { size: 28 * unit, font, weight: 700, fill: theme.text });
    p.text(share, x, y + 24 * unit, { ...small, weight: 700, fill: theme.primary });
  }

  /** The changed word, joined with itself in the other sentence. */
  function paintChange(p) {
    const [from, to] = places.map((spots) => spots[h.ending]);
    const style = { color: theme.accent, width: 1.5, dash: [3, 4] };
    const text = { ...small, weight: 700, fill: theme.accent };
    if (isNarrow) {
      p.segment(2, end, width - 2, end, style);
      p.text(labels("one_word"), 4, end + 16 * unit, text);
      return;
    }
    p.segment(from.x, from.y + from.h / 2 + 2, from.x, to.y - to.h / 2 - 3, style);
    p.text(labels("one_word"), from.x + 10, (from.y + to.y) / 2 - 2 * unit, text);
  }

  /** One layer before: a noun reads the word that decides. */
  function paintEarlier(p) {
    if (isNarrow || h.earlier.weight < 0.5) return;
    const [from, to] = [upper[h.earlier.position], upper[h.ending]];
    const color = mix(theme.page, theme.primary, 0.6);
    paintArc(p, from, { ...to, x: to.x - 0.25 * to.w }, { color, width: 2, side: 1, lift: 0.55 * below });
    const { weight: share } = h.earlier;
    const [noun, ending] = [first.words[h.earlier.position], first.words[h.ending]];
    const text = { share: percent(share), noun, ending };
    const y = from.y + from.h / 2 + 0.41 * below + 14 * unit;
    p.text(labels("earlier", text), to.x - 12, y, { ...small, fill: theme.soft, align: "right" });
  }

  const noun = (i) => first.words[i];
  const isTurning = first.to === h.second && second.to === h.first;
  return {
    things,
    size: [width, height],
    at(x, y) {
      const found = places
        .flat()
        .findIndex((one) => Math.abs(one.x - x) < one.w / 2 + 3 && Math.abs(one.y - y) < one.h);
      return found < 0 ? null : found;
    },
    paint(p) {
      paintChange(p);
      paintEarlier(p);
      h.sentences.forEach((one, s) => paintSentence(p, one, s));
    },
    mark(p, place) {
      const { s, i, text } = things[place];
      paintWord(p, text, places[s][i], { size, font, ...looks.pointed });
    },
    said: (thing) =>
      labels.parts("said", { word: el("b", { translate: "no", text: thing.text }), share: percent(weight(thing)) }),
    hint: labels("hint", { layer: h.layer, head: h.head }),
    sentence: labels.parts(isTurning ? "sentence" : "sentence_mixed", {
      second: el("code", { translate: "no", text: noun(h.second) }),
      first: el("code", { translate: "no", text: noun(h.first) }),
      ...{ right: h.right, all: h.all },
    }),
    columns: [labels("word"), ...h.sentences.map(({ words }) => labels("weight", { ending: words[h.ending] }))],
    rows: first.words.map((text, i) => [
      i === h.ending ? h.sentences.map(({ words }) => words[i]).join(" / ") : text,
      ...h.sentences.map((_, s) => weight({ s, i })),
    ]),
  };
});
