// One-hot times table: all rows of the table fade but one, and a copy of it slides out. Any token can be looked up.
import { scale } from "../drawing/color.js";
import { clamp, el, measure } from "../drawing/elements.js";
import { visible } from "../drawing/tokens.js";
import { picture } from "../scene/scene.js";
import { labels } from "./labels.js";

const [FADE, SLIDE] = [700, 900]; // ms
const STYLE = `
.cr-tokens { display: flex; flex-wrap: wrap; gap: 4px; margin: 0.2rem 0 0.6rem; }
.gf .cr-tokens button { font-family: var(--st-code-font); padding: 4px 6px; min-height: 27px; }
.gf .cr-tokens button[aria-pressed="true"] { outline: 2px solid var(--gf-accent); }
.gf-stage { cursor: default; }
`;

export default picture(
  ({ tokens, entries, rows, at, limit }, { table }, { shell, theme, width, state, set }) => {
    const { data } = table;
    const [n, d] = table.shape;
    const chosen = rows[at];
    const name = visible(tokens[at]);
    const sentence = labels("copied", { token: name, row: visible(entries[chosen]) });
    const colors = scale("signed", -limit, limit, theme.mode);
    const size = Math.round(12 * theme.unit);
    const widest = Math.max(...entries.map((one) => measure(visible(one), size, theme.code)));
    const names = Math.ceil(Math.min(width * 0.27, widest)) + 8;
    const left = names + Math.ceil(measure("× 1", size, theme.code)) + 12;
    const gap = width < 560 ? 10 : 34;
    const line = size + 6;
    const cell = Math.min(24, (width - left - gap - 4) / (2 * d));
    const out = left + cell * d + gap;
    const top = 2 * line;

    /** From the whole table to the one row beside it; who wants no motion sees the end at once. */
    function play() {
      cancelAnimationFrame(state.frame);
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
      const began = performance.now();
      const tick = (now) => {
        const done = clamp((now - began) / (FADE + SLIDE), 0, 1);
        const frame = done < 1 && shell.root.isConnected ? requestAnimationFrame(tick) : 0;
        set({ ...state, done, frame });
      };
      set({ ...state, done: 0, frame: requestAnimationFrame(tick) });
    }

    function paint(p) {
      const fade = clamp((state.done * (FADE + SLIDE)) / FADE, 0, 1);
      const slide = clamp((state.done * (FADE + SLIDE) - FADE) / SLIDE, 0, 1);
      const text = { fill: theme.soft, size, font: theme.font };
      const code = { ...text, font: theme.code };
      const cells = (r, x, y) => {
        for (let c = 0; c < d; c++) {
          p.rect(x + c * cell, y, cell + 0.4, line - 2, { fill: colors.css(data[r * d + c]) });
        }
      };
      const frame = (x, y) => p.rect(x - 1, y - 1, cell * d + 2, line, { stroke: theme.accent, width: 2 });
      p.text(labels("one_hot"), left - 12, 8, { ...text, align: "right" });
      p.text(labels("table"), left, 8, text);
      p.text(labels("vector"), out, 8, text);
      // What is multiplied by 0 is covered by the page, ever more.
      const veil =
        theme.page +
        Math.round(255 * 0.9 * fade)
          .toString(16)
          .padStart(2, "0");
      for (let r = 0; r < n; r++) {
        const y = top + r * line;
        const middle = y + line / 2 - 1;
        const is = r === chosen;
        const [ink, weight] = is ? [theme.text, 600] : [theme.soft, 400];
        p.text(visible(entries[r]), names - 6, middle, { ...code, align: "right", fill: ink, weight });
        const times = { ...code, fill: is ? theme.accent : theme.soft, weight: is ? 700 : 400 };
        p.text(is ? "× 1" : "× 0", names, middle, times);
        cells(r, left, y);
        if (!is) p.rect(left - 1, y - 1, cell * d + 2, line, { fill: veil });
      }
      const y = top + chosen * line;
      frame(left, y);
      p.rect(out - 0.5, y - 0.5, cell * d + 1, line - 1, { stroke: theme.line, dash: [3, 3] });
      if (slide > 0) {
        const x = left + (out - left) * slide * slide * (3 - 2 * slide);
        cells(chosen, x, y);
        frame(x, y);
      }
      if (slide === 1) p.text(name, out, y - size / 2 - 4, { ...code, fill: theme.text, weight: 600 });
    }

    return {
      things: tokens,
      size: [width, top + n * line + 6],
      paint,
      label: sentence,
      idle: [sentence],
      chosen: at,
      follows: true,
      choose(_, i) {
        shell.commit("pick", i);
        play();
      },
      first: [state.picker],
      controls: [{ text: `▶ ${labels("play")}`, act: play }],
      legends: [[colors, labels("number"), { digits: 1 }]],
      columns: [labels("row"), labels("one_hot"), ...Array.from({ length: d }, (_, c) => String(c))],
      rows: entries.map((one, r) => [visible(one), r === chosen ? 1 : 0, ...data.slice(r * d, (r + 1) * d)]),
    };
  },
  {
    style: STYLE,
    state({ tokens }, old) {
      cancelAnimationFrame(old?.frame ?? 0);
      const picker = { class: "cr-tokens", role: "group", "aria-label": labels("picker"), "data-chooses": true };
      const button = (token, i) => el("button", { translate: "no", text: visible(token), "data-i": i });
      return { done: 1, frame: 0, picker: el("div", picker, ...tokens.map(button)) };
    },
  },
);
