// Words of some kinds on a map, before and after training. Beside it the numbers of the word that is pointed at or
// chosen, and the words whose numbers are most similar.
import { mix, scale } from "../drawing/color.js";
import { el, format, measure } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { animateFromBefore } from "../shared/motion.js";
import { spreadWords } from "../shared/spread_words.js";
import { labels } from "./labels.js";

const STYLE = `
.gf-alike { display: grid; grid-template-columns: 14.5rem minmax(0, 1fr); gap: 0.25rem 0.75rem; align-items: start; font-size: 0.875rem; }
.gf-alike .map { position: relative; }
.gf-alike .map > button, .gf-alike .map > span { position: absolute; left: 0; top: 0; line-height: 1; white-space: nowrap; }
.gf-alike .map > button { min-width: 0; min-height: 0; padding: 0; border: 2px solid transparent; border-radius: 7px; background-clip: padding-box; font-size: var(--size); font-weight: 600; color: var(--st-text-color); background: var(--tint) padding-box; }
.gf-alike .map > button:is(.on, [aria-pressed="true"]) { border-color: var(--gf-accent); background: var(--tint) padding-box; color: var(--gf-accent); }
.gf-alike .map > span { color: var(--st-primary-color); font-weight: 700; font-size: calc(var(--size) + 1px); display: grid; place-items: center; }
.gf-alike .word b { font: 700 1.5rem/1 var(--st-code-font); color: var(--gf-accent); margin-right: 0.5rem; }
.gf-alike .word { color: var(--gf-soft); line-height: 1.2; }
.gf-alike .numbers { display: grid; grid-template-columns: repeat(24, 1fr); gap: 1px; margin: 0.4rem 0 0.7rem; }
.gf-alike .numbers i { aspect-ratio: 1; border-radius: 1px; }
.gf-alike h4 { margin: 0; font-size: 0.9375rem; line-height: 1.3; }
.gf-alike small { color: var(--gf-soft); font-size: 0.8125rem; }
.gf-alike .near { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; align-items: center; gap: 0 0.5rem; line-height: 1.45; margin: 0.2rem 0 0.6rem; }
.gf-alike .near > span { font-family: var(--st-code-font); }
.gf-alike .near > i { height: 8px; border-radius: 3px; background: var(--gf-soft); opacity: 0.45; }
.gf-alike .near > .kin + i { background: var(--st-primary-color); opacity: 1; }
.gf-alike .near > .kin { font-weight: 600; }
.gf-alike .share { line-height: 1.3; }
.gf-alike .share b { display: block; }
.gf-alike .told { grid-row: span 2; align-self: stretch; padding-right: 1rem; border-right: 1px solid var(--gf-line); }
.gf-alike .foot { justify-self: end; }
@container (max-width: 560px) {
  .gf-alike { grid-template-columns: minmax(0, 1fr); font-size: 0.8125rem; }
  .gf-alike .told { border: 0; padding: 0; }
  .gf-alike .numbers { grid-template-columns: repeat(48, 1fr); margin-bottom: 0.3rem; }
  .gf-alike .told small { float: left; margin-right: 0.5rem; }
  .gf-alike .near { display: flex; flex-wrap: wrap; height: 1.45em; overflow: hidden; margin: 0; }
  .gf-alike .near > :is(i, b), .gf-alike :is(.share, h4) { display: none; }
}
`;
const TINTS = [0, 2, 4, 3, 6, 5, 7]; // of the theme's categories, for the kinds; the second is too near the accent

