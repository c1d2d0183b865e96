// A sequence of letters, and under each letter how often the first one can still be read from the state of a recurrent
// net; attention looks back from the question. A film: the letters arrive one by one.
import { mix } from "../drawing/color.js";
import { clamp, measure, percent } from "../drawing/elements.js";
import { wrapped } from "../pictures/pictures_math.js";
import { picture } from "../scene/scene.js";
import { paintArc } from "../shared/linked_words.js";
import { onTheWay } from "../shared/progress.js";
import { labels } from "./labels.js";

const RECURRENT = ["rnn", "lstm", "gru"]; // the rows of the shares
const ARC = 26; // css pixels: how high attention's arc rises

export default picture(
  (h, { shares, weights }, { theme, width: room, step, shell }) => {
    const { unit } = theme;
    const isNarrow = room < 560 * unit;
    const isLow = shell.tall < 560;
    const width = Math.min(room, 1000 * unit);
    const n = h.text.length; // with the question mark
    const now = onTheWay(shell, step);
    const isOver = now === n - 1;
    const small = { size: 13 * unit, font: theme.font };
    const [start, aside] = isNarrow ? [0, 0] : [148 * unit, 146 * unit]; // for the names, for the answers
    const pitch = (width - start - aside - 4) / n;
    const letters = { font: theme.code, size: Math.min(15 * unit, pitch * 1.3) };
    const x = (i) => start + (i + 0.5) * pitch;
    const box = Math.min(pitch - (pitch < 12 ? 1 : 3), 22 * unit); // its width
    const high = (isNarrow ? 40 : isLow ? 46 : 58) * unit; // of a recurrent net's boxes
    const low = 18 * unit; // of attention's
    const nets = h.nets.filter(({ key }) => key === "rnn" || key === "attention" || key === h.gates);
    const head = (isNarrow ? 46 : 24) * unit; // above the boxes of a net
    const foot = (isNarrow ? 6 : 12) * unit;
    const last = (isNarrow ? 24 : 54) * unit; // attention's boxes, and the note beside them
    const top = (isNarrow ? 26 : 36) * unit;
    const tops = [];
    let y = top + (isNarrow ? 0 : 14 * unit);
    for (const { key } of nets) {
      tops.push(y + head + (key === "attention" ? ARC * unit : 0));
      y = tops.at(-1) + (key === "attention" ? last : high + foot) + (key === "rnn" && h.lost.rnn ? 20 * unit : 0);
    }
    const share = (key, i) => (key === "attention" ? weights.data[i] : shares.data[RECURRENT.indexOf(key) * n + i]);
    const things = nets.flatMap(({ key }, m) => Array.from({ length: n }, (_, i) => ({ key, m, i })));

    function paintLetters(p) {
      if (!isNarrow) {
        p.text(labels("reads", { n: n - 1 }), 0, 10 * unit, { ...small, size: 14 * unit, fill: theme.text });
        const which = { ...small, size: 14 * unit, weight: 700, fill: theme.accent };
        p.text(labels("which"), 0, 29 * unit, which);
        const right = { ...small, fill: theme.soft, align: "right" };
        p.text(labels("right", { n: h.n_held }), width - 2, 18 * unit, right);
        p.text(labels("answer"), width - aside + 10 * unit, 18 * unit, { ...right, align: "left" });
      }
      [...h.text].forEach((letter, i) => {
        if (i > step) return;
        const isEnd = i === 0 || i === n - 1;
        const radius = Math.min(13 * unit, Math.max(7 * unit, 0.62 * pitch));
        const at = { x: x(i), y: (isNarrow ? 12 : 18) * unit };
        if (!i) p.rect(at.x - radius, at.y - radius, 2 * radius, 2 * radius, { fill: theme.accent, radius });
        const fill = !i ? theme.onAccent : isEnd ? theme.accent : theme.soft;
        p.text(letter, at.x, at.y + 0.5, { ...letters, weight: isEnd ? 700 : 400, fill, align: "center" });
      });
    }

    function paintNet(p, { key }, m) {
      const [t, isAttention] = [tops[m], key === "attention"];
      const tall = isAttention ? low : high;
      const title = { size: (isNarrow ? 15 : 18) * unit, font: theme.font, weight: 700, fill: theme.text };
      p.text(
        labels(`title.${key}`),
        0,
        isNarrow ? t - 30 * unit - (isAttention ? ARC * unit : 0) : t + 9 * unit,
        title,
      );
      if (!isNarrow) {
        const lines = wrapped(
          labels(`note.${key}`),
          start - 16 * unit,
          (text) => measure(text, small.size, small.font),
          2,
        );
        lines.forEach((text, i) => p.text(text, 0, t + (29 + 17 * i) * unit, { ...small, fill: theme.soft }));
      }
      for (let i = 0; i < n; i++) {
        const left = x(i) - box / 2;
        p.rect(left, t, box, tall, { stroke: mix(theme.page, theme.primary, i > step ? 0.15 : 0.4), radius: 3 });
        if (i > step || (isAttention && !isOver)) continue;
        const filled = share(key, i) * tall * clamp(now - i + 1, 0, 1);
        const color = !isAttention && share(key, i) < h.hardly ? mix(theme.page, theme.text, 0.35) : theme.primary;
        if (filled > 0.5) p.rect(left, t + tall - filled, box, filled, { fill: color, radius: 3 });
        if (isAttention || i > (h.lost[key] ?? 0)) continue;
        const text = percent(share(key, i)).replace("%", "");
        const wide = measure(text, small.size, small.font);
        if (i && wide > pitch - 4) continue;
        p.text(text, Math.max(x(i), wide / 2 + 2), t - 9 * unit, {
          ...small,
          weight: 700,
          fill: theme.primary,
          align: "center",
        });
      }
      if (isAttention) paintLook(p, t);
      else paintChance(p, key, t);
      paintAnswer(p, key, t, tall);
    }

    /** The line of guessing, and after which letter the net does no better. */
    function paintChance(p, key, t) {
      const line = t + high * (1 - h.chance);
      p.segment(x(0) - box / 2, line, x(n - 1) + box / 2, line, { color: theme.soft, width: 1, dash: [3, 3] });
      if (key === "rnn" && !isNarrow) {
        const from = h.lost.rnn ? x(h.lost.rnn) + pitch : x(1) + 12 * unit;
        p.text(labels("readable"), from, t - 9 * unit, { ...small, fill: theme.primary });
      }
      const lost = h.lost[key];
      if (!lost || step < lost || key !== "rnn") return;
      const text = labels("lost", { n: lost });
      const at = Math.min(x(lost) - box / 2, width - aside - 1.1 * measure(text, small.size, small.font));
      p.text(text, at, t + high + 14 * unit, { ...small, weight: 700, fill: theme.text });
    }

    function paintLook(p, t) {
      if (!isOver) return;
      const best = weights.data.indexOf(Math.max(...weights.data));
      const place = (i) => ({ x: x(i), y: t + low / 2, w: box, h: low, line: 0 });
      paintArc(p, place(n - 1), place(best), { color: theme.primary, width: 2.5, lift: ARC * 1.2 * unit });
      const text = { ...small, weight: 700, fill: theme.primary, align: "center" };
      p.text(
        labels("jump", { share: percent(weights.data[best]) }),
        (x(0) + x(n - 1)) / 2,
        t - (ARC * 0.9 + 14) * unit,
        text,
      );
    }

    function paintAnswer(p, key, t, tall) {
      if (!isOver) return;
      const isRight = h.answers[key] === h.text[0];
      const fill = isRight ? theme.primary : theme.text;
      const size = (isNarrow ? 18 : 26) * unit;
      const y = isNarrow ? t - 30 * unit - (key === "attention" ? ARC * unit : 0) : t + Math.min(tall / 2, 22 * unit);
      const left = isNarrow ? width - 104 * unit : width - aside + 10 * unit;
      p.text(`${h.answers[key]} ${isRight ? "✓" : "✗"}`, left, y, { size, font: theme.code, weight: 700, fill });
      const text = { size: isNarrow ? size : 22 * unit, font: theme.font, weight: 700, fill, align: "right" };
      p.text(percent(h.right[key]), width - 2, y, text);
      if (key === "attention" || h.right[key] >= h.hardly || isNarrow) return;
      const guess = labels("guessing", { share: percent(h.chance) });
      p.text(guess, width - 2, y + 24 * unit, { ...small, fill: theme.soft, align: "right" });
    }

    return {
      things,
      across: n,
      size: [width, y],
      at(px, py) {
        const m = tops.findIndex((t, k) => py > t - 4 && py < t + (nets[k].key === "attention" ? low : high) + 4);
        const i = Math.floor((px - start) / pitch);
        return m < 0 || i < 0 || i >= n ? null : m * n + i;
      },
      paint(p) {
        paintLetters(p);
        nets.forEach((net, m) => paintNet(p, net, m));
      },
      mark(p, place) {
        const { key, m, i } = things[place];
        const tall = key === "attention" ? low : high;
        p.rect(x(i) - box / 2 - 1, tops[m] - 1, box + 2, tall + 2, { stroke: theme.accent, width: 2, radius: 4 });
      },
      said({ key, i }) {
        const values = {
          title: labels(`title.${key}`),
          n: i,
          letter: h.text[i],
          all: h.n_held,
          share: percent(share(key, i)),
        };
        return [labels(key === "attention" ? "looked" : i ? "box" : "box.first", values)];
      },
      hint: labels("point"),
      sentence: [h.sentence],
      columns: [labels("net"), ...h.text],
      rows: nets.map(({ key, name }) => [name, ...Array.from({ length: n }, (_, i) => share(key, i))]),
    };
  },
  {
    steps: ({ text }) =>
      [...text].map((_, i) => (i < text.length - 1 ? labels("letter", { n: i + 1 }) : labels("question"))),
    player: { perSecond: 6 },
  },
);
