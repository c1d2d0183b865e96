// A padded batch in one picture: a row of panels for each text, one panel for each mask. Hover says why a cell is
// closed.
import { define } from "../drawing/base.js";
import { el, measure } from "../drawing/elements.js";
import { pointer } from "../drawing/input.js";
import { fit } from "../drawing/painter.js";
import { short, visible } from "../drawing/tokens.js";
import { LATER, OPEN, PADDED, state, WORDS } from "./batch_cells.js";

const GAP = 22;
const HEAD = 26;
const FOOT = 10;
const STYLE = `
.gf-batch-swatches { display: flex; flex-wrap: wrap; gap: 0.4rem 1.1rem; margin-top: 0.6rem; font-size: 0.75rem; color: var(--gf-soft); }
.gf-batch-swatches > span { display: inline-flex; align-items: center; gap: 0.45rem; }
.gf-batch-swatches canvas { border: 1px solid var(--gf-line); border-radius: 3px; }
`;

export default define((shell) => {
  const canvas = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, canvas, over);
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-batch-swatches" });
  shell.body.append(el("div", { class: "gf-scroll" }, stage), readout, key);
  let at = null;
  let cell = 10;
  let left = 40;
  let boxes = [];
  let w = 0;
  let h = 0;

  pointer(
    stage,
    (event) => point(find(event)),
    () => point(null),
  );
  stage.addEventListener("keydown", (event) => {
    const { tokens, panels } = shell.header;
    const n = tokens[0].length;
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Escape") point(null);
    else if (!move) return;
    else {
      // over the edge of a panel lies its neighbor
      let [b, p, t, s] = at ?? [0, panels.length - 1, -move[0], -move[1]];
      t += move[0];
      s += move[1];
      if (t < 0 && b > 0) {
        b--;
        t = n - 1;
      } else if (t >= n && b < tokens.length - 1) {
        b++;
        t = 0;
      }
      if (s < 0 && p > 0) {
        p--;
        s = n - 1;
      } else if (s >= n && p < panels.length - 1) {
        p++;
        s = 0;
      }
      point([b, p, Math.max(0, Math.min(n - 1, t)), Math.max(0, Math.min(n - 1, s))], true);
    }
    event.preventDefault();
  });

  const stateOf = ([b, p, t, s]) => state(shell.header.panels[p], shell.header.lengths[b], t, s);

  function find(event) {
    const box = stage.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const n = shell.header.tokens[0].length;
    for (const [b, p, bx, by] of boxes) {
      const t = Math.floor((y - by) / cell);
      const s = Math.floor((x - bx) / cell);
      if (t >= 0 && s >= 0 && t < n && s < n) return [b, p, t, s];
    }
    return null;
  }

  function point(next, byKeyboard = false) {
    at = next;
    const ctx = fit(over, w, h);
    const { tokens } = shell.header;
    if (!at) {
      readout.replaceChildren(
        el("span", {
          class: "gf-hint",
          text: "Point at a cell, or use the arrow keys: it says who reads whom, and why not.",
        }),
      );
      return;
    }
    const [b, p, t, s] = at;
    const names = tokens[b];
    const why = WORDS[stateOf(at)];
    ctx.strokeStyle = shell.theme.accent;
    for (const [bb, pp, x, y] of boxes) {
      if (bb === b) {
        // the same cell in all panels of this text
        ctx.lineWidth = pp === p ? 2.5 : 1.5;
        ctx.strokeRect(x + s * cell, y + t * cell, cell, cell);
      }
    }
    const text = `text ${b + 1} · query ${visible(names[t])} (${t}) · key ${visible(names[s])} (${s}): ${why}`;
    readout.textContent = text;
    if (byKeyboard) shell.say(text);
  }

  /** Every picture of it: paint(painter, dx, dy) for files, the same on the canvas. */
  function cells(put) {
    const { tokens, panels } = shell.header;
    const n = tokens[0].length;
    for (const [b, p, x, y] of boxes) {
      for (let t = 0; t < n; t++) {
        for (let s = 0; s < n; s++) put(stateOf([b, p, t, s]), x + s * cell, y + t * cell, b, p, panels, t, s);
      }
    }
  }

  /** Solid: open. Lines down: later. Lines up: padding. Both: a lattice. A sign each, so that no color is needed. */
  function mark(ctx, code, x, y, size) {
    const { theme } = shell;
    if (code === OPEN) {
      ctx.fillStyle = theme.categorical[0];
      ctx.fillRect(x + 0.5, y + 0.5, size - 1, size - 1);
      return;
    }
    ctx.lineWidth = 1;
    if (code & LATER) {
      ctx.strokeStyle = theme.soft;
      ctx.beginPath();
      ctx.moveTo(x + 2, y + 2);
      ctx.lineTo(x + size - 2, y + size - 2);
      ctx.stroke();
    }
    if (code & PADDED) {
      ctx.strokeStyle = theme.accent;
      ctx.beginPath();
      ctx.moveTo(x + 2, y + size - 2);
      ctx.lineTo(x + size - 2, y + 2);
      ctx.stroke();
    }
  }

  function layOut() {
    const { tokens, panels } = shell.header;
    const n = tokens[0].length;
    const { theme } = shell;
    const size = Math.round(11 * theme.unit);
    const widest = Math.max(...tokens.flat().map((t) => measure(short(t, 8), size, theme.code)));
    left = Math.ceil(widest) + 10;
    const wide = (shell.width - left - GAP * (panels.length - 1) - 4) / (n * panels.length);
    const high = (shell.tall - 110 * theme.unit - HEAD - FOOT - GAP * (tokens.length - 1)) / (n * tokens.length);
    cell = Math.max(7, Math.floor(Math.min(18, wide, high)));
    boxes = tokens.flatMap((_, b) =>
      panels.map((_, p) => [b, p, left + p * (n * cell + GAP), HEAD + b * (n * cell + GAP)]),
    );
    w = left + panels.length * (n * cell + GAP) - GAP + 2;
    h = HEAD + tokens.length * (n * cell + GAP) - GAP + FOOT;
    return { n, size };
  }

  return {
    update() {
      at = null;
    },
    draw() {
      const { n, size } = layOut();
      const { theme, header } = shell;
      const every = Math.ceil((size + 1) / cell);
      stage.style.width = `${w}px`;
      stage.style.height = `${h}px`;
      stage.setAttribute("aria-label", header.takeaway);
      const ctx = fit(canvas, w, h);
      ctx.textBaseline = "middle";
      cells((code, x, y) => mark(ctx, code, x, y, cell));
      for (const [b, p, x, y] of boxes) {
        ctx.strokeStyle = theme.line;
        ctx.lineWidth = 1;
        ctx.strokeRect(x - 0.5, y - 0.5, n * cell + 1, n * cell + 1);
        if (b === 0) {
          ctx.fillStyle = theme.text;
          ctx.font = `600 ${size + 1}px ${theme.font}`;
          ctx.textAlign = "left";
          ctx.fillText(header.panel_names[p], x, y - 13);
        }
        if (p === 0) {
          header.tokens[b].forEach((name, t) => {
            if (t % every) return;
            ctx.fillStyle = t < header.lengths[b] ? theme.text : theme.soft;
            ctx.font = `${size}px ${theme.code}`;
            ctx.textAlign = "right";
            ctx.fillText(short(name, 8), x - 6, y + (t + 0.5) * cell);
          });
        }
      }
      key.replaceChildren(
        ...[OPEN, LATER, PADDED, LATER | PADDED].map((code) => {
          const swatch = el("canvas");
          mark(fit(swatch, 14, 14), code, 0, 0, 14);
          return el("span", {}, swatch, WORDS[code]);
        }),
      );
      point(at);
    },
    table: () => ({
      columns: ["text", "mask", "query", ...shell.header.tokens[0].map((_, s) => `key ${s}`)],
      rows: boxes.flatMap(([b, p]) =>
        shell.header.tokens[b].map((name, t) => [
          String(b + 1),
          shell.header.panel_names[p],
          visible(name),
          ...shell.header.tokens[b].map((_, s) => WORDS[stateOf([b, p, t, s])]),
        ]),
      ),
    }),
    picture: () => ({
      width: w,
      height: h,
      paint(p) {
        const { theme, header } = shell;
        const n = header.tokens[0].length;
        const every = Math.ceil(12 / cell);
        cells((code, x, y) => {
          if (code === OPEN) p.rect(x + 0.5, y + 0.5, cell - 1, cell - 1, { fill: theme.categorical[0] });
          if (code & LATER) {
            p.segment(x + 2, y + 2, x + cell - 2, y + cell - 2, { color: theme.soft });
          }
          if (code & PADDED) {
            p.segment(x + 2, y + cell - 2, x + cell - 2, y + 2, { color: theme.accent });
          }
        });
        for (const [b, i, x, y] of boxes) {
          p.rect(x - 0.5, y - 0.5, n * cell + 1, n * cell + 1, { stroke: theme.line });
          if (b === 0) {
            p.text(header.panel_names[i], x, y - 13, { fill: theme.text, size: 12, font: theme.font, weight: 600 });
          }
          if (i === 0) {
            header.tokens[b].forEach(
              (name, t) =>
                t % every ||
                p.text(short(name, 8), x - 6, y + (t + 0.5) * cell, {
                  fill: theme.text,
                  size: 11,
                  font: theme.code,
                  align: "right",
                }),
            );
          }
        }
      },
    }),
  };
}, STYLE);
