// The runs of a sweep: a line for each across its settings to its loss, and the best loss of every two settings. Values
// are picked by a click, and both pictures follow; nothing asks the server.
import { scale as makeScale } from "../drawing/color.js";
import { clamp, el, format, grouped } from "../drawing/elements.js";
import { picture } from "../scene/scene.js";
import { roomAddress } from "../shared/room_link.js";
import { labels } from "./labels.js";
import { cells, distance, inSight, lanes, limits, ranked } from "./sweep_math.js";
import { cellPlaces, chain, paintCells, paintLines, places } from "./sweep_paint.js";

const NEAR = 14; // css pixels: a line so near to the pointer is meant
const LEVELS = 1000; // of the loss, up to which runs are kept
const STYLE = `
.gf-stage { cursor: pointer; }
.gf-readout { min-height: 4.8em; font-family: var(--st-font); }
.gf-readout a { color: var(--gf-accent); }
`;
/** picked: axis -> tick; bar: up to which losses are in sight, null for all; held: the run that a click keeps. */
const NOTHING = { picked: new Map(), bar: null, held: null };

export default picture(
  (h, _, { shell, theme, width: room, state, set }) => {
    const { runs, axes } = h;
    const { picked, bar, held, two, rung } = state;
    const { measured } = h;
    const range = limits(runs.map((run) => run.scores[rung]));
    const best = bar === null || !range ? null : range.low + (bar / LEVELS) * (range.high - range.low);
    const sight = inSight(runs, picked, best, rung);
    const ticks = two.map((k) => axes[k].ticks);
    const sizes = /** @type {[number, number]} */ (ticks.map((some) => some.length));
    const found = cells(runs, sight, two, sizes, rung);
    const order = ranked(runs, rung);
    const inView = order.filter((i) => sight[i]);
    const count = labels("n_run", { n: inView.length, all: runs.length });

    const isWide = room >= 760;
    const width = isWide ? Math.round(room * 0.6) : room;
    const narrow = isWide ? room - width - 24 : room;
    const height = Math.round(clamp(shell.tall - 130 * theme.unit, 280, 400));
    const at = places(axes, width, height, theme.unit, lanes(runs, order));
    const cellsAt = cellPlaces(sizes, ticks[1], narrow, theme);
    const tall = cellsAt.top + found.length * cellsAt.h + cellsAt.foot;
    const [right, below] = isWide ? [width + 24, 0] : [0, height + 16]; // where the cells stand

    // What can be pointed at: the runs, the cells, the values of each axis, and the losses.
    const things = [
      ...runs.map((__, i) => ({ run: i })),
      ...found.flatMap((row, r) => row.map(({ run }, c) => ({ run: run < 0 ? null : run, cell: [r, c] }))),
      ...axes.flatMap((axis, k) => axis.ticks.map((__, tick) => ({ run: null, axis: k, tick }))),
      ...Array.from({ length: LEVELS + 1 }, (__, level) => ({ run: null, level })),
    ];
    const placeOf = { cell: runs.length, level: things.length - LEVELS - 1 };
    const tickPlace = (k, tick) =>
      placeOf.cell + sizes[0] * sizes[1] + axes.slice(0, k).reduce((sum, axis) => sum + axis.ticks.length, 0) + tick;

    function cellUnder(x, y) {
      const c = Math.floor((x - cellsAt.left) / cellsAt.w);
      const r = found.length - 1 - Math.floor((y - cellsAt.top) / cellsAt.h);
      return found[r]?.[c] ? placeOf.cell + r * sizes[0] + c : null;
    }

    /** Near an axis one of its values is meant, or a loss; else the nearest line. */
    function lineUnder(x, y) {
      const k = y > at.top ? at.xs.findIndex((one) => Math.abs(one - x) < 26 * theme.unit) : -1;
      if (k >= 0 && k < axes.length) {
        const away = axes[k].ticks.map((__, tick) => Math.abs(at.tick(k, tick) - y));
        return tickPlace(k, away.indexOf(Math.min(...away)));
      }
      const share = clamp((at.low - y) / (at.low - at.top), 0, 1);
      if (k === axes.length) return range && placeOf.level + Math.round(LEVELS * share);
      const far = inView.map((i) => distance([x, y], chain(runs, i, at, range, rung)));
      const least = Math.min(...far);
      return least < NEAR ? inView[far.indexOf(least)] : null;
    }

    /** Keep the runs with these values; those that are kept already let go. */
    function pick(values) {
      const next = new Map(picked);
      const isPicked = values.every(([k, tick]) => picked.get(k) === tick);
      for (const [k, tick] of values) isPicked ? next.delete(k) : next.set(k, tick);
      set({ ...state, picked: next, held: null });
    }

    function card({ run: i }, place) {
      const hint = el("div", { class: "gf-hint", text: place === null ? `${count}. ${labels("hint")}` : count });
      if (i === null) return [hint];
      const run = runs[i];
      const isBest = i === order[0] || place === null;
      const which = isBest ? labels("best") : labels("rank", { rank: order.indexOf(i) + 1 });
      const loss = run.scores[rung];
      const facts = [labels("n_parameter", { n: grouped(run.n_parameter) })];
      if (run.seconds !== null) facts.push(labels("seconds", { n: format(run.seconds, 1) }));
      const unit = el("span", { class: "gf-deep", text: ` ${h.unit}` });
      const name = run.words.map((words, k) => `${axes[k].label} ${words}`).join(" · ");
      const told =
        loss === null
          ? [labels("state_at", { state: run.state, step: grouped(run.step) })]
          : [`${measured} ${format(loss, 3)}`, unit];
      const address = run.id && roomAddress("studio");
      const link = address ? [" · ", el("a", { href: `${address}?run=${run.id}`, text: labels("curve") })] : [];
      return [
        el("div", {}, el("b", { text: `${which} ` }), name),
        el("div", {}, ...told, `, ${facts.join(", ")}`, ...link),
        hint,
      ];
    }
    const nearby = { run: inView.find((i) => runs[i].scores[rung] !== null) ?? null };

    const walk = (step) => (place) => {
      const k = inView.indexOf(things[place]?.run);
      return inView[clamp((k < 0 && step < 0 ? 1 : k) + step, 0, inView.length - 1)];
    };
    const list = (key, label, name, options, value, change) => ({ key, label, name, options, value, change });
    const named = axes.map((axis, k) => [k, axis.label]);
    return {
      things,
      size: [isWide ? room : width, isWide ? Math.max(height, tall) : below + tall],
      at(x, y) {
        const isBeside = isWide ? x >= right : y >= below;
        return isBeside ? cellUnder(x - right, y - below) : lineUnder(x, y);
      },
      paint(p, place) {
        const { run = null, cell = null } = things[place ?? held] ?? {};
        const all = { axes, runs, sight, order, rung, range, picked, best, ticks, found, theme, measured: h.measure };
        const look = { ...all, shown: run, shownCell: cell, scale: makeScale("value", 0, 1, theme.mode) };
        paintLines(p, { ...look, at });
        p.shifted(right, below, () => paintCells(p, { ...look, at: cellsAt }));
      },
      keys: { ArrowUp: walk(-1), ArrowLeft: walk(-1), ArrowDown: walk(1), ArrowRight: walk(1) },
      said: (thing, place) => (thing.run === null && !thing.cell ? card(nearby, null) : card(thing, place)),
      idle: held === null ? card(nearby, null) : card(things[held], held),
      chosen: held,
      choose({ run, cell, axis, tick, level }, place) {
        if (cell) pick(two.map((k, side) => [k, cell[1 - side]]));
        else if (axis !== undefined) pick([[axis, tick]]);
        else if (level !== undefined) set({ ...state, bar: level > 0.97 * LEVELS ? null : level, held: null });
        else set({ ...state, held: place === held ? null : run });
      },
      reset() {
        if (!picked.size && bar === null && held === null) return false;
        set({ ...state, ...NOTHING });
        return true;
      },
      held: (picked.size > 0 || bar !== null || held !== null) && [
        ...axes.map((__, k) => (picked.get(k) ?? -1) + 1),
        (bar ?? -1) + 1,
        (held ?? -1) + 1,
      ],
      hold(numbers) {
        const isTick = (k) => numbers[k] && numbers[k] <= axes[k].ticks.length;
        const kept = axes.flatMap((__, k) => (isTick(k) ? [[k, numbers[k] - 1]] : []));
        const [level, run] = numbers.slice(axes.length);
        const within = (number, most) => (number && number <= most ? number - 1 : null);
        set({ ...state, picked: new Map(kept), bar: within(level, LEVELS + 1), held: within(run, runs.length) });
      },
      controls: [
        list("upward", labels("by", { best: h.best }), labels("upward"), named, two[1], (k) =>
          set({ ...state, two: [two[0], k] }),
        ),
        list("across", labels("and"), labels("across"), named, two[0], (k) => set({ ...state, two: [k, two[1]] })),
        {
          ...list(
            "after",
            labels("after", { measure: h.measure }),
            undefined,
            h.rungs.map((step, i) => [i, labels("n_step", { n: grouped(step) })]),
            rung,
            (i) => set({ ...state, rung: i }),
          ),
          hidden: h.rungs.length < 2,
        },
        { text: labels("show_all"), act: () => set({ ...state, ...NOTHING }), hidden: !picked.size && bar === null },
      ],
      label: `${h.takeaway} ${labels("in_sight", { runs: count })}`,
      key: [labels("ring")],
      columns: [...axes.map((axis) => axis.label), labels("steps"), measured, labels("parameters"), labels("state")],
      rows: ranked(runs, h.rungs.length - 1).map((i) => {
        const { words, step, scores, n_parameter, state: how } = runs[i];
        const known = scores.filter((score) => score !== null);
        return [...words, grouped(step), known.at(-1) ?? "–", grouped(n_parameter), how];
      }),
    };
  },
  {
    style: STYLE,
    state(h, old, before) {
      const isNew = !old || before?.sweep !== h.sweep;
      const [two, rung] = [[h.across, h.down], h.rungs.length - 1];
      return isNew ? { ...NOTHING, two, rung } : { ...old, rung: Math.min(old.rung, rung) };
    },
  },
);
