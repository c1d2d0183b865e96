// Charts write their letters in fixed pixels, so presenter mode enlarges them by css `zoom`; what is too tall for a
// slide is made smaller by it. Scripts then take a pointer's place on the screen for a place in the picture, and would
// show the wrong point. While a pointer's event runs, the drawing therefore says of itself that it lies where the
// script's own arithmetic comes out right.

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
  const chart = event.target.closest?.('[data-testid="stVegaLiteChart"]')?.querySelector("svg.marks");
  if (chart) correctOne(chart, event, chart.getBoundingClientRect().width / parseFloat(chart.getAttribute("width")));
  const widget = event.composedPath().find((node) => node.matches?.("figure.gf"));
  if (!widget) return;
  const zoom = widget.getBoundingClientRect().width / widget.offsetWidth;
  for (const node of event.composedPath()) {
    if (node === widget) break;
    correctOne(node, event, zoom);
  }
}

function correctOne(node, event, zoom) {
  if (Object.hasOwn(node, "getBoundingClientRect") || !(Math.abs(zoom - 1) >= 0.01)) return;
  const place = shifted(node.getBoundingClientRect(), event.clientX, event.clientY, zoom);
  node.getBoundingClientRect = () => new DOMRect(...place);
  setTimeout(() => {
    delete node.getBoundingClientRect;
  });
}

/** The rectangle [x, y, width, height] from which a pointer at (x, y) is as far as it is in the chart's own pixels. */
export function shifted(box, x, y, zoom) {
  return [x - (x - box.left) / zoom, y - (y - box.top) / zoom, box.width / zoom, box.height / zoom];
}
