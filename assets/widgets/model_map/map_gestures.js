// Wheel, two fingers and keys on the map.
import { withModifier } from "../drawing/input.js";

const NOTCH = 50; // of a wheel, for one place in or out
const PINCH = 60; // css pixels by which two fingers part, for the same

/**
 * `zoom(isIn, event)` for each notch of the wheel, and each time that two fingers part or close. A page scrolls by the
 * wheel, until one has clicked into the picture, or holds Ctrl.
 */
export function zooms(stage, zoom) {
  let turned = 0;
  stage.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !stage.matches(":focus-within")) return;
      event.preventDefault();
      turned -= event.deltaY;
      if (Math.abs(turned) < NOTCH) return;
      zoom(turned > 0, event);
      turned = 0;
    },
    { passive: false },
  );
  const fingers = new Map();
  let span = 0;
  const apart = () => {
    const [a, b] = [...fingers.values()];
    return Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
  };
  stage.addEventListener("pointerdown", (event) => {
    fingers.set(event.pointerId, event);
    if (fingers.size === 2) span = apart();
  });
  stage.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, event);
    if (fingers.size !== 2 || Math.abs(apart() - span) < PINCH) return;
    zoom(apart() > span, event);
    span = apart();
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
    stage.addEventListener(end, (event) => fingers.delete(event.pointerId));
  }
}

/** Keys by their names: `acts.Escape(event)` and so on; one that returns false leaves the key to the page. */
export function keys(node, acts, others) {
  node.addEventListener("keydown", (event) => {
    const isField = event.target.matches("input, select, textarea");
    const isUndo = event.key === "z" && (event.ctrlKey || event.metaKey);
    if (isField ? event.key !== "Escape" : withModifier(event) && !isUndo) return;
    const act = isUndo ? acts.undo : acts[event.key];
    if ((act ? act() : others(event)) === false) return;
    event.preventDefault();
    event.stopPropagation();
  });
}
