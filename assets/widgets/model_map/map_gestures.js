// Wheel and keys on the map.
import { withModifier } from "../drawing/input.js";

const NOTCH = 50; // of a wheel, for one place in or out

/**
 * `zoom(isIn, event)` for each notch of the wheel. A page scrolls by it, until one has clicked into the picture, or
 * holds Ctrl. Two fingers zoom the page, as everywhere.
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
