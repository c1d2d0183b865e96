// A caption: its words are buttons, and for the word under the pointer the picture shows which patches it was read
// from, beside it what else the word could have been, below it the same for every head. Nothing asks the server.
import { clamp, el } from "../drawing/elements.js";
import { inText } from "../drawing/tokens.js";
import { PictureGrid } from "../pictures/picture_grid.js";
import { picture } from "../scene/scene.js";
import { printed } from "../shared/gap_set.js";
import { laid, mapOf, patchSentence, spoken, told } from "./caption_math.js";
import { labels } from "./labels.js";

const STYLE = `
.gf-caption { display: flex; flex-wrap: wrap; gap: 5px 4px; padding: 2px; margin-bottom: 0.6rem; }
.gf .gf-caption button { max-width: 100%; overflow: hidden; text-overflow: ellipsis; white-space: pre; font-family: var(--st-code-font); font-size: 1rem; min-height: 34px; padding: 3px 9px; background: var(--gf-panel); border: 1px solid var(--gf-line); }
.gf .gf-caption button:hover { background: var(--gf-wash); }
.gf .gf-caption:not(:has(.on)) button[aria-pressed="true"], .gf .gf-caption button.on { background: var(--gf-accent); border-color: var(--gf-accent); color: var(--gf-on-accent); font-weight: 600; }
.gf .gf-caption button.second { border-bottom: 3px double var(--gf-truth); }
.gf-caption .cut { align-self: center; color: var(--gf-soft); font-size: 0.75rem; padding: 0 3px; }
.gf-words .bar { display: grid; grid-template-columns: 5.4rem minmax(0, 1fr) 3.4rem; gap: 0.4rem; align-items: center; font-family: var(--st-code-font); font-size: 0.8125rem; line-height: 1.7; }
.gf-words .bar div { height: 13px; }
.gf-words .bar span:first-child { overflow: hidden; text-overflow: ellipsis; white-space: pre; }
.gf-words .bar i { display: block; height: 100%; min-width: 1px; border-radius: 3px; background: var(--gf-fill); }
.gf-words .bar span:last-child { text-align: right; font-variant-numeric: tabular-nums; }
.gf-words .on span:first-child { font-weight: 700; color: var(--gf-accent); }
.gf-words h4, .gf-each summary { margin: 0 0 0.35rem; font-size: 0.8125rem; font-weight: 600; overflow-wrap: anywhere; }
@container (min-width: 600px) { .gf-split.even { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); } }
.gf-each { margin-top: 0.8rem; }
.gf-each summary { cursor: pointer; }
`;
const MAP = { low: 0, kind: "probability", weight_title: labels("weight"), lines: true, ink: true };

/** What stands below the words: two grids of pictures, which have places of their own, and the bars beside them. */
function parts() {
  const [big, small] = [new PictureGrid(), new PictureGrid()];
  const bars = el("div", { class: "gf-panel gf-words" });
  const readout = el("div", { class: "gf-readout" });
  const whole = el("details", { class: "gf-each" }, el("summary", { text: labels("every_head") }), small.node);
  const sentence = el("p", { class: "gf-sentence" });
  const left = el("div", {}, big.node, sentence, readout);
  const right = el("div", {}, bars, whole);
  return {
    big,
    small,
    bars,
    sentence,
    readout,
    whole,
    left,
    right,
    split: el("div", { class: "gf-split even" }, left, right),
  };
}

