// The key-value cache of one head while a text is written: one row for each token read, the new one lit, and the
// weights with which the newest query reads all rows. Stepped and scrubbed in the browser.
import { define } from "../drawing/base.js";
import { el, format, measure } from "../drawing/elements.js";
import { legend } from "../drawing/legend.js";
import { rowsAt, sentence } from "./cache_steps.js";
import { scale } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { fitted, short } from "../drawing/tokens.js";

const STEPS_PER_SECOND = 2;

export default define((shell) => {
  const player = new Player({ what: "Step", perSecond: STEPS_PER_SECOND, show, say: () => shell.say(said()) });
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, canvas);
  const readout = el("div", { class: "gf-readout gf-said" });
  const key = el("div", { class: "gf-legend" });
  stage.style.cursor = "default";
  shell.body.append(player.node, readout, stage, key);

  let at = 0;
  let box = {};
  const last = () => shell.header.tokens.length - 1 - shell.header.n_prompt;
  const weightsAt = () => {
    const n = shell.header.tokens.length - 1;
    const row = rowsAt(at, shell.header.n_prompt).count - 1;
    return shell.arrays.weights.data.subarray(row * n, row * n + n);
  };
  const said = () => sentence(at, shell.header.n_prompt, shell.header.tokens, weightsAt());

  function show(step) {
    at = step;
    player.tell(`step ${at} of ${last()}`);
    readout.textContent = said();
    stage.setAttribute("aria-label", `${shell.header.takeaway} ${said()}`);
    paint(new CanvasPainter(fit(canvas, box.full, box.height)), scales());
  }

  shell.body.addEventListener("keydown", (event) => {
    const isStage = event.target === stage;
    const step = { ArrowUp: -1, ArrowDown: 1, Escape: -Infinity }[event.key]; // rows lie below one another
    if (isStage && step) player.stepBy(step);
    else if (!player.key(event)) return;
    event.preventDefault();
  });

  const scales = () => shell.header.limits.map((limit) => scale("signed", -limit, limit, shell.theme.mode));

  /** Where everything stands: name, weight, keys, values. */
  function place() {
    const { theme, width, header: h } = shell;
    const size = Math.round(11.5 * theme.unit);
    const names = Math.min(
      width * 0.24,
      Math.max(...h.tokens.map((token) => measure(shown(token), size, theme.code))) + 12,
    );
    const bar = Math.max(44, Math.min(150, width * 0.16));
    // As high as fits on the screen; where that is too low for the letters, every second or third row is named.
    const others = theme.unit * (theme.presenting ? 130 : 125);
    const row = Math.max(5, Math.min(size + 4, (shell.tall - others) / h.tokens.length));
    const rest = (width - names - bar - 26) / 2;
    box = {
      size,
      names,
      bar,
      row,
      wide: rest,
      left: names + bar + 12,
      top: size + 12,
      full: width,
      height: row * (h.tokens.length - 1) + size + 14,
      every: Math.ceil((size + 1) / row),
    };
  }

  const shown = (token) => short(token.trim() || token);

  function paint(p, colors) {
    const { theme, header: h, arrays } = shell;
    const { count, fresh } = rowsAt(at, h.n_prompt);
    const weights = weightsAt();
    const width = arrays.keys.shape[1];
    const cell = box.wide / width;
    const titles = { fill: theme.soft, size: box.size, font: theme.font };
    const starts = [box.left, box.left + box.wide + 12];
    const strongest = Math.max(...weights);
    p.text("weight", box.names, 8, titles);
    const numbers = box.wide > 150 ? `: ${width} numbers` : "";
    p.text(`keys${numbers}`, starts[0], 8, titles);
    p.text(`values${numbers}`, starts[1], 8, titles);
    for (let r = 0; r < h.tokens.length - 1; r++) {
      const y = box.top + r * box.row;
      const isFresh = r < count && r >= count - fresh;
      const middle = y + (box.row - 2) / 2;
      if (r >= count) {
        for (const x of starts) p.rect(x, y + 1, box.wide, box.row - 3, { stroke: theme.line, dash: [2, 3] });
        continue;
      }
      const name = fitted(shown(h.tokens[r]), box.names - 10, (text) => measure(text, box.size, theme.code));
      const isOnly = isFresh && fresh === 1;
      const isNear = fresh === 1 && Math.abs(r - count + 1) < box.every;
      if (isOnly || (r % box.every === 0 && !isNear)) {
        p.text(name, box.names - 6, middle, {
          fill: isFresh ? theme.accent : theme.text,
          weight: isFresh ? 700 : 400,
          size: box.size,
          font: theme.code,
          align: "right",
        });
      }
      const length = weights[r] * (box.bar - 38);
      p.rect(box.names, y + 1, Math.max(0.5, length), box.row - 3, { fill: theme.categorical[0] });
      if (weights[r] === strongest || (weights[r] >= 0.1 && box.every === 1)) {
        p.text(format(weights[r], 2), box.names + length + 3, middle, {
          fill: theme.text,
          size: box.size - 1,
          font: theme.code,
        });
      }
      ["keys", "values"].forEach((part, n) => {
        for (let c = 0; c < width; c++) {
          p.rect(starts[n] + c * cell, y, cell + 0.4, box.row - Math.min(2, box.row / 8), {
            fill: colors[n].css(arrays[part].data[r * width + c]),
          });
        }
        if (isFresh) p.rect(starts[n] - 1, y - 1, box.wide + 2, box.row, { stroke: theme.accent, width: 2 });
      });
    }
  }

  return {
    update() {
      const same = JSON.stringify(shell.previous?.tokens) === JSON.stringify(shell.header.tokens);
      player.set(last(), same ? player.at : 1);
    },
    draw() {
      place();
      Object.assign(stage.style, { width: `${box.full}px`, height: `${box.height}px` });
      const [keys, values] = scales();
      key.replaceChildren(
        ...legend(keys, "keys", { digits: 1 }),
        ...legend(values, "values", { digits: 1 }),
        el("span", { text: "framed: new at this step · dashed: not read yet" }),
      );
      player.go(player.at);
    },
    destroy: () => player.play(false),
    table: () => {
      const { header: h, arrays } = shell;
      const { count } = rowsAt(at, h.n_prompt);
      const n = arrays.keys.shape[1];
      const weights = weightsAt();
      const numbers = (part, r) => Array.from(arrays[part].data.subarray(r * n, r * n + n));
      return {
        columns: [
          "token",
          "weight",
          ...["key", "value"].flatMap((part) => Array.from({ length: n }, (_, c) => `${part} ${c}`)),
        ],
        rows: Array.from({ length: count }, (_, r) => [
          shown(h.tokens[r]),
          weights[r],
          ...numbers("keys", r),
          ...numbers("values", r),
        ]),
      };
    },
    picture: () => ({ width: box.full, height: box.height, paint: (p) => paint(p, scales()) }),
  };
}, `.gf-said { min-height: 2.9em; margin: 0 0 0.3rem; } .gf-controls { margin: 0 0 0.4rem; } .gf.presenting .gf-head { display: none; }`);
