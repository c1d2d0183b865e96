// Models as squares whose areas are their parameters, one in the corner of the other; a click zooms to any of them.
import { mix, readableOn } from "../drawing/color.js";
import { clamp, el, grouped, measure } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { MODEL_LIST } from "../shared/model_list.js";
import { treemap } from "../shared/treemap.js";
import { labels } from "./labels.js";
import { between, largestIn, named, sideOf } from "./to_scale_math.js";

const SECONDS = 0.9;
const FLIGHT = 7; // seconds from the smallest to the largest
const STYLE = `${MODEL_LIST}
.gf-stage { cursor: pointer; }
.gf-model .gf-mono { font-size: 0.75rem; color: var(--gf-soft); }
.gf-controls label { flex: 1; }
.gf-controls output { display: none; }
.gf-controls input[type="range"] { flex: 1; min-width: 90px; }
@container (min-width: 620px) { .gf-split { grid-template-columns: minmax(0, 62fr) minmax(0, 38fr); } }
`;

export default picture(
  ({ models, terms, selected, takeaway }, _, { shell, theme, width, state, set }) => {
    const { whole, chosen, list } = state;
    const counts = models.map((one) => one.count);
    const [low, high] = [counts[0], counts.at(-1)];
    const side = Math.round(
      shell.width < 620 ? Math.min(width, 300) : clamp(Math.min(width, shell.tall - 340 * theme.unit), 280, 480),
    );
    const color = (i) => theme.categorical[i % theme.categorical.length];
    const says = (i) => models[i].words;
    list.firstChild.childNodes.forEach((one, i) => (one.firstChild.style.background = color(i)));

    /** Fly from where it stands: `at(share)` gives what is then chosen, and the scale. */
    function fly(seconds, at) {
      cancelAnimationFrame(state.moving);
      const began = performance.now();
      const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const tick = (now) => {
        const share = isStill ? 1 : clamp((now - began) / (1000 * seconds), 0, 1);
        if (share < 1) state.moving = requestAnimationFrame(tick);
        set(Object.assign(state, at(share)));
      };
      tick(began);
    }
    function choose(i) {
      fly(SECONDS, (t) => ({ chosen: i, whole: between(whole, counts[i], t * t * (3 - 2 * t)) }));
      shell.say(says(i));
    }
    /** The largest that fits a scale is the chosen one. */
    const passing = (count) => ({ whole: count, chosen: largestIn(counts, count) });

    function paint(p) {
      const sides = counts.map((count) => sideOf(count, whole, side));
      const size = Math.round(12 * theme.unit);
      const room = named(sides, side, size + 8, 60);
      p.rect(0, 0, side, side, { fill: theme.panel });
      for (let i = models.length - 1; i >= 0; i--) {
        const s = Math.min(sides[i], side);
        const top = side - s;
        const fill = mix(theme.page, color(i), i === chosen ? 0.5 : 0.24);
        p.rect(0, top, s, s, { fill });
        if (i === chosen && s > 50) {
          const parts = treemap(
            models[i].parts.map((one) => one.count),
            { x: 0, y: top, w: s, h: s },
          );
          for (const r of parts) p.rect(r.x, r.y, r.w, r.h, { stroke: theme.page, width: 1 });
        }
        p.rect(0.75, top + 0.75, Math.max(0, s - 1.5), Math.max(0, s - 1.5), {
          stroke: i === chosen ? theme.accent : mix(theme.page, color(i), 0.85),
          width: i === chosen ? 2.5 : 1.5,
        });
        const name = models[i].name;
        if (room[i] && measure(name, size, theme.font) * 1.08 + 14 < s) {
          const w = measure(name, size, theme.font) * 1.08 + 6;
          if (i === chosen) p.rect(s - 4 - w, top + 5, w, size + 4, { fill });
          p.text(name, s - 7, top + size * 0.5 + 6, {
            fill: readableOn(fill),
            size,
            font: theme.font,
            align: "right",
            weight: i === chosen ? 600 : 400,
          });
        }
      }
      const mine = sides[0];
      if (mine < 14) {
        // too small to be found: an arrow to the corner
        const x = 0.3 * side;
        const y = 0.7 * side;
        p.segment(x, y, 8, side - 8, { color: theme.accent, width: 2 });
        p.line(
          [
            [18, side - 9],
            [8, side - 8],
            [9, side - 18],
          ],
          { color: theme.accent, width: 2 },
        );
        const text = mine < 1 ? labels("too_small", { model: models[0].name }) : models[0].name;
        const w = measure(text, size, theme.font) * 1.08 + 12;
        p.rect(x - 4, y - size - 6, w, size + 10, { fill: theme.page, stroke: theme.line, radius: 4 });
        p.text(text, x + 2, y - size / 2 - 1, { fill: theme.text, size, font: theme.font, weight: 600 });
      }
    }

    return {
      things: models,
      size: [side, side],
      at(x, y) {
        const i = counts.findIndex((count) => sideOf(count, whole, side) >= Math.max(x, side - y));
        return i < 0 ? models.length - 1 : i;
      },
      paint,
      mark() {},
      chosen,
      follows: true,
      choose: (__, i) => choose(i),
      reset: () => choose(selected),
      label: takeaway,
      spoken: says(chosen),
      controls: [
        {
          text: "▶",
          title: labels("fly"),
          act: () => fly(FLIGHT, (t) => passing(between(low, high, t))),
        },
        {
          label: labels("zoom"),
          name: labels("zoom.told"),
          key: "zoom",
          min: 0,
          max: 1000,
          value: high > low ? Math.round((1000 * Math.log(whole / low)) / Math.log(high / low)) : 0,
          shown: labels("filled", { n: grouped(Math.round(whole)) }),
          change(v) {
            cancelAnimationFrame(state.moving);
            set(Object.assign(state, passing(between(low, high, v / 1000))));
          },
        },
      ],
      sentence: [el("span", { class: "gf-said", text: says(chosen) })],
      beside: [list],
      columns: [labels("model"), labels("parameters"), labels("yours"), ...terms],
      row: ({ name, count, times, parts }) => [
        name,
        grouped(count),
        times,
        ...terms.map((term) => grouped(parts.find((one) => one.name === term)?.count ?? NaN).replace("NaN", "–")),
      ],
    };
  },
  {
    style: STYLE,
    state({ models, selected }, old, before) {
      const again = models.findIndex(({ name }) => name === before?.models?.[old?.chosen]?.name);
      const chosen = again < 0 ? selected : again;
      const button = ({ name, count }, i) =>
        el(
          "button",
          { class: "gf-model", "data-name": `model ${i}`, "data-i": i },
          el("span", { class: "gf-chip" }),
          el("span", { translate: "no", text: name }),
          el("span", { class: "gf-mono", text: grouped(count) }),
        );
      const buttons = el("div", { class: "gf-models" }, ...models.map(button));
      const look = { role: "group", "aria-label": labels("models") };
      return { chosen, whole: models[chosen].count, list: el("div", look, buttons), moving: 0 };
    },
  },
);
