// Strokes over a grid of switches: a mouse or a pen draws at once, a finger once "Draw with a finger" is pressed. Until
// then a finger scrolls the page, a tap sets one cell, and two fingers always zoom.
import { el } from "../drawing/elements.js";
import { labels } from "./labels.js";

export const STYLE = `
.gf-mask .gf-finger { display: none; }
@media (any-pointer: coarse) { .gf-mask .gf-finger { display: inline-block; } }
`;

/**
 * @param {any} grid
 * @param {{begin: (at: number[]) => void, set: (at: number[]) => void, show: () => void, end: () => void,
 *   drop: () => void}} acts at a stroke's first cell, for each cell on its way, after each move, at its end, and where
 *   a second finger has come: then nothing of it stays
 */
export function strokes(grid, acts) {
  const { stage } = grid;
  let last = null; // the cell where the stroke is
  let isServed = false; // whether the click that follows has been served already
  const isOn = () => button.getAttribute("aria-pressed") === "true";
  const button = el("button", {
    class: "gf-solid gf-finger",
    text: labels("finger"),
    "data-name": "finger",
    "aria-pressed": "false",
    onclick: () => {
      button.setAttribute("aria-pressed", String(!isOn()));
      stage.style.touchAction = isOn() ? "pinch-zoom" : "";
    },
  });

  /** All cells on the straight line from the last one: a fast pointer skips none. */
  function go([r, c]) {
    const [r0, c0] = last;
    const far = Math.max(Math.abs(r - r0), Math.abs(c - c0), 1);
    for (let i = 0; i <= far; i++) {
      acts.set([Math.round(r0 + ((r - r0) * i) / far), Math.round(c0 + ((c - c0) * i) / far)]);
    }
    last = [r, c];
    acts.show();
  }

  function drop() {
    if (last) acts.drop();
    last = null;
  }

  stage.addEventListener("pointerdown", (event) => {
    const at = grid.cellAt(event);
    if (event.pointerType === "touch" && !(event.isPrimary && isOn())) {
      drop();
      return;
    }
    if (!at || event.button) return;
    stage.setPointerCapture(event.pointerId);
    isServed = true;
    last = at;
    acts.begin(at);
    go(at);
  });
  stage.addEventListener("pointermove", (event) => {
    const at = last && grid.cellAt(event);
    if (at) go(at);
  });
  stage.addEventListener("pointerup", () => {
    if (last) acts.end();
    last = null;
  });
  stage.addEventListener("pointercancel", drop);
  stage.addEventListener("keydown", () => (isServed = false), true);

  return {
    button,
    /** Whether a stroke has served the click that comes now. */
    served() {
      const was = isServed;
      isServed = false;
      return was;
    },
  };
}
