// The runs of a sweep: a line for each across its settings to its loss, and the best loss of every two settings. Values
// are picked by a click, and both pictures follow; nothing asks the server.
import { define } from "../drawing/base.js";
import { clamp, el, format, grouped } from "../drawing/elements.js";
import { pointer, withModifier } from "../drawing/input.js";
import { scale as makeScale } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { roomAddress } from "../shared/room_link.js";
import { cells, distance, inSight, lanes, limits, ranked } from "./sweep_math.js";
import { cellPlaces, chain, paintCells, paintLines, places } from "./sweep_paint.js";

const NEAR = 14; // css pixels: a line so near to the pointer is meant
const HINT = "Point at a line. A click on a value keeps its runs; on the last line, those that are at least as good.";

export default define(
  (shell) => {
    const canvas = el("canvas");
    const lines = el("div", { class: "gf-stage gf-lines", tabindex: 0, role: "img" }, canvas);
    const map = el("canvas");
    const heat = el("div", { class: "gf-stage gf-heat", role: "img" }, map);
    const select = (label) => el("select", { "aria-label": label, onchange: draw });
    const [across, down, rungs] = [select("Across"), select("Upward"), select("")];
    const lossAfter = el("span");
    const after = el("label", {}, lossAfter, rungs);
    const reset = el("button", { class: "gf-solid", text: "Show all", onclick: forget });
    const card = el("div", { class: "gf-readout" });
    const bestBy = el("b");
    const heading = el("div", { class: "gf-heading" }, bestBy, down, "and", across);
    const left = el("div", {}, lines, card, el("div", { class: "gf-controls" }, after, reset));
    const ring = el("div", { class: "gf-soft", text: "A ring: the best of its row." });
    shell.body.append(el("div", { class: "gf-sweep" }, left, el("div", {}, heading, heat, ring)));
    /** @type {Map<number, number>} */
    const picked = new Map();
    let bar = null; // up to which losses are in sight, in thousandths of the picture; null: all
    let best = null; // the same as a loss
    let shown = null; // the run that is pointed at
    let isHeld = false;
    let shownCell = null;
    let now = null; // what is drawn

    const runs = () => shell.header.runs;
    const axes = () => shell.header.axes;
    const measure = () => shell.header.measure.toLowerCase();

    function forget() {
      picked.clear();
      [bar, shown, isHeld, shownCell] = [null, null, false, null];
      draw();
    }

    function look() {
      const rung = Number(rungs.value);
      const range = limits(runs().map((run) => run.scores[rung]));
      const two = /** @type {[number, number]} */ ([Number(across.value), Number(down.value)]);
      best = bar === null || !range ? null : range.low + (bar / 1000) * (range.high - range.low);
      const sight = inSight(runs(), picked, best, rung);
      const sizes = /** @type {[number, number]} */ (two.map((k) => axes()[k].ticks.length));
      const ticks = two.map((k) => axes()[k].ticks);
      const found = cells(runs(), sight, two, sizes, rung);
      const { theme } = shell;
      const measured = shell.header.measure;
      return { rung, range, two, sight, sizes, ticks, found, order: ranked(runs(), rung), theme, measured };
    }

    function draw() {
      const { theme } = shell;
      const wide = shell.width >= 760;
      shell.root.classList.toggle("gf-beside", wide);
      const width = wide ? Math.round(shell.width * 0.6) : shell.width;
      const height = Math.round(clamp(shell.tall - 130 * theme.unit, 280, 400));
      const narrow = wide ? shell.width - width - 24 : shell.width;
      const view = look();
      const at = places(axes(), width, height, theme.unit, lanes(runs(), view.order));
      const cellsAt = cellPlaces(view.sizes, view.ticks[1], narrow, theme);
      const tall = cellsAt.top + view.found.length * cellsAt.h + cellsAt.foot;
      const scale = makeScale("value", 0, 1, theme.mode);
      now = { ...view, width, height, narrow, tall, at, cellsAt, scale };
      lines.style.cssText = `width:${width}px;height:${height}px`;
      heat.style.cssText = `width:${narrow}px;height:${tall}px`;
      left.style.width = `${width}px`;
      paint(new CanvasPainter(fit(canvas, width, height)), new CanvasPainter(fit(map, narrow, tall)));
      reset.hidden = !picked.size && bar === null;
      after.hidden = shell.header.rungs.length < 2;
      tell();
    }

    function paint(onLines, onMap) {
      const all = { ...now, axes: axes(), runs: runs(), picked, best, shown, shownCell };
      paintLines(onLines, all);
      paintCells(onMap, { ...all, at: now.cellsAt });
    }

    function repaint() {
      paint(new CanvasPainter(fit(canvas, now.width, now.height)), new CanvasPainter(fit(map, now.narrow, now.tall)));
      tell();
    }

    function tell() {
      const nBest = now.order.find((i) => now.sight[i] && runs()[i].scores[now.rung] !== null);
      const i = shown ?? nBest ?? null;
      const inView = now.sight.filter(Boolean).length;
      const count = `${inView} of ${runs().length} runs`;
      const hint = el("div", { class: "gf-hint", text: shown === null ? `${count}. ${HINT}` : count });
      lines.setAttribute("aria-label", `${shell.header.takeaway} ${count} in sight.`);
      heat.setAttribute(
        "aria-label",
        `${bestBy.textContent} ${axes()[now.two[1]].label} and ${axes()[now.two[0]].label}.`,
      );
      if (i === null) return card.replaceChildren(hint);
      const run = runs()[i];
      const which = shown === null || i === now.order[0] ? "Best: " : `Number ${now.order.indexOf(i) + 1}: `;
      const loss = run.scores[now.rung];
      const facts = [`${grouped(run.n_parameter)} parameters`];
      if (run.seconds !== null) facts.push(`${format(run.seconds, 1)} s`);
      const unit = el("span", { class: "gf-deep", text: ` ${shell.header.unit}` });
      const name = run.words.map((words, k) => `${axes()[k].label} ${words}`).join(" · ");
      const told =
        loss === null ? [`${run.state} at step ${grouped(run.step)}`] : [`${measure()} ${format(loss, 3)}`, unit];
      const address = run.id && roomAddress("studio");
      const link = address ? el("a", { href: `${address}?run=${run.id}`, text: "Its curve" }) : null;
      card.replaceChildren(
        el("div", {}, el("b", { text: which }), name),
        el("div", {}, ...told, `, ${facts.join(", ")}`, link ? " · " : "", link ?? ""),
        hint,
      );
    }

    const inPicture = (event, node) => {
      const box = node.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };

    function nearest(point) {
      let [found, least] = [null, NEAR];
      runs().forEach((_, i) => {
        if (!now.sight[i]) return;
        const far = distance(point, chain(runs(), i, now.at, now.range, now.rung));
        if (far < least) [found, least] = [i, far];
      });
      return found;
    }

    function point(i, cell = null) {
      if (i === shown && String(cell) === String(shownCell)) return;
      [shown, shownCell] = [i, cell];
      repaint();
    }

    pointer(
      lines,
      (event) => !isHeld && now && point(nearest(inPicture(event, lines))),
      () => !isHeld && point(null),
    );
    lines.addEventListener("click", (event) => {
      const [x, y] = inPicture(event, lines);
      const k = now.at.xs.findIndex((one) => Math.abs(one - x) < 26 * shell.theme.unit);
      if (k === axes().length && now.range) pickLoss(y);
      else if (k >= 0 && k < axes().length && y > now.at.top) pickTick(k, y);
      else {
        const i = nearest([x, y]);
        isHeld = i !== null;
        point(i);
      }
    });

    function pickTick(k, y) {
      const ys = axes()[k].ticks.map((_, tick) => Math.abs(now.at.tick(k, tick) - y));
      const tick = ys.indexOf(Math.min(...ys));
      if (picked.get(k) === tick) picked.delete(k);
      else picked.set(k, tick);
      [shown, isHeld] = [null, false];
      draw();
    }

    function pickLoss(y) {
      const share = clamp((now.at.low - y) / (now.at.low - now.at.top), 0, 1);
      bar = share > 0.97 ? null : Math.round(1000 * share);
      [shown, isHeld] = [null, false];
      draw();
    }

    const cellUnder = (event) => {
      const [x, y] = inPicture(event, heat);
      const { left: start, top, w, h } = now.cellsAt;
      const [c, r] = [Math.floor((x - start) / w), now.found.length - 1 - Math.floor((y - top) / h)];
      return now.found[r]?.[c] ? [r, c] : null;
    };
    pointer(
      heat,
      (event) => {
        const cell = now && cellUnder(event);
        if (cell) point(now.found[cell[0]][cell[1]].run >= 0 ? now.found[cell[0]][cell[1]].run : null, cell);
      },
      () => point(null),
    );
    heat.addEventListener("click", (event) => {
      const cell = cellUnder(event);
      if (!cell) return;
      const isPicked = picked.get(now.two[0]) === cell[1] && picked.get(now.two[1]) === cell[0];
      now.two.forEach((k, side) => (isPicked ? picked.delete(k) : picked.set(k, cell[1 - side])));
      draw();
    });
    lines.addEventListener("keydown", (event) => {
      if (withModifier(event)) return;
      const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
      const inView = now.order.filter((i) => now.sight[i]);
      if (step && inView.length) {
        const k = shown === null ? -1 : inView.indexOf(shown);
        isHeld = true;
        point(inView[clamp(k + step, 0, inView.length - 1)]);
        shell.say(card.textContent);
      } else if (event.key === "Escape" && (picked.size || bar !== null || shown !== null)) forget();
      else return;
      event.preventDefault();
    });

    const fill = (node, names, first) => {
      const kept = node.value;
      node.replaceChildren(...names.map((name, k) => el("option", { value: k, text: name })));
      node.value = kept !== "" && Number(kept) < names.length && shell.previous ? kept : String(first);
    };

    return {
      held: () =>
        (picked.size > 0 || bar !== null) && [...axes().map((_, k) => (picked.get(k) ?? -1) + 1), (bar ?? -1) + 1],
      hold(list) {
        picked.clear();
        axes().forEach(({ ticks }, k) => {
          if (list[k] && list[k] <= ticks.length) picked.set(k, list[k] - 1);
        });
        const last = list[axes().length];
        bar = last && last <= 1001 ? last - 1 : null;
        draw();
      },
      update() {
        const { previous, header } = shell;
        if (previous?.sweep !== header.sweep) {
          picked.clear();
          [bar, shown, isHeld, shownCell] = [null, null, false, null];
          for (const node of [across, down, rungs]) node.value = "";
        }
        lossAfter.textContent = `${header.measure} after`;
        rungs.setAttribute("aria-label", lossAfter.textContent);
        bestBy.textContent = `${header.best} by`;
        const names = header.axes.map((axis) => axis.label);
        fill(across, names, header.across);
        fill(down, names, header.down);
        fill(
          rungs,
          header.rungs.map((step) => `${grouped(step)} steps`),
          header.rungs.length - 1,
        );
      },
      draw,
      table: () => ({
        columns: [...axes().map((axis) => axis.label), "steps", measure(), "parameters", "state"],
        rows: ranked(runs(), shell.header.rungs.length - 1).map((i) => {
          const run = runs()[i];
          const known = run.scores.filter((score) => score !== null);
          return [
            ...run.words,
            grouped(run.step),
            known.length ? known[known.length - 1] : "–",
            grouped(run.n_parameter),
            run.state,
          ];
        }),
      }),
      picture: () => ({
        width: now.width + now.narrow + 24,
        height: Math.max(now.height, now.tall),
        paint: (p) => {
          const all = { ...now, axes: axes(), runs: runs(), picked, best, shown, shownCell };
          paintLines(p, all);
          p.shifted(now.width + 24, 0, () => paintCells(p, { ...all, at: now.cellsAt }));
        },
      }),
    };
  },
  `
  .gf-sweep { display: flex; flex-direction: column; gap: 1rem; }
  .gf-beside .gf-sweep { flex-direction: row; gap: 24px; align-items: flex-start; }
  .gf-lines { cursor: pointer; }
  .gf-sweep a { color: var(--gf-accent); }
  .gf-heat { cursor: pointer; }
  .gf-heading { display: flex; flex-wrap: wrap; gap: 0.3rem 0.5rem; align-items: center; min-height: 36px; margin-bottom: 0.4rem; }
  .gf-sweep .gf-readout { min-height: 4.8em; font-family: var(--st-font); }
  .gf-sweep .gf-controls { min-height: 28px; }
`,
);
