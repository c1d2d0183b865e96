// A translation as two rows of words. From each word that the decoder has written, lines go up to the words of the
// source that it looked back at, as wide as their weight. A film writes word by word; the newest line is marked.
import { mix } from "../drawing/color.js";
import { el, measure, percent } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { boxRow, paintLink, paintWord } from "../shared/linked_words.js";
import { labels } from "./labels.js";

const LEAST = 0.05; // weights below have no line

export default picture(
  (h, { weights }, { theme, width: room, step, state: held, set, shell }) => {
    const { unit } = theme;
    const isNarrow = room < 480 * unit;
    const width = Math.min(room, 1000 * unit);
    const [nRead, nWritten] = [h.read.length, h.written.length];
    const font = theme.code;
    const longest = Math.max(h.read.join("").length + 3 * nRead, h.written.join("").length + 3 * nWritten);
    const size = isNarrow ? 15 * unit : Math.max(9, Math.min(19 * unit, (width - 24) / longest / 0.6));
    const small = { size: 14 * unit, font: theme.font };
    const band = 2.2 * size + 44 * unit; // of a row with its title
    const gap = (shell.tall < 560 ? 100 : 132) * unit; // between the rows, for the lines
    const line = 32 * unit; // from word to word in a narrow picture
    const column = (width - 84 * unit) / 2;
    const row = (words, y) => boxRow(words, { x: 12, y, width: width - 24, size, font, gap: 7 * unit });
    const down = (words, x) =>
      words.map((_, i) => ({ x, y: (40 + i * 32) * unit, w: column, h: line - 6 * unit, line: 0 }));
    const upper = isNarrow ? down(h.read, column / 2 + 1) : row(h.read, band - 1.1 * size - 10 * unit);
    const lower = isNarrow
      ? down(h.written, width - column / 2 - 1)
      : row(h.written, band + gap + 1.1 * size + 10 * unit);
    const height = isNarrow ? (30 + 32 * Math.max(nRead, nWritten)) * unit : 2 * band + gap;

    const weight = (t, s) => weights.data[t * nRead + s];
    const strongest = (t) => h.read.reduce((best, _, s) => (weight(t, s) > weight(t, best) ? s : best), 0);
    const isDone = step === nWritten - 1;
    // Where all is written, the word that came from farthest away is marked.
    const far = h.written.reduce((best, _, t) => (away(t) > away(best) ? t : best), 0);
    const now = held !== null && held <= step ? held : isDone ? far : step;
    const looks = wordStyles();

    function away(t) {
      return Math.abs(strongest(t) / nRead - t / nWritten);
    }

    function wordStyles() {
      const stroke = mix(theme.page, theme.primary, 0.45);
      return {
        plain: { ink: theme.text, fill: theme.page, stroke },
        read: { ink: theme.accent, fill: theme.page, stroke: theme.accent, width: 2.5, weight: 700 },
        written: { ink: theme.onAccent, fill: theme.accent, weight: 700 },
        open: { ink: theme.page, stroke: theme.line, dash: [4, 4] },
      };
    }

    /** The lines of one written word. */
    function paintLines(p, t, color) {
      h.read.forEach((_, s) => {
        const share = weight(t, s);
        if (share < LEAST) return;
        paintLink(p, lower[t], upper[s], { color, width: Math.max(1, 9 * share * unit), isAcross: isNarrow });
      });
    }

    function paintMarked(p, t) {
      const s = strongest(t);
      paintLines(p, t, theme.accent);
      paintWord(p, h.read[s], upper[s], { size, font, ...looks.read });
      paintWord(p, h.written[t], lower[t], { size, font, ...looks.written });
      const text = percent(weight(t, s));
      const [x, y] = [(upper[s].x + lower[t].x) / 2, (upper[s].y + lower[t].y) / 2];
      const big = { size: (isNarrow ? 18 : 24) * unit, font: theme.font, weight: 700, align: "center" };
      const wide = 1.12 * measure(text, big.size, big.font) + 8;
      p.rect(x - wide / 2, y - 0.6 * big.size, wide, 1.2 * big.size, { fill: theme.page, radius: 8 });
      p.text(text, x, y + 1, { ...big, fill: theme.accent });
    }

    function paintTitles(p) {
      const bold = { ...small, weight: 700, fill: theme.primary };
      if (isNarrow) {
        p.text(labels("english"), 2, 10 * unit, bold);
        p.text(labels("tamari"), width - 2, 10 * unit, { ...bold, align: "right" });
        return;
      }
      const look = { fill: mix(theme.page, theme.primary, 0.07), radius: 10 };
      p.rect(0, 0, width, band, look);
      p.rect(0, band + gap, width, band, look);
      const x = 14 + 70 * unit;
      p.text(labels("encoder"), 14, 16 * unit, bold);
      p.text(labels("reads_at_once"), x, 16 * unit, { ...small, fill: theme.soft });
      p.text(labels("decoder"), 14, height - 15 * unit, bold);
      p.text(labels("writes_words"), x, height - 15 * unit, { ...small, fill: theme.soft });
    }

    const word = (text) => el("code", { translate: "no", text });
    const told = (t) => ({
      ...{ written: word(h.written[t]), read: word(h.read[strongest(t)]) },
      share: percent(weight(t, strongest(t))),
    });
    return {
      things: h.written,
      size: [width, height],
      at(x, y) {
        const isOn = (one) => Math.abs(one.x - x) <= one.w / 2 + 4 && Math.abs(one.y - y) <= one.h / 2;
        const found = lower.findIndex(isOn);
        return found >= 0 && found <= step ? found : null;
      },
      paint(p, place) {
        const marked = place !== null && place !== undefined && place <= step ? place : now;
        paintTitles(p);
        for (let t = 0; t <= step; t++) if (t !== marked) paintLines(p, t, mix(theme.page, theme.primary, 0.38));
        h.read.forEach((text, s) => paintWord(p, text, upper[s], { size, font, ...looks.plain }));
        h.written.forEach((text, t) =>
          paintWord(p, t > step ? "" : text, lower[t], { size, font, ...(t > step ? looks.open : looks.plain) }),
        );
        paintMarked(p, marked);
      },
      said: (_, t) => labels.parts("looks_back", told(t)),
      idle: [el("span", { class: "gf-hint", text: labels("point_at_written") })],
      chosen: now,
      choose: (_, t) => t <= step && set(t === held ? null : t),
      reset() {
        if (held === null) return false;
        set(null);
        return true;
      },
      keys: { ArrowLeft: null, ArrowRight: null },
      held: held !== null && [held],
      hold: ([t]) => t < nWritten && set(t),
      spoken: labels("spoken_back", { ...told(now), written: h.written[now], read: h.read[strongest(now)] }),
      sentence: labels.parts("sentence", told(now)),
      columns: [labels("writes"), ...h.read],
      rows: h.written.map((text, t) => [text, ...h.read.map((_, s) => weight(t, s))]),
    };
  },
  {
    state: (h, old, before) => (String(h.written) === String(before?.written) ? old : null),
    steps: ({ written }) => written.map((text, i) => labels("step", { n: i + 1, all: written.length, token: text })),
    player: { what: labels("output_token"), back: labels("one_back"), on: labels("one_on"), perSecond: 1 },
  },
);