export default picture(
  (h, { maps, pixels, chances }, { shell, theme, state, set }) => {
    const { head, kept } = state;
    const { big, small } = kept;
    const [words, top] = [h.words.map(inText), h.top.map((row) => row.map(inText))];
    const held = Math.min(state.held, words.length - 1);
    const n = h.heads.length;
    const size = pixels.shape[1] * pixels.shape[2];
    const nPatch = h.grid[0] * h.grid[1];
    const isPair = h.names.length > 1;
    const sentence = (t) => told({ ...h, words, top }, chances.data, mapOf(maps, head, t), t, head);

    function bar(word, k, t) {
      const p = chances.data[t * top[t].length + k];
      return el(
        "div",
        { class: word === words[t] ? "bar on" : "bar" },
        el("span", { translate: "no", text: word, title: word }),
        el("div", {}, el("i", { style: `width: ${100 * p}%` })),
        el("span", { text: printed(p) }),
      );
    }

    /** What word t was read from. */
    function show(t) {
      const common = { ...MAP, high: h.high[head ? 1 : 0], grid: h.grid, full: h.full, lines: nPatch > 1 };
      big.set(
        {
          ...common,
          titles: isPair ? h.names : null,
          columns: h.names.length,
          first: 1,
          says: nPatch > 1,
          size: isPair ? 176 : shell.width < 480 ? 240 : clamp(shell.tall - 330 * theme.unit, 240, 330),
          pick: null,
          takeaway: `${sentence(t)} ${labels("keys")}`,
        },
        { pixels, weights: { data: laid(mapOf(maps, head, t), h.names.length, h.reads[t]) } },
      );
      const read = pixels.data.subarray(h.reads[t] * size, (h.reads[t] + 1) * size);
      const copies = new Uint8Array(n * size);
      const all = new Float32Array(n * nPatch);
      for (let i = 0; i < n; i++) {
        copies.set(read, i * size);
        all.set(mapOf(maps, i, t), i * nPatch);
      }
      small.set(
        {
          ...common,
          titles: h.heads,
          columns: 5,
          size: 72,
          pick: "picture",
          takeaway: labels("head_keys", { word: words[t] }),
        },
        { pixels: { data: copies, shape: [n, ...pixels.shape.slice(1)] }, weights: { data: all } },
      );
      small.chosen = head;
      kept.whole.hidden = nPatch === 1;
      big.draw(theme, kept.left.clientWidth || shell.width);
      if (nPatch > 1) small.draw(theme, kept.right.clientWidth || shell.width);
      kept.bars.replaceChildren(
        el("h4", { text: t ? labels("after", { text: spoken(words, t) }) : labels("at_start") }),
        ...top[t].map((word, k) => bar(word, k, t)),
      );
      kept.sentence.hidden = isPair || nPatch === 1;
      kept.sentence.replaceChildren(...patchSentence({ ...h, words }, mapOf(maps, head, t), t, head));
      const idle = kept.sentence.hidden ? [sentence(t)] : [];
      kept.readout.replaceChildren(...idle);
      for (const grid of [big, small]) {
        grid.handlers.hover = (at, byKeyboard) => {
          kept.readout.replaceChildren(...(at ? grid.told(at) : idle));
          if (at && byKeyboard) shell.say(grid.say(at));
        };
      }
    }
    small.handlers.choose = ({ picture: i }) => {
      set({ ...state, head: i });
      shell.say(sentence(held));
    };

    show(held);
    const turn = h.reads.indexOf(1);
    const changed = el("span", { class: "cut", text: `┃ ${labels("changed")}` });
    return {
      things: words,
      layout: "gf-caption",
      draw(text, i) {
        const label = h.names.length > 1 ? labels("word_reads", { word: text, picture: h.names[h.reads[i]] }) : text;
        return el("button", { class: h.reads[i] ? "second" : null, translate: "no", text, "aria-label": label });
      },
      arrange: (buttons) => (turn > 0 ? [...buttons.slice(0, turn), changed, ...buttons.slice(turn)] : buttons),
      mark: (_, place) => show(place ?? held),
      chosen: held,
      follows: true,
      choose: (_, i) => set({ ...state, held: i }),
      reset() {
        if (held === h.start) return false;
        set({ ...state, held: h.start });
        return true;
      },
      spoken: sentence(held),
      label: h.takeaway,
      note: sentence(held),
      below: [kept.split],
      legends: isPair ? [[big.scale(), MAP.weight_title]] : [],
      held: (head !== h.head || held !== h.start) && [head, held],
      hold: ([i, word = h.start]) => i < n && word < words.length && set({ ...state, head: i, held: word }),
      columns: [
        ...[labels("word"), labels("probability")],
        ...Array.from({ length: nPatch }, (_, i) =>
          labels("patch", { row: Math.floor(i / h.grid[1]) + 1, column: (i % h.grid[1]) + 1 }),
        ),
      ],
      row: (word, t) => [
        word,
        chances.data[t * top[t].length + Math.max(0, top[t].indexOf(word))],
        ...mapOf(maps, head, t),
      ],
    };
  },
  {
    style: STYLE,
    state(h, old, before) {
      const sizes = ({ words, names }) => [words?.length, names?.length];
      const isOther = !old || String(sizes(h)) !== String(sizes(before ?? {}));
      return {
        held: isOther || old.held >= h.words.length || old.held === before.start ? h.start : old.held,
        head: old && old.head < h.heads.length ? old.head : h.head,
        kept: old?.kept ?? parts(),
      };
    },
  },
);
