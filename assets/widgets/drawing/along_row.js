// A picture of many things in a row, one of which is pointed at or walked to with the arrow keys: it is marked over the
// picture, and told in a line below.
import { el } from "./elements.js";
import { cursorKeys, pointer } from "./input.js";
import { CanvasPainter, fit } from "./painter.js";

/**
 * @param {any} shell
 * @param {{
 *   count: () => number, hint: string, size: () => number[], under: (x: number, y: number) => any,
 *   paint: (p: CanvasPainter) => void, mark: (p: CanvasPainter, at: any) => void, tell: (at: any) => (string | Node)[],
 * }} row size: of the picture in css pixels; under: what lies at a point: a place in the row, null for nothing, or
 *   something else that can only be pointed at.
 */
export function alongRow(shell, { count, hint, size, under, paint, mark, tell }) {
  const picture = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, picture, over);
  const readout = el("div", { class: "gf-readout" });
  shell.body.append(stage, readout);
  let at = null;

  function hover(now) {
    at = now;
    const p = new CanvasPainter(fit(over, ...size()));
    if (at !== null) mark(p, at);
    readout.replaceChildren(...(at === null ? [el("span", { class: "gf-hint", text: hint })] : tell(at)));
  }

  pointer(
    stage,
    (event) => {
      const box = stage.getBoundingClientRect();
      hover(under(event.clientX - box.left, event.clientY - box.top));
    },
    () => hover(null),
  );
  cursorKeys(stage, {
    size: () => [1, count()],
    get: () => (typeof at === "number" ? [0, at] : null),
    move: ([, place]) => {
      hover(place);
      shell.say(readout.textContent);
    },
    choose: () => {},
    reset: () => (at === null ? false : hover(null)),
  });

  return {
    stage,
    /** What was pointed at is no more. */
    forget: () => (at = null),
    draw() {
      const [width, height] = size();
      Object.assign(stage.style, { width: `${width}px`, height: `${height}px` });
      stage.setAttribute("aria-label", shell.header.takeaway);
      paint(new CanvasPainter(fit(picture, width, height)));
      hover(at);
    },
    picture: () => ({ width: size()[0], height: size()[1], paint }),
  };
}
