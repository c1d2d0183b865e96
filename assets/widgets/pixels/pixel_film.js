// Pictures growing pixel by pixel, side by side; and for one of them the levels that the next pixel could have had.
// Everything was computed before: play, step, scrub and choice never ask the server.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { pointer, withModifier } from "../drawing/input.js";
import { mix } from "../drawing/color.js";
import { choices, corner, find, layout, mostOpen, places, SIDE, spoken, TITLE, where } from "./pixel_film_math.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { STYLE } from "./pixel_film_style.js";

export default define((shell) => {
  const player = new Player({
    what: "Pixels written",
    unit: "pixel",
    perSecond: 8,
    speeds: true,
    show,
    say: () => shell.say(sentence()),
  });
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "group" }, canvas);
  const left = el("div", {}, stage);
  const panel = el("div", { class: "gf-panel" });
  const key = el("div", { class: "gf-legend" });
  shell.body.append(player.node, el("div", { class: "gf-split" }, left, panel), key);
  shell.body.classList.add("gf-pixels");

  let sample = 0;
  let pointed = null;
  let held = null;
  let geometry = null;
  let place = []; // held: the pixel that stays when nothing is pointed at

  // Tile 0 is the real picture where there is one; the samples follow.
  const first = () => (shell.header.truth ? 1 : 0);
  const n = () => shell.arrays.ids.shape[0];
  const end = () => shell.header.given + player.at; // so many pixels stand
  const current = () => pointed ?? held ?? { sample, place: end() - 1 };
  const rowsOf = ({ sample: s, place: p }) =>
    p < shell.header.given ? [] : choices(shell.arrays, shell.header.given, s, p, shell.header.truth);
  const sentence = () => {
    const now = held ?? { sample, place: end() - 1 };
    return spoken(shell.header, rowsOf(now), now.sample, now.place);
  };

  pointer(
    stage,
    (event) => {
      const hit = at(event);
      point(
        hit && hit.sample >= 0 && hit.place !== null && hit.place < end()
          ? { sample: hit.sample, place: hit.place }
          : null,
      );
    },
    () => point(null),
  );
  stage.addEventListener("click", (event) => {
    const hit = at(event);
    if (!hit || hit.sample < 0) return;
    choose(hit.sample, hit.place !== null && hit.place >= shell.header.given && hit.place < end() ? hit.place : null);
  });
  stage.addEventListener("keydown", (event) => {
    if (withModifier(event)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(clamp(sample + step, 0, n() - 1));
    else if (event.key === "Escape") choose(0);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  shell.body.addEventListener("keydown", (event) => {
    if (player.key(event)) event.preventDefault();
  });

  /** The sample under the pointer (-1: the real picture), and the place of the text that its pixel has. */
  function at(event) {
    const box = stage.getBoundingClientRect();
    const hit = find(geometry, event.clientX - box.left, event.clientY - box.top);
    return hit && { sample: hit.tile - first(), place: hit.pixel === null ? null : place[hit.pixel] };
  }

  /** One picture, and one of its pixels; of a finished picture it is the most open one where none is named. */
  function choose(next, pixel = null) {
    player.play(false);
    [sample, pointed] = [next, null];
    held = pixel !== null ? { sample, place: pixel } : player.at === player.last ? open() : null;
    refresh();
    shell.say(sentence());
  }

  const open = () => ({ sample, place: mostOpen(shell.arrays, shell.header.given, sample) });

  function point(next) {
    if (JSON.stringify(next) === JSON.stringify(pointed)) return;
    pointed = next;
    paint();
    tell();
  }

  /** Called at every moment: what is newest is looked at. */
  function show() {
    held = null;
    refresh();
  }

  function refresh() {
    const h = shell.header;
    const total = h.order.length - h.given;
    player.tell(`${player.at} of ${total} written`, `${player.at} of ${total} pixels written. ${sentence()}`);
    stage.setAttribute(
      "aria-label",
      `${h.takeaway} ${sentence()} Up and down choose the picture; left and right step.`,
    );
    paint();
    tell();
  }

  const ink = (level) => mix(shell.theme.page, shell.theme.text, level / (shell.header.levels - 1));

  function paintAll(p) {
    const h = shell.header;
    const { theme } = shell;
    const { cell, tile } = geometry;
    const done = end();
    const all = done === h.order.length;
    const now = current();
    for (let i = 0; i < geometry.n; i++) {
      const s = i - first();
      const [x, y] = corner(geometry, i);
      const isReal = s < 0;
      const level = (t) => (isReal ? h.truth[t] : shell.arrays.ids.data[s * h.order.length + t]);
      p.rect(x, y, tile, tile, { fill: theme.page });
      h.order.forEach((pixel, t) => {
        const [px, py] = [x + (pixel % SIDE) * cell, y + Math.floor(pixel / SIDE) * cell];
        if (isReal || t < done) p.rect(px, py, cell, cell, { fill: ink(level(t)) });
        else p.rect(px + cell / 2 - 1, py + cell / 2 - 1, 2, 2, { fill: theme.line });
      });
      p.rect(x - 0.5, y - 0.5, tile + 1, tile + 1, {
        stroke: s === sample ? theme.accent : theme.line,
        width: s === sample ? 2 : 1,
      });
      if (!isReal && now.sample === s && now.place >= 0) {
        const pixel = h.order[now.place];
        p.rect(x + (pixel % SIDE) * cell, y + Math.floor(pixel / SIDE) * cell, cell, cell, {
          stroke: theme.accent,
          width: 2,
        });
      }
      if (!isReal && h.given > 0) edge(p, x, y);
      const title = isReal ? h.truth_title : all ? h.titles[s] : "…";
      p.text(title, x, y - geometry.title / 2 - 1, {
        fill: s === sample ? theme.accent : theme.text,
        size: 12 * theme.unit,
        font: theme.font,
        weight: s === sample ? 600 : 400,
      });
    }
  }

  /** A line behind the last pixel that was given, where it ends with a whole row or column. */
  function edge(p, x, y) {
    const { order, given } = shell.header;
    const { cell, tile } = geometry;
    const k = given / SIDE;
    const color = shell.theme.accent;
    if (!Number.isInteger(k) || k >= SIDE) return;
    p.line(
      order[1] === 1
        ? [
            [x, y + k * cell],
            [x + tile, y + k * cell],
          ]
        : [
            [x + k * cell, y],
            [x + k * cell, y + tile],
          ],
      { color, width: 1, dash: [3, 2] },
    );
  }

  function paint() {
    const p = new CanvasPainter(fit(canvas, geometry.width + 2, geometry.height + 2));
    p.shifted(1, 1, () => paintAll(p));
  }

  function tell() {
    const h = shell.header;
    const now = current();
    const rows = rowsOf(now);
    const drawn = rows.find((row) => row.drawn);
    const head = el("h4", {
      text:
        now.place < 0
          ? "Nothing is written yet"
          : `Picture ${now.sample + 1}, pixel ${now.place + 1} of ${h.order.length}, ${where(h.order, now.place)}`,
    });
    const text = rows.length
      ? `${pointed || !held || now.place !== open().place ? "" : "Its most open pixel. "}Level ${drawn.level} was drawn${rows.some((row) => row.real) ? `; the real picture has ${rows.find((row) => row.real).level} there` : ""}.`
      : now.place < 0
        ? "Step on, or press Play."
        : "This pixel was given, not drawn.";
    const most = Math.max(1e-9, ...rows.map((row) => Math.max(row.raw, row.used)));
    panel.replaceChildren(
      head,
      el("p", { class: "gf-said", text }),
      el("div", { class: h.levels > 8 ? "many" : "" }, ...rows.map((row) => line(row, most))),
    );
  }

  function line({ level, raw, used, drawn, real }, most) {
    const swatch = el("span", { class: "ink" });
    const bars = ["raw", "used"].map((name) => el("i", { class: name }));
    swatch.style.background = ink(level);
    bars[0].style.width = `${(100 * raw) / most}%`;
    bars[1].style.width = `${(100 * used) / most}%`;
    return el(
      "div",
      { class: drawn ? "level drawn" : "level" },
      el("span", { text: `${level}${drawn ? "◀" : ""}${real ? "○" : ""}` }),
      swatch,
      el("div", { class: "bars" }, ...bars),
      el("span", { class: "n", text: `${format(raw, 3)} ${used > 0 ? format(used, 3) : "  cut"}` }),
    );
  }

  function fillKey() {
    const mark = (color, text) => {
      const box = el("span", { class: "gf-swatch" });
      box.style.background = color;
      return el("span", {}, box, text);
    };
    key.replaceChildren(
      mark(mix(shell.theme.page, shell.theme.soft, 0.55), "the model's probability"),
      mark(shell.theme.categorical[0], shell.header.settings),
      el("span", { text: "◀ drawn" }),
      ...(shell.header.truth ? [el("span", { text: "○ in the real picture" })] : []),
    );
  }

  return {
    held: () => (held && held.place !== open().place ? [held.sample, held.place] : sample > 0 && [sample]),
    hold([s, t]) {
      if (s < n()) choose(s, t >= shell.header.given && t < end() ? t : null);
    },
    update() {
      const h = shell.header;
      const before = shell.previous;
      place = places(h.order);
      sample = Math.min(sample, n() - 1);
      [pointed, held] = [null, null];
      const last = h.order.length - h.given;
      const stays = before?.given === h.given && before?.order?.[1] === h.order[1];
      player.set(last, stays ? player.at : last);
    },
    draw() {
      const width = left.clientWidth || shell.width;
      const { unit } = shell.theme;
      geometry = layout(n() + first(), Math.min(width, 700), shell.tall - 90 * unit, TITLE * unit);
      Object.assign(stage.style, { width: `${geometry.width + 2}px`, height: `${geometry.height + 2}px` });
      shell.root.style.setProperty("--gf-used", shell.theme.categorical[0]);
      fillKey();
      const kept = held;
      player.go(player.at);
      held = kept ?? (player.at === player.last && player.last > 0 ? open() : null);
      if (held) refresh();
    },
    destroy: () => player.play(false),
    table() {
      const h = shell.header;
      const levels = Array.from({ length: h.levels }, (_, i) => i);
      const rows = [];
      for (let t = h.given; t < h.order.length; t++) {
        const found = choices(shell.arrays, h.given, sample, t, h.truth);
        rows.push([
          `${t + 1}`,
          where(h.order, t),
          String(found.find((row) => row.drawn).level),
          ...found.flatMap((row) => [row.raw, row.used]),
        ]);
      }
      return {
        columns: [
          `pixel of picture ${sample + 1}`,
          "place",
          "drawn",
          ...levels.flatMap((i) => [`p(${i})`, `used ${i}`]),
        ],
        rows,
      };
    },
    picture: () => ({
      width: geometry.width + 12,
      height: geometry.height + 24,
      paint(p) {
        p.shifted(6, 4, () => paintAll(p));
        p.text(`${player.now.textContent}; ${shell.header.settings}`, 6, geometry.height + 16, {
          fill: shell.theme.soft,
          size: 12,
          font: shell.theme.font,
        });
      },
    }),
  };
}, STYLE);
