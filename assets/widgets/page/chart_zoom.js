// Charts write their letters in fixed pixels, so presenter mode enlarges them by css `zoom`. Their scripts then take a
// pointer's place on the screen for a place in the chart, and would show the wrong point. While a pointer's event runs,
// the drawing therefore says of itself that it lies where the script's own arithmetic comes out right.

const EVENTS = [
  "pointermove",
  "pointerdown",
  "pointerup",
  "mousemove",
  "mousedown",
  "mouseup",
  "mouseover",
  "mouseout",
  "click",
  "dblclick",
  "wheel",
];

/** Begin or end to correct pointers. */
export function unzoom(on) {
  for (const type of EVENTS) {
    (on ? addEventListener : removeEventListener)(type, correct, { capture: true, passive: true });
  }
}

function correct(event) {
  const drawing = event.target.closest?.('[data-testid="stVegaLiteChart"]')?.querySelector("svg.marks");
  if (!drawing || Object.hasOwn(drawing, "getBoundingClientRect")) return;
  const box = drawing.getBoundingClientRect();
  const zoom = box.width / (parseFloat(drawing.getAttribute("width")) || box.width);
  if (Math.abs(zoom - 1) < 0.01) return;
  const place = shifted(box, event.clientX, event.clientY, zoom);
  drawing.getBoundingClientRect = () => new DOMRect(...place);
  setTimeout(() => {
    delete drawing.getBoundingClientRect;
  });
}

/** The rectangle [x, y, width, height] from which a pointer at (x, y) is as far as it is in the chart's own pixels. */
export function shifted(box, x, y, zoom) {
  return [x - (x - box.left) / zoom, y - (y - box.top) / zoom, box.width / zoom, box.height / zoom];
}
