// The card game, read in two ways: soft attention mixes all cards, hard attention draws one. Lines are as wide as what
// is read; below, the right answers at each moment. A film over the training.
import { mix, readableOn } from "../drawing/color.js";
import { el, measure, percent } from "../drawing/elements.js";
import { grouped } from "../page/numbers.js";
import { picture } from "../scene/scene.js";
import { readingsAt, rightOf } from "./card_game_math.js";
import { labels } from "./labels.js";

const AHEAD = 0.05; // of the right answers: from this on one way is ahead
const DOTS = 4; // in a line

export default picture(
  (h, arrays, { theme, width: room, step, go, state, set, shell }) => {
    const { unit } = theme;
    const isNarrow = room < 560 * unit;
    const isLow = shell.tall < 560;
    const width = Math.min(room, 1000 * unit);
    const [gap, n, nDraw] = [36 * unit, h.cards.length, arrays.drawn.shape[2]];
    const wide = isNarrow ? width : (width - gap) / 2;
    const readings = readingsAt(h, arrays, { step, ...state });
    const letter = h.cards[state.asked].slice(0, 1);
    const slot = wide / n;
    const card = { w: Math.min(slot - 4, 46 * unit), h: (isNarrow ? 42 : 56) * unit };
    const small = { size: 13 * unit, font: theme.font };
    const mono = { font: theme.code, align: "center" };
    const lines = (isNarrow ? 40 : isLow ? 58 : 84) * unit; // between the cards and the answer
    const box = { w: 130 * unit, h: (isNarrow ? 36 : 44) * unit };
    const growth = (isNarrow ? 0 : 78) * unit;
    const half = 26 * unit + card.h + 4 * unit + lines + box.h + (isNarrow ? 8 : 26) * unit;
    const left = (way) => (isNarrow ? 0 : way * (wide + gap));
    const top = (way) => (isNarrow ? way * (half + 12 * unit) : 0);
    const center = (way, i) => left(way) + (i + 0.5) * slot;
    const cardTop = (way) => top(way) + 26 * unit;
    const cardEnd = (way) => cardTop(way) + card.h;
    const height = isNarrow ? 2 * half + 12 * unit : half + 8 * unit + growth;
    const things = [...[0, 1].flatMap((way) => h.cards.map((name, i) => ({ way, i, name }))), { isDraw: true }];
    const again = { text: labels("draw_again"), w: measure(labels("draw_again"), small.size, small.font) + 18 * unit };

    function paintCards(p, way, place = null) {
      const { weights } = readings[way];
      h.cards.forEach((name, i) => {
        const fill = mix(theme.page, theme.primary, 0.06 + 0.94 * weights[i]);
        const isAsked = i === state.asked;
        const isMarked = place === way * n + i;
        const [x, y] = [center(way, i), cardTop(way)];
        const stroke = isMarked ? theme.accent : isAsked ? theme.text : theme.line;
        p.rect(x - card.w / 2, y, card.w, card.h, { fill, stroke, width: isAsked || isMarked ? 2.5 : 1, radius: 6 });
        const ink = { ...mono, fill: readableOn(fill), size: Math.min(0.34 * card.h, 0.6 * card.w) };
        p.text(name.slice(0, 1), x, y + 0.29 * card.h, { ...ink, weight: 700 });
        p.text(name.slice(1), x, y + 0.71 * card.h, ink);
      });
    }

    /** Curves from what is read to the answer, and the draws as dots. */
    function paintReading(p, way) {
      const { weights, read, times } = readings[way];
      const end = cardEnd(way) + 4 * unit + lines;
      const middle = left(way) + wide / 2;
      const [dot, r] = [Math.min(9 * unit, slot / (DOTS + 0.5)), Math.min(3.2 * unit, slot / 12)];
      times.forEach((count, i) => {
        for (let k = 0; k < count; k++) {
          const inLine = Math.min(DOTS, count - DOTS * Math.floor(k / DOTS));
          const x = center(way, i) + ((k % DOTS) - (inLine - 1) / 2) * dot;
          const fill = i === state.asked ? theme.primary : theme.soft;
          const y = cardEnd(way) + 8 * unit + Math.floor(k / DOTS) * dot;
          p.rect(x - r, y - r, 2 * r, 2 * r, { fill, radius: r });
        }
      });
      weights.forEach((share, i) => {
        if (read !== null && read !== i) return;
        const start = cardEnd(way) + 4 * unit + Math.ceil(times[i] / DOTS) * dot;
        const to = read === null ? middle + (i - (n - 1) / 2) * 3 * unit : middle;
        const bend = (start + end) / 2;
        const stroke = read === null || readings[way].isRight ? theme.primary : theme.text;
        const look = {
          stroke,
          width: read === null ? 0.8 + 13 * share : 5,
          opacity: read === null && share < 0.3 ? 0.6 : 1,
        };
        p.path(`M${center(way, i)} ${start} C${center(way, i)} ${bend} ${to} ${bend} ${to} ${end}`, look);
      });
    }

    function paintAnswer(p, way) {
      const { digit, isRight } = readings[way];
      const [x, y] = [left(way) + wide / 2, cardEnd(way) + 4 * unit + lines];
      const color = isRight ? theme.primary : theme.soft;
      const fill = mix(theme.page, color, 0.12);
      p.rect(x - box.w / 2, y, box.w, box.h, { fill, stroke: color, width: 1.5, radius: 7 });
      const middle = y + box.h / 2;
      p.text(labels("says"), x - 14 * unit, middle, { ...small, fill: theme.soft, align: "right" });
      const big = { font: theme.code, size: 26 * unit, weight: 700, fill: theme.text, align: "center" };
      p.text(String(digit), x + 4 * unit, middle + 2 * unit, big);
      p.text(isRight ? "✓" : "✗", x + 24 * unit, middle, { ...small, size: 18 * unit, weight: 700, fill: color });
    }

    function paintNote(p, way) {
      const note = { n: readings[1].times[state.asked], all: nDraw, letter };
      const y = cardEnd(way) + 4 * unit + lines + box.h + 14 * unit;
      const look = { ...small, fill: theme.soft, align: "center" };
      p.text(labels(way ? "draws" : "mixes", note), left(way) + wide / 2, y, look);
    }

    function paintDraw(p, isMarked) {
      const [x, y, color] = [left(1) + wide - again.w, top(1) + 1, isMarked ? theme.accent : theme.primary];
      p.rect(x, y, again.w, 23 * unit, { fill: theme.page, stroke: color, radius: 6 });
      const look = { ...small, fill: color, weight: 600, align: "center" };
      p.text(again.text, x + again.w / 2, y + 12 * unit, look);
    }

    /** The right answers at each moment, the present one framed. */
    function paintGrowth(p, way) {
      const y = half + 24 * unit;
      const shares = rightOf(arrays, way);
      const column = wide / shares.length;
      p.text(labels("right"), left(way), half + 10 * unit, { ...small, fill: theme.soft });
      shares.forEach((share, m) => {
        const [x, bar] = [left(way) + m * column, 32 * unit];
        const isNow = m === step;
        const box = [x + 2, y, column - 4, bar];
        p.rect(...box, { fill: mix(theme.page, theme.text, 0.06), radius: 4 });
        const fill = mix(theme.page, theme.primary, 0.45);
        p.rect(box[0], y + (1 - share) * bar, box[2], share * bar, { fill, radius: 2 });
        if (isNow) p.rect(...box, { stroke: theme.text, width: 2, radius: 4 });
        const text = { ...small, fill: theme.text, align: "center", weight: isNow ? 700 : 400 };
        if (isNow) p.text(percent(share), x + column / 2, y + bar / 2, text);
        const named = { ...text, fill: isNow ? theme.text : theme.soft };
        p.text(grouped(h.steps[m]), x + column / 2, y + bar + 12 * unit, named);
      });
    }

    const [soft, hard] = [0, 1].map((way) => rightOf(arrays, way)[step]);
    return {
      things,
      size: [width, height],
      at(x, y) {
        const found = things.findIndex(
          ({ way, i, isDraw }) =>
            (isDraw && Math.abs(y - top(1) - 11 * unit) < 14 * unit && Math.abs(left(1) + wide - x) < again.w) ||
            (Math.abs(center(way, i) - x) < slot / 2 && y > cardTop(way) - 4 && y < cardEnd(way) + 4 * unit),
        );
        return found < 0 ? null : found;
      },
      paint(p, place = null) {
        [0, 1].forEach((way) => {
          const title = { font: theme.font, size: 16 * unit, weight: 700, fill: theme.text };
          p.text(labels(way ? "title.hard" : "title.soft"), left(way), top(way) + 10 * unit, title);
          const note = { ...small, fill: theme.text, weight: 700, align: "right" };
          if (way) paintDraw(p, things[place]?.isDraw);
          else p.text(labels("asked", { letter }), left(way) + wide, top(way) + 10 * unit, note);
          paintReading(p, way);
          paintCards(p, way, place);
          paintAnswer(p, way);
          if (isNarrow) return;
          paintNote(p, way);
          paintGrowth(p, way);
        });
      },
      across: n,
      choose: ({ i, isDraw }) => set(isDraw ? { ...state, draw: (state.draw + 1) % nDraw } : { ...state, asked: i }),
      said({ way, i, name, isDraw }) {
        if (isDraw) return [labels("draw_n", { n: state.draw + 1, all: nDraw })];
        const { weights, times } = readings[way];
        const told = { card: name, share: percent(weights[i]), n: times[i], all: nDraw };
        return [labels(way ? "said.hard" : "said.soft", told)];
      },
      hint: labels("hint"),
      held: [step, state.asked, state.draw],
      sentence: labels.parts(soft - hard > AHEAD ? "sentence.ahead" : "sentence.plain", {
        step: grouped(h.steps[step]),
        soft: el("b", { class: "gf-key-number", text: percent(soft) }),
        hard: el("b", { class: "gf-key-number", text: percent(hard) }),
      }),
      hold([at, asked, draw]) {
        go(at);
        if (asked < n && draw < nDraw) set({ asked, draw });
      },
      label: h.takeaway,
      columns: [labels("card"), labels("weight.soft"), labels("weight.hard"), labels("times_drawn")],
      rows: h.cards.map((name, i) => [name, readings[0].weights[i], readings[1].weights[i], readings[1].times[i]]),
    };
  },
  {
    state: (h, old) => (old && old.asked < h.cards.length ? old : { asked: h.asked, draw: h.draw }),
    steps: ({ steps }) => steps.map((one) => labels("step", { step: grouped(one) })),
    player: {
      what: labels("training_step"),
      unit: labels("moment"),
      perSecond: 1,
      start: (h, previous, at) => (previous?.steps?.length === h.steps.length ? at : h.opening),
    },
  },
);
