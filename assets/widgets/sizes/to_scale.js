// Models as squares whose areas are their parameters, one in the corner of the other; a click zooms to any of them.
import { define } from "../drawing/base.js";
import { clamp, el, measure } from "../drawing/elements.js";
import { withModifier } from "../drawing/input.js";
import { mix, readableOn } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { between, largestIn, named, sideOf } from "./to_scale_math.js";
import { treemap } from "../shared/treemap.js";

const grouped = (n) => n.toLocaleString("en-US");
const SECONDS = 0.9;
const FLIGHT = 7; // seconds from the smallest to the largest

export default define(
  (shell) => {
    const cells = el("canvas");
    const stage = el("div", { class: "gf-stage gf-square", tabindex: 0, role: "img" }, cells);
    const list = el("div", { class: "gf-models", role: "group", "aria-label": "The models, from small to large" });
    const words = el("p", { class: "gf-said" });
    const zoom = el("input", { type: "range", min: 0, max: 1000, step: 1, "aria-label": "Zoom, by factors" });
    const slider = el("label", { class: "gf-long gf-zoom" }, el("span", { text: "Zoom" }), zoom);
    const title = "Fly from the smallest to the largest";
    const flight = el("button", { class: "gf-solid", text: "▶", title, "aria-label": title, onclick: fly });
    const foot = el("div", { class: "gf-foot" }, flight, slider);
    shell.body.append(el("div", { class: "gf-scale" }, el("div", {}, stage, foot), el("div", {}, list, words)));
    let chosen = 0;
    let whole = 1;
    let side = 300;
    let buttons = [];
    let moving = 0;

    const models = () => shell.header.models;
    const counts = () => models().map((one) => one.count);
    const ends = () => {
      const all = counts();
      return [all[0], all[all.length - 1]];
    };
    const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

    function choose(i, { quick = false } = {}) {
      chosen = clamp(i, 0, models().length - 1);
      tell();
      shell.say(words.textContent);
      cancelAnimationFrame(moving);
      const from = whole;
      const to = models()[chosen].count;
      if (quick || still()) return show(to);
      const began = performance.now();
      const tick = (now) => {
        const t = clamp((now - began) / (1000 * SECONDS), 0, 1);
        const eased = t * t * (3 - 2 * t);
        show(between(from, to, eased));
        if (t < 1) moving = requestAnimationFrame(tick);
      };
      moving = requestAnimationFrame(tick);
    }

    /** Past every model, one after the other. */
    function fly() {
      cancelAnimationFrame(moving);
      const [low, high] = ends();
      if (still()) return choose(models().length - 1);
      const began = performance.now();
      const tick = (now) => {
        const t = clamp((now - began) / (1000 * FLIGHT), 0, 1);
        pass(between(low, high, t));
        show(whole);
        if (t < 1) moving = requestAnimationFrame(tick);
        else shell.say(words.textContent);
      };
      moving = requestAnimationFrame(tick);
    }

    /** The largest that fits this scale is the chosen one. */
    function pass(count) {
      whole = count;
      const i = largestIn(counts(), count);
      if (i === chosen) return;
      chosen = i;
      tell();
    }

    /** Draw with a square of this count filling the stage. */
    function show(count) {
      whole = count;
      const [low, high] = ends();
      zoom.value = high > low ? Math.round((1000 * Math.log(whole / low)) / Math.log(high / low)) : 0;
      zoom.setAttribute("aria-valuetext", `${grouped(Math.round(whole))} parameters fill the picture`);
      paint(new CanvasPainter(fit(cells, side, side)));
    }

    function tell() {
      buttons.forEach((button, i) => {
        button.setAttribute("aria-pressed", String(i === chosen));
        button.tabIndex = i === chosen ? 0 : -1;
      });
      words.textContent = models()[chosen].words;
    }

    const color = (i) => shell.theme.categorical[i % shell.theme.categorical.length];

    function paint(p) {
      const { theme } = shell;
      const all = models();
      const sides = counts().map((count) => sideOf(count, whole, side));
      const size = Math.round(12 * theme.unit);
      const room = named(sides, side, size + 8, 60);
      p.rect(0, 0, side, side, { fill: theme.panel });
      for (let i = all.length - 1; i >= 0; i--) {
        const s = Math.min(sides[i], side);
        const top = side - s;
        const fill = mix(theme.page, color(i), i === chosen ? 0.5 : 0.24);
        p.rect(0, top, s, s, { fill });
        if (i === chosen && s > 50) {
          const parts = treemap(
            all[i].parts.map((one) => one.count),
            { x: 0, y: top, w: s, h: s },
          );
          for (const r of parts) p.rect(r.x, r.y, r.w, r.h, { stroke: theme.page, width: 1 });
        }
        p.rect(0.75, top + 0.75, Math.max(0, s - 1.5), Math.max(0, s - 1.5), {
          stroke: i === chosen ? theme.accent : mix(theme.page, color(i), 0.85),
          width: i === chosen ? 2.5 : 1.5,
        });
        const name = all[i].name;
        if (room[i] && measure(name, size, theme.font) * 1.08 + 14 < s) {
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
        const x = 46;
        const y = side - 46;
        p.segment(x, y, 8, side - 8, { color: theme.accent, width: 2 });
        p.line(
          [
            [18, side - 9],
            [8, side - 8],
            [9, side - 18],
          ],
          { color: theme.accent, width: 2 },
        );
        const text = mine < 1 ? `${all[0].name}: smaller than a pixel` : all[0].name;
        const w = measure(text, size, theme.font) * 1.08 + 12;
        p.rect(x - 4, y - size - 6, w, size + 10, { fill: theme.page, stroke: theme.line, radius: 4 });
        p.text(text, x + 2, y - size / 2 - 1, { fill: theme.text, size, font: theme.font, weight: 600 });
      }
    }

    zoom.addEventListener("input", () => {
      cancelAnimationFrame(moving);
      const [low, high] = ends();
      pass(between(low, high, zoom.value / 1000));
      zoom.setAttribute("aria-valuetext", `${grouped(Math.round(whole))} parameters fill the picture`);
      paint(new CanvasPainter(fit(cells, side, side)));
    });

    stage.addEventListener("click", (event) => {
      const b = stage.getBoundingClientRect();
      const reach = Math.max(event.clientX - b.left, side - (event.clientY - b.top));
      const i = counts().findIndex((count) => sideOf(count, whole, side) >= reach);
      choose(i < 0 ? models().length - 1 : i);
    });
    for (const node of [stage, list]) {
      node.addEventListener("keydown", (event) => {
        if (withModifier(event)) return;
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step) choose(chosen + step);
        else if (event.key === "Home") choose(0);
        else if (event.key === "End") choose(models().length - 1);
        else if (event.key === "Escape") choose(shell.header.selected);
        else return;
        if (node === list) buttons[chosen].focus();
        event.preventDefault();
      });
    }

    return {
      update() {
        const kept = shell.previous?.models?.[chosen]?.name;
        const again = models().findIndex((one) => one.name === kept);
        chosen = again < 0 ? shell.header.selected : again;
        whole = models()[chosen].count;
        buttons = models().map((one, i) =>
          el(
            "button",
            {
              class: "gf-model",
              onclick: () => {
                choose(i);
                buttons[i].focus();
              },
            },
            el("span", { class: "gf-chip" }),
            el("span", { text: one.name }),
            el("span", { class: "gf-mono", text: grouped(one.count) }),
          ),
        );
        list.replaceChildren(...buttons);
      },
      draw() {
        const wide = shell.width >= 620;
        shell.root.classList.toggle("gf-beside", wide);
        const tall = shell.tall - 70 * shell.theme.unit;
        side = Math.round(wide ? clamp(Math.min(shell.width * 0.62, tall), 300, 560) : shell.width);
        stage.style.width = stage.style.height = `${side}px`;
        foot.style.width = `${side}px`;
        stage.setAttribute("aria-label", shell.header.takeaway);
        buttons.forEach((button, i) => {
          button.firstChild.style.background = color(i);
        });
        tell();
        show(whole);
      },
      table: () => ({
        columns: ["model", "parameters", "yours fits", ...shell.header.terms],
        rows: models().map((one) => [
          one.name,
          grouped(one.count),
          one.times,
          ...shell.header.terms.map((name) => {
            const part = one.parts.find((p) => p.name === name);
            return part ? grouped(part.count) : "–";
          }),
        ]),
      }),
      picture: () => ({ width: side, height: side, paint }),
      destroy: () => cancelAnimationFrame(moving),
    };
  },
  `
  .gf-scale { display: flex; flex-direction: column; gap: 1rem; }
  .gf-beside .gf-scale { flex-direction: row; gap: 1.4rem; align-items: flex-start; }
  .gf-scale > div:last-child { flex: 1; min-width: 0; }
  .gf-square { cursor: pointer; }
  .gf-foot { display: flex; gap: 0.8rem; align-items: center; margin-top: 0.5rem; }
  .gf-zoom { flex: 1; display: flex; gap: 0.6rem; align-items: center; font-size: 0.8125rem; }
  .gf-zoom input { flex: 1; min-width: 90px; }
  .gf-models { display: flex; flex-direction: column; gap: 4px; }
  .gf .gf-model { display: grid; grid-template-columns: auto 1fr auto; gap: 8px; align-items: center; text-align: left; padding: 5px 9px; border-color: var(--gf-line); line-height: 1.3; }
  .gf .gf-model[aria-pressed="true"] { border-color: var(--gf-accent); color: inherit; background: var(--gf-wash); }
  .gf-chip { width: 10px; height: 10px; border-radius: 3px; }
  .gf-model .gf-mono { font-size: 0.75rem; color: var(--gf-soft); }
  .gf-said { margin: 0.8rem 0 0; font-size: 0.9375rem; line-height: 1.5; }
`,
);
