// Draw a digit with mouse, finger or pen; beside it, while one draws, the 8 x 8 pixels that the model reads.
import { define } from "../drawing/base.js";
import { clamp, el } from "../drawing/elements.js";
import { cursorKeys, withModifier } from "../drawing/input.js";
import {
  drawLine,
  FULL_CELL,
  fromSymbols,
  isBlank,
  keyed,
  N,
  Past,
  SIZE,
  spread,
  toCells,
  toSymbols,
} from "./canvas_math.js";
import { paintField, paintPixels, shadeOf } from "./canvas_paint.js";
import { labels } from "./labels.js";

const RADIUS = SIZE / 17;
const RUBBER = SIZE / 11; // a pen about as thick as the strokes of the digits that were learned
const STYLE = `
.gf-drawing { display: flex; flex-wrap: wrap; gap: 0.6rem 1.5rem; align-items: flex-start; }
.gf-drawing > div > b { display: block; font-size: 0.8125rem; font-weight: 600; margin-bottom: 0.35rem; }
.gf-pad, .gf-cells { display: block; border: 1px solid var(--gf-line); border-radius: 6px; position: relative; }
.gf-pad { touch-action: none; cursor: crosshair; background: var(--st-background-color); }
.gf-pad.rub { cursor: cell; }
.gf-cells { cursor: pointer; touch-action: pan-y pinch-zoom; }
.gf .gf-drawing-tools { margin: 0.5rem 0 0; gap: 0.4rem 0.5rem; }
.gf-drawing + .gf-readout { min-height: 2.9em; }
@container (min-width: 560px) { .gf-drawing + .gf-readout { min-height: 1.6em; } }
`;

