// Pointer and keys over a picture.
import { clamp } from "./elements.js";

/** Keys with one of these belong to the browser. */
export const withModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** A mouse goes; a finger leaves its mark. */
export function mouseLeaves(node, leave) {
  node.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse") leave();
  });
}

/** `point(event)` while a pointer moves over the node or touches it, `leave()` when a mouse goes. */
export function pointer(node, point, leave) {
  node.addEventListener("pointermove", point);
  node.addEventListener("pointerdown", point);
  mouseLeaves(node, leave);
}

/** `drag(event)` from the touch on, as long as the pointer is held. A second finger ends it: two zoom the page. */
export function drags(node, drag) {
  let isHeld = false;
  node.addEventListener("pointerdown", (event) => {
    if (!event.isPrimary) {
      isHeld = false;
      return;
    }
    node.setPointerCapture(event.pointerId);
    isHeld = true;
    drag(event);
  });
  node.addEventListener("pointermove", (event) => {
    if (isHeld) drag(event);
  });
  for (const end of ["pointerup", "pointercancel"]) node.addEventListener(end, () => (isHeld = false));
}

/** A finger that begins where `isHandle(touch)` moves what lies there; elsewhere it scrolls the page, and two zoom. */
export function grips(node, isHandle) {
  node.addEventListener(
    "touchstart",
    (event) => {
      if (event.touches.length === 1 && isHandle(event.touches[0])) event.preventDefault();
    },
    { passive: false },
  );
}

/** The number that the element under the pointer, or one around it, carries as `data-i`; null if none. */
export function indexUnder(event) {
  const node = event.target.closest?.("[data-i]");
  return node ? Number(node.dataset.i) : null;
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Arrow keys move a cursor [row, column] on `node`, Enter or Space chooses, Escape resets (false: nothing was set). */
export function cursorKeys(node, { size, get, move, choose, reset }) {
  node.addEventListener("keydown", (event) => {
    if (event.target !== node || withModifier(event)) return;
    const [rows, columns] = size();
    const at = get();
    if (ARROWS[event.key]) {
      const [dr, dc] = ARROWS[event.key];
      move(at ? [clamp(at[0] + dr, 0, rows - 1), clamp(at[1] + dc, 0, columns - 1)] : [0, 0]);
    } else if (event.key === "Home") move([at ? at[0] : 0, 0]);
    else if (event.key === "End") move([at ? at[0] : 0, columns - 1]);
    else if ((event.key === "Enter" || event.key === " ") && at) choose(at);
    else if (event.key === "Escape") {
      if (reset() === false) return; // there was nothing to forget: the key may mean something to the page
    } else return;
    event.preventDefault();
  });
}
