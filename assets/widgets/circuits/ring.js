// Numbers as points in two directions, and a line from each to the next. Pointing at a number tells which two it is
// joined with; the arrow keys walk along the line.
import { define } from "../drawing/base.js";
import { clamp, el } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";

const [MOST, ROUND, REACH] = [330, 9, 20]; // px: side of the picture, radius of a point, how far a pointer finds one

export default define((shell) => {
  const picture = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, picture, over);
  const readout = el("div", { class: "gf-readout" });
  shell.body.append(stage, readout);
  let at = null; // a place on the line

  const order = () => shell.header.order;
  const side = () => Math.min(shell.width, MOST * shell.theme.unit);
  const round = () => ROUND * shell.theme.unit;
  const around = (place) => order()[(place + order().length) % order().length];

  /** Where a number stands. */
  function spot(number) {
    const half = side() / 2;
    const [x, y] = [0, 1].map((i) => shell.arrays.points.data[2 * number + i] * (half - round() - 2));
    return [half + x, half - y];
  }

  pointer(
    stage,
    (event) => {
      const box = stage.getBoundingClientRect();
      const away = order().map((number) => {
        const [x, y] = spot(number);
        return Math.hypot(x - event.clientX + box.left, y - event.clientY + box.top);
      });
      const nearest = Math.min(...away);
      hover(nearest < REACH ? away.indexOf(nearest) : null);
    },
    () => hover(null),
  );
  cursorKeys(stage, {
    size: () => [1, order().length],
    get: () => (at === null ? null : [0, at]),
    move: ([, place]) => {
      hover(clamp(place, 0, order().length - 1));
      shell.say(readout.textContent);
    },
    choose: () => {},
    reset: () => (at === null ? false : hover(null)),
  });

  function hover(place) {
    at = place;
    paintOver();
    describe();
  }

  function describe() {
    if (at === null) {
      readout.replaceChildren(
        el("span", { class: "gf-hint", text: "Point at a number, or walk with the arrow keys." }),
      );
      return;
    }
    readout.replaceChildren(
      el("b", { text: `${around(at)}` }),
      ` is joined with ${around(at - 1)} and ${around(at + 1)}`,
    );
  }

  function paintPoint(p, number, { fill, ink }) {
    const [x, y] = spot(number);
    const r = round();
    p.rect(x - r, y - r, 2 * r, 2 * r, { fill, stroke: shell.theme.categorical[0], width: 1, radius: r });
    const size = Math.round(11 * shell.theme.unit);
    p.text(`${number}`, x, y, { fill: ink, size, font: shell.theme.font, align: "center", weight: 600 });
  }

  function paint(p) {
    const { theme } = shell;
    const line = [...order(), order()[0]].map(spot);
    p.line(line, { color: theme.categorical[5], width: 1.5 });
    for (const number of order()) paintPoint(p, number, { fill: theme.page, ink: theme.text });
  }

  function paintOver() {
    const p = new CanvasPainter(fit(over, side(), side()));
    if (at === null) return;
    p.line([around(at - 1), around(at), around(at + 1)].map(spot), { color: shell.theme.accent, width: 2.5 });
    for (const place of [at - 1, at + 1]) {
      paintPoint(p, around(place), { fill: shell.theme.page, ink: shell.theme.text });
    }
    paintPoint(p, around(at), { fill: shell.theme.accent, ink: shell.theme.onAccent });
  }

  return {
    update() {},
    draw() {
      stage.style.width = `${side()}px`;
      stage.style.height = `${side()}px`;
      stage.style.margin = "0 auto";
      stage.setAttribute("aria-label", shell.header.takeaway);
      paint(new CanvasPainter(fit(picture, side(), side())));
      paintOver();
      describe();
    },
    table: () => ({
      columns: ["number", "across", "up"],
      rows: order().map((_, n) => [`${n}`, shell.arrays.points.data[2 * n], shell.arrays.points.data[2 * n + 1]]),
    }),
    picture: () => ({ width: side(), height: side(), paint }),
  };
});
