// Three models after two sentences that differ in one word: what each can use of the sentence, and which noun it
// expects next. A narrow picture shows one sentence at a time.
import { mix, readableOn } from "../drawing/color.js";
import { el, measure, percent } from "../drawing/elements.js";
import { wrapped } from "../pictures/pictures_math.js";
import { picture } from "../scene/scene.js";
import { paintHatch, paintWord, wordPlaces } from "../shared/linked_words.js";
import { labels } from "./labels.js";

const GUESS = [0.1, 0.15]; // between these all eight nouns are about equally likely

export default picture(
  (h, { p: chances, weights }, { theme, width: room, state: shown, set, shell }) => {
    const { unit } = theme;
    const isNarrow = room < 560 * unit;
    const isLow = shell.tall < 560;
    const width = Math.min(room, 1000 * unit);
    const letters = { size: (isNarrow || isLow ? 13 : 14) * unit, font: theme.code };
    const small = { size: (isNarrow || isLow ? 13 : 14) * unit, font: theme.font };
    const [nModel, nNoun] = [h.models.length, h.nouns.length];
    const aside = isNarrow ? 0 : 116 * unit; // for the models' names
    const gap = 18 * unit;
    const columns = isNarrow ? [shown] : [0, 1];
    const wide = isNarrow ? width - 16 : (width - aside - 2 * gap) / 2;
    const left = (c) => (isNarrow ? 8 : aside + gap / 2 + c * (wide + gap));
    const chance = (m, s, n) => chances.data[(m * 2 + s) * nNoun + n];
    const weight = ({ s, i }) => weights.data[s * h.sentences[0].words.length + i];

    // A sentence that takes more than two lines is shown from a later word on.
    const bar = (isNarrow || isLow ? 16 : 19) * unit;
    const step = (isLow ? 1.5 : 1.65) * letters.size;
    const place = (words, x) => wordPlaces(words, { x, y: 0, width: wide - 6, step, pad: 2 * unit, ...letters });
    const words = (s, from) => [...(from ? ["…"] : []), ...h.sentences[s].words.slice(from), labels("blank")];
    const fits = (from) => [0, 1].every((s) => place(words(s, from), 0).at(-1).line < 2);
    const from = [0, 3, 5].find(fits) ?? 5;
    const nBar = isNarrow ? 2 : 3;
    const lower = 4 * unit; // between the words and the bars
    const block = 2 * step + lower + nBar * bar;
    const head = (isNarrow ? 22 : 0) * unit; // of each model, where its name stands above
    const between = (isLow || isNarrow ? 11 : 24) * unit;
    const last = (isNarrow ? 0 : bar) + 4 * unit; // the conclusion under the GPT's bars
    const first = (isNarrow ? 4 : 32) * unit; // the questions
    const top = (m) => first + m * (block + between + head);
    const height = top(nModel - 1) + head + block + last + 10 * unit;

    const spots = columns.map((s, c) => place(words(s, from), left(c)));
    const index = (k) => k - (from ? 1 : 0) + from; // of the k-th word on the screen in the sentence
    const things = columns.flatMap((s, c) =>
      spots[c].flatMap((spot, k) => {
        const i = index(k);
        const y = spot.y + top(nModel - 1) + head + step / 2;
        return i >= from && i < h.sentences[s].words.length
          ? [{ s, i, text: h.sentences[s].words[i], spot: { ...spot, y } }]
          : [];
      }),
    );

    function paintModel(p, m) {
      const { key, name } = h.models[m];
      const y = top(m);
      const isLast = m === nModel - 1;
      const notes = { ngram: { n: h.n_seen }, gru: { width: h.width }, gpt: {} }[key];
      const note = labels(`uses.${key}`, notes);
      const title = { size: (isNarrow ? 17 : 22) * unit, font: theme.font, weight: 700 };
      title.fill = isLast ? theme.primary : theme.text;
      if (isLast) {
        const x = isNarrow ? 0 : aside;
        const box = { fill: mix(theme.page, theme.primary, 0.07), radius: 10 };
        p.rect(x, y - 6 * unit, width - x, head + block + last + 12 * unit, box);
      } else {
        const line = y + head + block + between / 2 - 2 * unit;
        p.segment(0, line, width, line, { color: theme.line, width: 1 });
      }
      if (isNarrow) {
        p.text(name, 8, y + 8 * unit, title);
        const fill = theme.soft;
        p.text(note.replace(/ \(.*/, ""), width - 8, y + 9 * unit, { ...small, fill, align: "right" });
      } else {
        p.text(name, 0, y + step / 2 + 2 * unit, title);
        wrapped(note, aside - 10 * unit, (text) => measure(text, small.size, small.font), 4).forEach((text, i) =>
          p.text(text, 0, y + step / 2 + (26 + 18 * i) * unit, { ...small, fill: theme.soft }),
        );
      }
      columns.forEach((s, c) => {
        paintUsed(p, m, s, c, y + head + step / 2);
        paintBars(p, m, s, left(c), y + head + 2 * step + lower + bar / 2);
      });
    }

    /** The sentence as far as the model can use it: hatched where it can't, tinted where the GPT looks. */
    function paintUsed(p, m, s, c, y) {
      const { key } = h.models[m];
      const nWord = h.sentences[s].words.length;
      words(s, from).forEach((text, k) => {
        const spot = { ...spots[c][k], y: spots[c][k].y + y, h: 1.45 * letters.size };
        const i = index(k);
        if (i === nWord) return paintWord(p, text, spot, { ...letters, ink: theme.text, stroke: theme.text });
        if (key === "ngram" && i < nWord - h.n_seen) return paintHatch(p, spot, mix(theme.page, theme.text, 0.24));
        const isEnding = i === h.ending;
        const look = { ...letters, ink: theme.text, weight: isEnding ? 700 : 400 };
        if (key === "gpt" && i >= from) {
          const fill = mix(theme.page, theme.primary, weight({ s, i }));
          if (weight({ s, i }) > 0.08) Object.assign(look, { fill, ink: readableOn(fill) });
        }
        if (isEnding) Object.assign(look, { stroke: theme.accent, width: 2 });
        paintWord(p, text, spot, look);
      });
    }

    function paintBars(p, m, s, x, y) {
      const isLast = m === nModel - 1;
      const all = Array.from({ length: nNoun }, (_, n) => chance(m, s, n));
      const rest = all.slice(2);
      const named = (isNarrow ? 56 : 96) * unit;
      const start = x + named + 8 * unit;
      const most = wide - named - 80 * unit;
      const rows = [
        ...[0, 1].map((n) => ({ name: h.nouns[n], value: all[n], text: percent(all[n], all[n] < 0.01 ? 1 : 0) })),
        { name: labels("others"), value: Math.max(...rest), text: eachOf(rest) },
      ].slice(0, nBar);
      rows.forEach(({ name, value, text }, r) => {
        const isBest = value > 0.5;
        const at = y + r * bar;
        const font = r < 2 ? letters : small;
        const ink = { ...font, fill: isBest ? theme.text : theme.soft, weight: isBest ? 700 : 400 };
        p.text(name, start - 8 * unit, at, { ...ink, align: "right" });
        const long = Math.max(1.5, value * most);
        const fill = isBest ? theme.primary : mix(theme.page, theme.text, 0.35);
        p.rect(start, at - 0.32 * bar, long, 0.64 * bar, { fill, radius: 2 });
        const big = isBest && {
          size: (isNarrow || isLow ? 22 : 24) * unit,
          weight: 700,
          fill: theme.primary,
          font: theme.font,
        };
        p.text(text, start + long + 8 * unit, at, big || { ...small, fill: theme.soft });
      });
      const isGuess = all.every((one) => one > GUESS[0] && one < GUESS[1]);
      const right = { ...small, fill: theme.soft, align: "right" };
      if (isGuess) p.text(labels("guessing"), x + wide - 4 * unit, y + bar / 2, right);
      if (!isLast || isNarrow) return;
      const best = all.indexOf(Math.max(...all));
      const said = labels("so_it_was", { noun: h.nouns[best], ending: h.sentences[s].ending });
      p.text(said, start, y + nBar * bar + 1 * unit, { ...small, weight: 700, fill: theme.primary });
    }

    /** The chances of some nouns in a few words. */
    function eachOf(some) {
      const [low, high] = [Math.min(...some), Math.max(...some)].map((one) => Math.round(100 * one));
      if (high < 1) return labels("each_under");
      return low === high ? labels("each", { share: `${low}%` }) : labels("each_between", { low, high });
    }

    return {
      things,
      size: [width, height],
      at(x, y) {
        const found = things.findIndex(
          ({ spot }) => Math.abs(spot.x - x) < spot.w / 2 + 2 && Math.abs(spot.y - y) < step / 2,
        );
        return found < 0 ? null : found;
      },
      paint(p) {
        columns.forEach((s, c) => {
          if (isNarrow) return;
          const question = labels("was_what", { ending: h.sentences[s].ending });
          p.text(question, left(c), 10 * unit, { ...small, size: 16 * unit, weight: 700, fill: theme.text });
        });
        h.models.forEach((_, m) => paintModel(p, m));
      },
      mark(p, at) {
        const { spot, text } = things[at];
        paintWord(
          p,
          text,
          { ...spot, h: 1.45 * letters.size },
          { ...letters, ink: theme.onAccent, fill: theme.accent },
        );
      },
      said: (thing) =>
        labels.parts("looks", { word: el("b", { translate: "no", text: thing.text }), share: percent(weight(thing)) }),
      hint: labels("point_at_word"),
      sentence: [labels(h.only_gpt ? "sentence.gpt" : "sentence.other")],
      controls: isNarrow
        ? [
            {
              label: labels("which_sentence"),
              key: "ending",
              asButtons: true,
              options: h.sentences.map(({ ending }, s) => [s, ending]),
              value: shown,
              change: set,
            },
          ]
        : [],
      columns: [labels("model"), labels("ending"), ...h.nouns],
      rows: h.models.flatMap(({ name }, m) =>
        h.sentences.map(({ ending }, s) => [name, ending, ...h.nouns.map((_, n) => chance(m, s, n))]),
      ),
    };
  },
  { state: (_, old) => old ?? 0 },
);