export default picture(
  (h, { points, levels, nearest, cosines }, { theme, width, shell, state: chosen, set }) => {
    const { unit } = theme;
    const isNarrow = width <= 560;
    const size = (isNarrow || shell.tall < 560 ? 13 : 14) * unit;
    const map = {
      width: isNarrow ? width : width - 246 * unit,
      height: (isNarrow ? 318 : Math.max(290, Math.min(400, shell.tall - 235))) * unit,
    };
    const [nNumber, nNear] = [levels.shape[1], nearest.shape[1]];
    const colors = scale("signed", 0, 255, theme.mode);
    const kindOf = new Map(h.words.map((word, i) => [word, h.kind_of[i]]));
    const lineHigh = 24 * unit; // for a finger; the colored part is less high
    const box = (text, group, x, y) => ({
      group,
      x,
      y,
      w: measure(text, size, theme.font) * 1.06 + 11 * unit,
      h: lineHigh,
    });
    const room = { ...map, gap: 0, groupGap: (isNarrow ? 7 : 12) * unit };
    const high = map.height - lineHigh; // the first line is for the kinds' names
    const words = h.words.map((text, i) =>
      box(text, h.kind_of[i], 12 + points.data[2 * i] * (map.width - 12), points.data[2 * i + 1] * high),
    );
    const apart = spreadWords(words, { ...room, height: high }).map(({ x, y }) => ({ x, y: y + lineHigh }));
    const boxes = [
      ...words.map((one, i) => ({ ...one, ...apart[i] })),
      ...(h.trained ? h.kinds.map((text, kind) => box(text, kind, ...above(kind))) : []),
    ];
    const spots = spreadWords(boxes, { ...room, groupGap: 0 });

    /** Over the middle of a kind's words. */
    function above(kind) {
      const some = apart.filter((_, i) => h.kind_of[i] === kind);
      const middle = some.reduce((sum, { x }) => sum + x / some.length, 0);
      return [middle, Math.min(...some.map(({ y }) => y)) - lineHigh];
    }

    const place = (node, i) => {
      const { w, h: high } = boxes[i];
      Object.assign(node.style, { width: `${w}px`, height: `${high}px` });
      node.style.transform = `translate(${spots[i].x - w / 2}px, ${spots[i].y - high / 2}px)`;
      return node;
    };
    const neighbors = (i) =>
      Array.from({ length: nNear }, (_, k) => ({
        name: h.names[nearest.data[i * nNear + k]],
        cosine: cosines.data[i * nNear + k],
      }));

    const said = (i) =>
      labels("word_said", {
        word: h.words[i],
        kind: h.kinds[h.kind_of[i]],
        near: neighbors(i)
          .map(({ name }) => name)
          .join(", "),
      });

    /** The numbers of a word, and the words that are most similar. */
    const told = (i) => {
      const cells = Array.from({ length: nNumber }, (_, k) => {
        const cell = el("i");
        cell.style.background = colors.css(levels.data[i * nNumber + k]);
        return cell;
      });
      const near = neighbors(i).flatMap(({ name, cosine }) => {
        const bar = el("i");
        bar.style.width = `${100 * Math.max(0, cosine)}%`;
        const isKin = kindOf.get(name) === h.kind_of[i];
        return [
          el("span", { class: isKin ? "kin" : "", translate: "no", text: name }),
          bar,
          el("b", { text: format(cosine, 2) }),
        ];
      });
      return [
        el(
          "div",
          { class: "word" },
          el("b", { translate: "no", text: h.words[i] }),
          labels("is_a_list", { n: nNumber }),
        ),
        el("div", { class: "numbers" }, ...cells),
        el("h4", { text: labels("most_similar") }),
        el("small", { text: labels(isNarrow ? "most_similar.short" : "cosine_scale") }),
        el("div", { class: "near" }, ...near),
        el(
          "div",
          { class: "share" },
          el("b", { class: "gf-key-number", text: labels("n_same", { n: h.n_same, all: h.words.length }) }),
          labels(h.trained ? "n_same.after" : "n_same.before", { n: h.n_before }),
        ),
      ];
    };

    return {
      things: h.words,
      layout: "gf-alike",
      draw(text, i) {
        const button = place(el("button", { translate: "no", text, "aria-label": said(i) }), i);
        const tint = theme.categorical[TINTS[h.kind_of[i] % TINTS.length]];
        button.style.setProperty("--tint", mix(theme.page, tint, 0.2));
        return button;
      },
      arrange(buttons) {
        const over = boxes
          .slice(words.length)
          .map(({ group }, i) => place(el("span", { text: h.kinds[group] }), words.length + i));
        const stage = el("div", { class: "map" }, ...buttons, ...over);
        Object.assign(stage.style, { height: `${map.height}px` });
        return [
          el("div", { class: "told" }),
          stage,
          el("small", { class: "foot", text: labels(isNarrow ? "map_note.short" : "map_note") }),
        ];
      },
      after(node) {
        node.style.setProperty("--size", `${size}px`);
        animateFromBefore(node, "button", "transform");
      },
      mark: (node, i) => node.querySelector(".told").replaceChildren(...told(i ?? chosen)),
      chosen,
      choose: (_, i) => set(i),
      held: chosen !== h.first && [chosen],
      hold: ([i]) => i < h.words.length && set(i),
      sentence: [labels(h.trained ? "sentence.trained" : "sentence.untrained")],
      spoken: said(chosen),
      label: labels(h.trained ? "map.trained" : "map.untrained"),
      columns: [
        labels("word"),
        labels("kind"),
        ...Array.from({ length: nNear }, (_, k) => labels("similar", { n: k + 1 })),
      ],
      row: (word, i) => [
        word,
        h.kinds[h.kind_of[i]],
        ...neighbors(i).map(({ name, cosine }) => `${name} ${format(cosine, 2)}`),
      ],
    };
  },
  { style: STYLE, state: (h, chosen = h.first) => chosen },
);
