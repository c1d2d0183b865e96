// Two arrows to drag: the dot product, the cosine, the lengths, the angle and the distance follow at once.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { withModifier } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { labels } from "./labels.js";
import { compare, foot, sentence, snap } from "./vectors_math.js";

const LIMIT = 5;
const EDGE = 14;
const NAMES = ["q", "k"];
const PAUSE = 400;
const MOVES = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

export default define(
  (shell) => {
    const canvas = el("canvas");
    const stage = el("div", { class: "gf-stage gf-plane", role: "group" }, canvas);
    const numbers = el("div", { class: "gf-pairs gf-mono" });
    const verdict = el("p", { class: "gf-verdict" });
    const presets = el("div", { class: "gf-controls", role: "group", "aria-label": labels("examples") });
    const tips = NAMES.map((_, i) =>
      el("button", {
        class: "gf-tip",
        onkeydown: (e) => press(e, i),
        onkeyup: () => later(),
        onfocus: () => {
          active = i;
          shell.redraw();
        },
        onblur: () => {
          shell.redraw();
          release();
        },
      }),
    );
    stage.append(...tips);
    shell.body.append(
      presets,
      el("div", { class: "gf-split even" }, stage, el("div", { class: "gf-panel" }, numbers, verdict)),
    );
    let vectors = [
      [1, 0],
      [3, 3],
    ];
    let active = 1;
    let dragging = false;
    let timer;
    let size = 320;
    let committed = "";
    const sent = new Set(); // what Python repeats of our own is no news: it may be late

    const unit = () => (size / 2 - EDGE) / LIMIT;
    /** @param {number[]} at */
    const toScreen = ([x, y]) => [size / 2 + x * unit(), size / 2 - y * unit()];
    const fromScreen = (event) => {
      const box = stage.getBoundingClientRect();
      return [(event.clientX - box.left - size / 2) / unit(), (size / 2 - (event.clientY - box.top)) / unit()];
    };

    const preset = (text, pair, look) =>
      el("button", {
        class: look,
        text,
        onclick: () => {
          set(pair);
          release();
        },
      });

    function set(next) {
      vectors = next.map((v) => snap(v, LIMIT));
      shell.redraw();
      if (!shell.tableBox.hidden) shell.fillTable();
    }

    /** Tell Python, once the arrow stands still: so that the address and the numbers below hold it. */
    function release() {
      clearTimeout(timer);
      const text = JSON.stringify(vectors);
      if (text === committed) return;
      committed = text;
      sent.add(text);
      shell.commit("pick", { q: vectors[0], k: vectors[1] });
    }
    function later() {
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (!dragging) release();
      }, PAUSE);
    }

    function press(event, i) {
      const move = MOVES[event.key];
      if (withModifier(event)) return;
      if (event.key === "Escape") {
        set(shell.header.start);
        release();
      } else if (move) {
        const step = event.shiftKey ? 1 : 0.1;
        set(vectors.map((v, n) => (n === i ? [v[0] + move[0] * step, v[1] + move[1] * step] : v)));
        clearTimeout(timer);
        const c = compare(...vectors);
        const values = { dot: format(c.dot, 2), cosine: format(c.cosine, 3) };
        shell.say(labels("moved", { name: NAMES[i], place: place(vectors[i]), ...values }));
      } else return;
      event.preventDefault();
    }

    stage.addEventListener("pointerdown", (event) => {
      const at = fromScreen(event);
      const far = vectors.map((v) => Math.hypot(v[0] - at[0], v[1] - at[1]));
      active = far[0] < far[1] ? 0 : far[1] < far[0] ? 1 : active;
      if (far[active] * unit() > 40) return; // a swipe over the picture scrolls the page
      dragging = true;
      stage.setPointerCapture(event.pointerId);
      tips[active].focus({ preventScroll: true });
      event.preventDefault();
    });
    stage.addEventListener("pointermove", (event) => {
      if (dragging) set(vectors.map((v, n) => (n === active ? fromScreen(event) : v)));
    });
    for (const end of ["pointerup", "pointercancel"]) {
      stage.addEventListener(end, () => {
        if (dragging) {
          dragging = false;
          release();
        }
      });
    }

    const place = (v) => `(${format(v[0], 1)}, ${format(v[1], 1)})`;

    function row(name, formula, value) {
      return [
        el("span", { class: "gf-soft", text: name }),
        el("span", { class: "gf-how", text: formula }),
        el("b", { text: value }),
      ];
    }

    function describe() {
      const [q, k] = vectors;
      const c = compare(q, k);
      const n = (v) => format(v, 1);
      const part = (v) => (v < 0 ? `(${n(v)})` : n(v));
      numbers.replaceChildren(
        ...row(labels("dot_qk"), `${n(q[0])} × ${part(k[0])} + ${part(q[1])} × ${part(k[1])} =`, format(c.dot, 2)),
        ...row(
          labels("cosine"),
          `${format(c.dot, 2)} / (${format(c.lengths[0], 3)} × ${format(c.lengths[1], 3)}) =`,
          format(c.cosine, 3),
        ),
        ...row(labels("length_q"), `√(${part(q[0])}² + ${part(q[1])}²) =`, format(c.lengths[0], 3)),
        ...row(labels("length_k"), `√(${part(k[0])}² + ${part(k[1])}²) =`, format(c.lengths[1], 3)),
        ...row(labels("angle"), labels("angle_from"), Number.isNaN(c.angle) ? "–" : `${format(c.angle, 1)}°`),
        ...row(labels("distance_qk"), labels("distance_from"), format(c.distance, 3)),
      );
      verdict.textContent = sentence(c);
      tips.forEach((tip, i) => {
        const [x, y] = toScreen(vectors[i]);
        tip.style.left = `${x}px`;
        tip.style.top = `${y}px`;
        tip.setAttribute("aria-label", labels("tip", { name: NAMES[i], place: place(vectors[i]) }));
      });
      stage.setAttribute(
        "aria-label",
        labels("both", { q: place(q), k: place(k), dot: format(c.dot, 2), cosine: format(c.cosine, 3) }),
      );
    }

    function arrow(p, v, color, name, theme) {
      const [x, y] = toScreen(v);
      const [ox, oy] = toScreen([0, 0]);
      const along = Math.atan2(y - oy, x - ox);
      const wing = (turn) => [x - 13 * Math.cos(along + turn), y - 13 * Math.sin(along + turn)];
      p.segment(ox, oy, x, y, { color, width: 3 });
      if (Math.hypot(...v) > 0.05) {
        p.line([wing(-0.45), [x, y], wing(0.45)], { color, width: 3 });
      }
      p.text(
        name,
        clamp(x + 15 * Math.cos(along) + 4, 10, size - 12),
        clamp(y + 15 * Math.sin(along) - 10, 10, size - 10),
        { fill: color, size: 16, weight: 700, font: theme.font, align: "center" },
      );
    }

    function paint(p) {
      const { theme } = shell;
      const [q, k] = vectors;
      for (let i = -LIMIT; i <= LIMIT; i++) {
        const color = i ? theme.wash : theme.line;
        p.line([toScreen([i, -LIMIT]), toScreen([i, LIMIT])], { color });
        p.line([toScreen([-LIMIT, i]), toScreen([LIMIT, i])], { color });
        if (i && i % 2 === 0) {
          const [x, y] = toScreen([i, 0]);
          const [ox, oy] = toScreen([0, i]);
          p.text(`${i}`.replace("-", "−"), x, y + 10, {
            fill: theme.soft,
            size: 10,
            font: theme.code,
            align: "center",
          });
          p.text(`${i}`.replace("-", "−"), ox - 8, oy, {
            fill: theme.soft,
            size: 10,
            font: theme.code,
            align: "right",
          });
        }
      }
      const at = foot(q, k);
      if (at) {
        // every k on this line has the same dot product with q
        const across = [-q[1], q[0]];
        const scale = (3 * LIMIT) / Math.hypot(...across);
        const ends = [-scale, scale].map((t) => inside(at, across, t));
        p.line(ends.map(toScreen), { color: theme.soft, width: 1.2, dash: [3, 5] });
        p.line([toScreen([0, 0]), toScreen(snap(at, LIMIT, 0.001))], { color: theme.soft, width: 5 });
      }
      arrow(p, q, theme.categorical[0], "q", theme);
      arrow(p, k, theme.categorical[1], "k", theme);
    }

    /** The point `t` steps along the line, pulled back to the edge of the picture. */
    function inside(from, way, t) {
      let reach = t;
      for (const i of [0, 1]) {
        if (!way[i]) continue;
        const edge = ((way[i] * t > 0 ? LIMIT : -LIMIT) - from[i]) / way[i];
        if (Math.abs(edge) < Math.abs(reach)) reach = edge;
      }
      return [from[0] + way[0] * reach, from[1] + way[1] * reach];
    }

    return {
      update() {
        const { examples, start } = shell.header;
        if (!presets.children.length) {
          presets.append(
            ...examples.map(([text, q, k]) => preset(text, [q, k], "gf-solid")),
            preset(labels("reset"), start),
          );
        }
        const given = JSON.stringify(shell.header.vectors);
        if (!sent.has(given) && !dragging) {
          vectors = shell.header.vectors;
          committed = given;
          sent.clear();
        }
      },
      draw() {
        size = clamp(Math.min(stage.parentElement.clientWidth, 440), 240, 440);
        if (shell.width > 760) size = clamp(shell.width / 2 - 20, 280, 440);
        stage.style.width = stage.style.height = `${size}px`;
        paint(new CanvasPainter(fit(canvas, size, size)));
        describe();
      },
      table() {
        const c = compare(...vectors);
        const rows = [
          [labels("dot"), c.dot],
          [labels("cosine"), c.cosine],
          [labels("length_q"), c.lengths[0]],
          [labels("length_k"), c.lengths[1]],
          [labels("degrees"), c.angle],
          [labels("distance"), c.distance],
        ];
        return { columns: ["", labels("value")], rows: [["q", place(vectors[0])], ["k", place(vectors[1])], ...rows] };
      },
      picture() {
        return { width: size, height: size, paint };
      },
      destroy() {
        clearTimeout(timer);
      },
    };
  },
  `
.gf-plane { touch-action: pan-y pinch-zoom; cursor: grab; margin: 0 auto; max-width: 100%; }
.gf-plane:active { cursor: grabbing; }
.gf button.gf-tip { position: absolute; width: 32px; height: 32px; min-height: 0; padding: 0; margin: -16px 0 0 -16px; border-radius: 50%; background: transparent; cursor: grab; touch-action: pinch-zoom; }
.gf button.gf-tip:hover { background: var(--gf-wash); opacity: 0.6; }
.gf-pairs { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0.1rem 0.8rem; align-items: baseline; }
.gf-pairs :is(.gf-soft, .gf-how) { grid-column: 1; }
.gf-pairs .gf-soft { margin-top: 0.45rem; font-family: var(--st-font); }
.gf-pairs .gf-how { display: var(--gf-deep, inline); overflow-wrap: anywhere; }
.gf-pairs b { grid-column: 2; text-align: right; color: var(--gf-accent); font-size: 1rem; }
.gf-verdict { margin: 0.8rem 0 0; min-height: 4.4em; }
`,
);
