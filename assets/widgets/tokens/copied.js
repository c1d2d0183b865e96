// One-hot times table: all rows of the table fade but one, and a copy of it slides out. Any token can be looked up.
import { define } from "../drawing/base.js";
import { clamp, el, measure } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { visible } from "../drawing/tokens.js";

const [FADE, SLIDE] = [700, 900]; // ms
const STYLE = `
.cr-tokens { display: flex; flex-wrap: wrap; gap: 4px; margin: 0.2rem 0 0.6rem; }
.gf .cr-tokens button { font-family: var(--st-code-font); padding: 4px 6px; min-height: 27px; }
.gf .cr-tokens button[aria-checked="true"] { outline: 2px solid var(--gf-accent); }
`;

export default define((shell) => {
  const picker = el("div", {
    class: "cr-tokens",
    role: "radiogroup",
    "aria-label": "Token to look up",
    "data-chooses": true,
  });
  const again = el("button", { class: "gf-solid", text: "▶ Play", onclick: () => play() });
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", role: "img" }, canvas);
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  stage.style.cursor = "default";
  shell.body.append(picker, el("div", { class: "gf-controls" }, again), stage, readout, key);
  let at = 0;
  let done = 1;
  let frame = 0;
  let box = {};

  const rowOf = () => shell.header.rows[at];
  const name = (i) => visible(shell.header.tokens[i]);
  const sentence = () =>
    `Token ${name(at)}: row ${visible(shell.header.entries[rowOf()])} is multiplied by 1 and comes out unchanged, all other rows by 0.`;

  function choose(i, focus = false) {
    at = i;
    mark();
    if (focus) picker.children[i].focus();
    play();
    shell.commit("pick", i);
  }

  function build() {
    const button = (token, i) => el("button", { role: "radio", text: visible(token), onclick: () => choose(i) });
    picker.replaceChildren(...shell.header.tokens.map(button));
  }

  function mark() {
    [...picker.children].forEach((chip, i) => {
      chip.setAttribute("aria-checked", String(i === at));
      chip.tabIndex = i === at ? 0 : -1;
    });
  }

  picker.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(clamp(at + step, 0, shell.header.tokens.length - 1), true);
  });

  /** From the whole table to the one row beside it; who wants no motion sees the end at once. */
  function play() {
    cancelAnimationFrame(frame);
    shell.say(sentence());
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      done = 1;
      shell.redraw();
      return;
    }
    const began = performance.now();
    const tick = (now) => {
      done = clamp((now - began) / (FADE + SLIDE), 0, 1);
      shell.redraw();
      if (done < 1 && canvas.isConnected) frame = requestAnimationFrame(tick);
    };
    done = 0;
    frame = requestAnimationFrame(tick);
  }

  function place() {
    const { theme, width, header: h } = shell;
    const size = Math.round(12 * theme.unit);
    const [n, d] = shell.arrays.table.shape;
    const names =
      Math.ceil(Math.min(width * 0.27, Math.max(...h.entries.map((one) => measure(visible(one), size, theme.code))))) +
      8;
    const hot = Math.ceil(measure("× 1", size, theme.code)) + 12;
    const gap = width < 560 ? 10 : 34;
    const line = size + 6;
    const cell = Math.min(24, (width - names - hot - gap - 4) / (2 * d));
    box = {
      size,
      names,
      hot,
      gap,
      line,
      cell,
      top: 2 * line,
      table: names + hot,
      out: names + hot + cell * d + gap,
      width,
      height: 2 * line + n * line + 6,
    };
  }

  function paint(p, shown = done) {
    const { theme, header: h } = shell;
    const {
      data,
      shape: [n, d],
    } = shell.arrays.table;
    const colors = scale("signed", -h.limit, h.limit, theme.mode);
    const fade = clamp((shown * (FADE + SLIDE)) / FADE, 0, 1);
    const slide = clamp((shown * (FADE + SLIDE) - FADE) / SLIDE, 0, 1);
    const chosen = rowOf();
    const text = { fill: theme.soft, size: box.size, font: theme.font };
    const code = { ...text, font: theme.code };
    const cells = (r, x, y) => {
      for (let c = 0; c < d; c++) {
        p.rect(x + c * box.cell, y, box.cell + 0.4, box.line - 2, { fill: colors.css(data[r * d + c]) });
      }
    };
    p.text("one-hot", box.table - 12, 8, { ...text, align: "right" });
    p.text("table", box.table, 8, text);
    p.text("vector", box.out, 8, text);
    for (let r = 0; r < n; r++) {
      const y = box.top + r * box.line;
      const middle = y + box.line / 2 - 1;
      const is = r === chosen;
      p.text(visible(h.entries[r]), box.names - 6, middle, {
        ...code,
        align: "right",
        fill: is ? theme.text : theme.soft,
        weight: is ? 600 : 400,
      });
      p.text(is ? "× 1" : "× 0", box.names, middle, {
        ...code,
        fill: is ? theme.accent : theme.soft,
        weight: is ? 700 : 400,
      });
      cells(r, box.table, y);
      // What is multiplied by 0 is covered by the page, ever more.
      if (!is) p.veil(box.table - 1, y - 1, box.cell * d + 2, box.line, theme.page, 0.9 * fade);
    }
    const y = box.top + chosen * box.line;
    p.rect(box.table - 1, y - 1, box.cell * d + 2, box.line, { stroke: theme.accent, width: 2 });
    const ease = slide * slide * (3 - 2 * slide);
    const x = box.table + (box.out - box.table) * ease;
    p.rect(box.out - 0.5, y - 0.5, box.cell * d + 1, box.line - 1, { stroke: theme.line, dash: [3, 3] });
    if (slide > 0) {
      cells(chosen, x, y);
      p.rect(x - 1, y - 1, box.cell * d + 2, box.line, { stroke: theme.accent, width: 2 });
    }
    if (slide === 1) p.text(name(at), box.out, y - box.size / 2 - 4, { ...code, fill: theme.text, weight: 600 });
  }

  /** A painter that can also cover: on the canvas by its alpha, in SVG by a rectangle of that opacity. */
  function veiled(p) {
    p.veil = (x, y, w, h, fill, alpha) => {
      if (!p.ctx) {
        p.rect(x, y, w, h, {
          fill:
            fill +
            Math.round(alpha * 255)
              .toString(16)
              .padStart(2, "0"),
        });
        return;
      }
      p.ctx.globalAlpha = alpha;
      p.rect(x, y, w, h, { fill });
      p.ctx.globalAlpha = 1;
    };
    return p;
  }

  return {
    update() {
      const h = shell.header;
      const isOther = h.at !== at || !picker.children.length;
      at = h.at;
      if (picker.textContent !== h.tokens.map(visible).join("")) build();
      mark();
      if (isOther) {
        done = 1;
        cancelAnimationFrame(frame);
      }
    },
    draw() {
      place();
      stage.style.width = `${box.width}px`;
      stage.style.height = `${box.height}px`;
      stage.setAttribute("aria-label", sentence());
      paint(veiled(new CanvasPainter(fit(canvas, box.width, box.height))));
      readout.textContent = sentence();
      key.replaceChildren(
        ...legend(scale("signed", -shell.header.limit, shell.header.limit, shell.theme.mode), "number", { digits: 1 }),
      );
    },
    destroy() {
      cancelAnimationFrame(frame);
    },
    table: () => {
      const {
        data,
        shape: [, d],
      } = shell.arrays.table;
      return {
        columns: ["row", "one-hot", ...Array.from({ length: d }, (_, c) => String(c))],
        rows: shell.header.entries.map((one, r) => [
          visible(one),
          r === rowOf() ? 1 : 0,
          ...data.slice(r * d, (r + 1) * d),
        ]),
      };
    },
    picture: () => ({ width: box.width, height: box.height, paint: (p) => paint(veiled(p), 1) }),
  };
}, STYLE);