export default define((shell) => {
  const pad = el("canvas", { class: "gf-pad", role: "img" });
  const grid = el("canvas", { class: "gf-cells", role: "application", tabindex: 0 });
  const solid = (text, title, onclick) => el("button", { class: "gf-solid", text, title, onclick });
  const undo = solid(labels("undo"), labels("undo_hint"), () => back());
  const rubber = solid(labels("rubber"), labels("rubber_hint"), () => {
    isRubber = !isRubber;
    mark();
  });
  rubber.dataset.name = "Rub out instead of drawing"; // in the address, in every language
  const clear = solid(labels("clear"), labels("clear_hint"), () => wipe());
  const tools = el(
    "div",
    { class: "gf-controls gf-drawing-tools", role: "group", "aria-label": labels("tools") },
    clear,
    undo,
    rubber,
  );
  const readout = el("div", { class: "gf-readout" });
  shell.body.append(
    el(
      "div",
      { class: "gf-drawing" },
      el("div", {}, el("b", { text: labels("draw_here") }), pad, tools),
      el("div", {}, el("b", { text: labels("model_reads") }), grid),
    ),
    readout,
  );
  const sheet = el("canvas", { width: SIZE, height: SIZE }); // the field as an image, drawn larger onto the pad
  const past = new Past();
  let field = new Uint8Array(SIZE * SIZE);
  let cells = new Uint8Array(N * N);
  let committed = "";
  let turn = 0;
  let isRubber = false;
  let stroke = null;
  let at = null;
  let waiting = 0;

  // ---- The pad: one pointer at a time; a second finger does not draw -----------------------------------------------
  const placeOf = (event) => {
    const box = pad.getBoundingClientRect();
    const edge = pad.clientLeft;
    return [event.clientX - box.left - edge, event.clientY - box.top - edge].map(
      (v, i) => (v * SIZE) / (i ? pad.clientHeight : pad.clientWidth),
    );
  };
  pad.addEventListener("pointerdown", (event) => {
    if (stroke || event.button || !event.isPrimary) return;
    event.preventDefault();
    pad.setPointerCapture(event.pointerId);
    past.keep([field.slice(), cells]);
    stroke = { id: event.pointerId, last: placeOf(event), rub: isRubber || event.buttons === 32 };
    line(stroke.last);
  });
  pad.addEventListener("pointermove", (event) => {
    if (stroke?.id !== event.pointerId) return;
    const between = event.getCoalescedEvents?.() ?? [];
    for (const one of between.length ? between : [event]) line(placeOf(one));
  });
  for (const end of ["pointerup", "pointercancel"]) {
    pad.addEventListener(end, (event) => {
      if (stroke?.id !== event.pointerId) return;
      stroke = null;
      done();
    });
  }

  function line(to) {
    drawLine(field, stroke.last, to, stroke.rub ? RUBBER : RADIUS, stroke.rub);
    stroke.last = to;
    if (!waiting) {
      waiting = requestAnimationFrame(() => {
        waiting = 0;
        reduce();
        paint();
      });
    }
  }

  const reduce = () => {
    cells = toCells(field, SIZE, SIZE) ?? new Uint8Array(N * N);
  };

  function done() {
    if (waiting) cancelAnimationFrame(waiting);
    waiting = 0;
    reduce();
    paint();
    mark();
    tell();
    commit();
  }

  // ---- The pixels: arrow keys and numbers, or a click --------------------------------------------------------------
  cursorKeys(grid, {
    size: () => [N, N],
    get: () => at,
    move: (to) => point(to, true),
    choose: (to) => set(to, " "),
    reset: () => point(null),
  });
  grid.addEventListener("keydown", (event) => {
    if (withModifier(event) || event.defaultPrevented || !at) return;
    if (keyed(0, event.key) === null) return;
    event.preventDefault();
    set(at, event.key);
  });
  const cellOf = (event) => {
    const box = grid.getBoundingClientRect();
    return [event.clientY - box.top, event.clientX - box.left].map((v, i) =>
      clamp(Math.floor((v * N) / (i ? box.width : box.height)), 0, N - 1),
    );
  };
  grid.addEventListener("pointermove", (event) => point(cellOf(event)));
  grid.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && shell.root.getRootNode().activeElement !== grid) point(null);
  });
  grid.addEventListener("click", (event) => {
    if (event.detail) set(cellOf(event), " ");
  });
  grid.addEventListener("focus", () => {
    if (!at) point([0, 0]);
  });
  shell.body.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
    event.preventDefault();
    back();
  });

  /** @param {number[]} at */
  function set([r, c], key) {
    const next = keyed(cells[r * N + c], key);
    past.keep([field, cells]);
    cells = cells.slice();
    cells[r * N + c] = next;
    field = spread(cells);
    paint();
    mark();
    point([r, c]);
    commit();
    shell.say(sentence([r, c]));
  }

  // ---- Steps back --------------------------------------------------------------------------------------------------
  function back() {
    if (past.isEmpty || stroke) return;
    [field, cells] = past.back();
    paint();
    mark();
    tell();
    commit();
    shell.say(labels("taken_back"));
  }

  function wipe() {
    past.keep([field, cells]);
    field = new Uint8Array(SIZE * SIZE);
    cells = new Uint8Array(N * N);
    isRubber = false;
    paint();
    mark();
    tell();
    shell.say(labels("is_blank"));
  }

  /** Tell Python, unless it knows already; a blank field is no digit and stays here. */
  function commit() {
    const now = toSymbols(cells);
    if (now === committed || isBlank(cells)) return;
    committed = now;
    shell.commit("drawn", { cells: now, turn: ++turn });
  }

  function mark() {
    undo.disabled = past.isEmpty;
    clear.disabled = isBlank(cells) && field.every((v) => v === 0);
    rubber.setAttribute("aria-pressed", String(isRubber));
    pad.classList.toggle("rub", isRubber);
  }

  // ---- Words -------------------------------------------------------------------------------------------------------
  const sentence = ([r, c]) => labels("ink_at", { row: r, column: c, ink: cells[r * N + c], full: FULL_CELL });

  function tell() {
    if (at) {
      readout.replaceChildren(sentence(at));
      return;
    }
    const hint = isBlank(cells) ? labels("hint_blank") : labels("hint");
    readout.replaceChildren(el("span", { class: "gf-hint", text: hint }));
  }

  function point(to, isKey = false) {
    if (to && at && to[0] === at[0] && to[1] === at[1] && !isKey) return tell();
    at = to;
    paintCells();
    tell();
    if (isKey && at) shell.say(sentence(at));
  }

  // ---- Painting ----------------------------------------------------------------------------------------------------
  const size = () => (shell.width < 480 ? Math.min(256, shell.width - 4) : 240);

  function paint() {
    paintPad();
    paintCells();
  }

  function paintPad() {
    paintField(pad, sheet, field, size(), shell.theme);
    pad.setAttribute("aria-label", isBlank(cells) ? labels("pad_blank") : labels("pad"));
  }

  function paintCells() {
    paintPixels(grid, cells, at, size(), shell.theme);
    const total = cells.reduce((a, v) => a + v, 0);
    grid.setAttribute(
      "aria-label",
      `${shell.header.takeaway ?? ""} ${labels("cells", { ink: total, full: N * N * FULL_CELL })}`,
    );
  }

  return {
    update() {
      const h = shell.header;
      const news = toSymbols(shell.arrays.cells.data);
      // An answer to an earlier stroke: what is drawn since stays.
      if (stroke || (turn > 0 && (h.turn ?? 0) < turn)) return;
      turn = h.turn ?? turn;
      if (news === toSymbols(cells)) {
        committed = news;
        return;
      }
      if (news === committed && isBlank(cells)) return; // cleared, and nothing drawn since
      if (committed) past.keep([field, cells]);
      cells = fromSymbols(news);
      field = spread(cells);
      committed = news;
    },
    draw() {
      paint();
      mark();
      tell();
    },
    table: () => ({
      columns: [labels("row"), ...Array.from({ length: N }, (_, c) => labels("column_n", { column: c }))],
      rows: Array.from({ length: N }, (_, r) => [String(r), ...Array.from(cells.subarray(r * N, (r + 1) * N), String)]),
    }),
    picture: () => ({
      width: 8 * 28 + 12,
      height: 8 * 28 + 12,
      paint(p) {
        cells.forEach((v, i) =>
          p.rect(6 + (i % N) * 28, 6 + Math.floor(i / N) * 28, 28, 28, {
            fill: shadeOf(shell.theme, v),
            stroke: shell.theme.line,
          }),
        );
      },
    }),
    destroy() {
      if (waiting) cancelAnimationFrame(waiting);
    },
  };
}, STYLE);
