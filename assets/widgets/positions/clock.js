// The vector of a position as clock hands, one clock for each pair of numbers, over the curves and the heat map of all.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { cursorKeys } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { dot, handOf, layDials, pairAt, speed } from "./clock_math.js";
import { scale } from "../drawing/color.js";
import { conversation, LONG, paintFace, paintHand, slide } from "./dial.js";
import { CanvasPainter, fit } from "../drawing/painter.js";

const LEFT = 44;
const RIGHT = 8;
const CURVES = 96;
const AROUND = 190; // px of sliders, readout and legend
const GAP = 30;

export default define((shell) => {
  const base = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const stage = el("div", { class: "gf-stage gf-clocks", tabindex: 0, role: "img" }, base, over);
  const controls = el("div", { class: "gf-controls gf-long" });
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const at = { position: 0, distance: 0, pair: 0 };
  let place = null;
  let colors = null;
  let dragging = false;
  const python = conversation(shell, (given) => Object.assign(at, given));

  const move = (changes) => {
    Object.assign(at, changes);
    keepInside();
    paintOver();
    describe();
  };
  const tell = () => {
    shell.say(sentence());
    python.tell(at);
  };
  const positionSlider = slide(el, "position t", { input: (position) => move({ position }), change: tell });
  const distanceSlider = slide(el, "dashed: t + k", { input: (distance) => move({ distance }), change: tell });
  const reset = el("button", {
    class: "gf-solid",
    text: "Reset",
    onclick: () => {
      move({ position: 0, distance: 0, pair: 0 });
      tell();
    },
  });
  controls.append(positionSlider.node, distanceSlider.node, reset);
  shell.body.append(controls, readout, stage, key);

  cursorKeys(stage, {
    size: () => [shell.header.width / 2, shell.header.n_position],
    get: () => [at.pair, at.position],
    move: ([pair, position]) => {
      move({ pair, position });
      shell.say(sentence());
    },
    choose: tell,
    reset: () => reset.click(),
  });
  stage.addEventListener("pointerdown", (event) => {
    dragging = true;
    point(event);
  });
  stage.addEventListener("pointermove", (event) => {
    if (dragging && event.buttons) point(event);
    else dragging = false;
  });
  stage.addEventListener("pointerup", (event) => {
    if (dragging) {
      dragging = false;
      point(event);
      tell();
    }
  });

  /** A clock picks its pair; the curves and the heat map move the position. */
  function point(event) {
    const box = stage.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    if (y < place.dialsHeight) {
      const pair = Math.floor(y / place.dialHeight) * place.dials.columns + Math.floor(x / place.dials.cell);
      if (x < place.dials.columns * place.dials.cell && pair < shell.header.width / 2) move({ pair });
      return;
    }
    const position = clamp(Math.floor((x - LEFT) / place.step), 0, shell.header.n_position - 1);
    const row = Math.floor((y - place.mapTop) / place.row);
    move(row >= 0 && row < shell.header.width ? { position, pair: Math.floor(row / 2) } : { position });
  }

  function keepInside() {
    const { n_position: n, width } = shell.header;
    at.position = clamp(at.position, 0, n - 1);
    at.distance = clamp(at.distance, 0, n - 1 - at.position);
    at.pair = clamp(at.pair, 0, width / 2 - 1);
    positionSlider.set(at.position, n - 1);
    distanceSlider.set(at.distance, n - 1 - at.position, `k = ${at.distance}`);
  }

  const table = () => shell.arrays.table.data;
  const colorOf = () => [shell.theme.categorical[0], shell.theme.categorical[1]];

  function sentence() {
    const [sine, cosine] = pairAt(table(), shell.header.width, at.position, at.pair);
    return `Position ${at.position}, pair ${at.pair}: sine ${format(sine)}, cosine ${format(cosine)}`;
  }

  function describe() {
    const { width, frequencies } = shell.header;
    const { position: p, distance: k, pair } = at;
    const [sine, cosine] = pairAt(table(), width, p, pair);
    const pace = speed(frequencies[pair]);
    readout.replaceChildren(
      "position ",
      el("b", { text: String(p) }),
      `  ·  pair ${pair}: sin `,
      el("b", { text: format(sine, 4) }),
      " cos ",
      el("b", { text: format(cosine, 4) }),
      `  ·  ${format(pace.degrees, pace.degrees < 1 ? 3 : 1)}° per position, a full turn takes ${format(pace.turn, pace.turn < 100 ? 1 : 0)}`,
      el("br"),
      k ? `dot product of positions ${p} and ${p + k} = ` : `dot product of position ${p} with itself = `,
      el("b", { text: format(dot(table(), width, p, p + k), 4) }),
      k ? `  ·  the same for any two positions ${k} apart` : "  ·  half the width, at every position",
    );
  }

  /** Sizes for the width there is. */
  function lay() {
    const { width, n_position: n } = shell.header;
    const room = shell.width;
    const letters = 12 * shell.theme.unit;
    const dials = layDials(room, width / 2, 76, 112);
    const dialHeight = dials.cell + letters + 4;
    const dialsHeight = dials.rows * dialHeight + 10;
    const curvesTop = dialsHeight + 22;
    const mapTop = curvesTop + CURVES + GAP;
    const row = clamp(Math.floor((shell.tall - AROUND - mapTop - 34) / width), 4, 16);
    return {
      room,
      dials,
      dialHeight,
      dialsHeight,
      curvesTop,
      mapTop,
      row,
      step: (room - LEFT - RIGHT) / n,
      letters,
      height: mapTop + row * width + 34,
    };
  }

  /** What does not follow the finger: heat map and axes. */
  function paintBase(p) {
    const { width, n_position: n } = shell.header;
    const { theme } = shell;
    const { step, row, mapTop, curvesTop, letters } = place;
    const small = { fill: theme.soft, size: letters * 0.92, font: theme.code };
    const right = LEFT + step * n;
    const title = { ...small, font: theme.font };
    for (let j = 0; j < width; j++) {
      for (let i = 0; i < n; i++) {
        p.rect(LEFT + i * step, mapTop + j * row, step + 0.3, row + 0.3, { fill: colors.css(table()[i * width + j]) });
      }
    }
    const every = Math.ceil((letters + 2) / row);
    for (let j = 0; j < width; j += every) {
      p.text(String(j), LEFT - 6, mapTop + (j + 0.5) * row, { ...small, align: "right" });
    }
    const jump = [1, 2, 4, 8, 16, 32, 64].find((s) => s * step >= letters * 2.6) ?? 64;
    for (let i = 0; i < n; i += jump) {
      p.text(String(i), LEFT + (i + 0.5) * step, mapTop + row * width + 10, { ...small, align: "center" });
    }
    p.text("position", right, mapTop + row * width + 24, { ...title, align: "right" });
    p.text("number", 8, mapTop + (row * width) / 2, { ...title, align: "center", rotate: -90 });
    for (const v of [1, 0, -1]) {
      const y = curvesTop + ((1 - v) / 2) * CURVES;
      p.segment(LEFT, y, right, y, { color: theme.line, width: 0.75 });
      p.text(format(v, 0), LEFT - 6, y, { ...small, align: "right" });
    }
  }

  /** What follows the finger: hands, the curves of the chosen pair, the cursors. */
  function paintMoving(p) {
    const { width, n_position: n, frequencies } = shell.header;
    const { theme } = shell;
    const { dials, dialHeight, step, row, mapTop, curvesTop, letters } = place;
    const [first, second] = colorOf();
    const font = { fill: theme.soft, size: letters * 0.92, font: theme.code, align: "center" };
    frequencies.forEach((_, i) => {
      const x = ((i % dials.columns) + 0.5) * dials.cell;
      const y = Math.floor(i / dials.columns) * dialHeight + dials.cell / 2;
      const r = dials.cell / 2 - 6;
      const on = i === at.pair;
      paintFace(p, x, y, r, theme, { on });
      const to = (place) => handOf(pairAt(table(), width, place, i)).map((v) => v * r * 0.84);
      if (at.distance) {
        paintHand(p, x, y, ...to(at.position + at.distance), { color: second, width: 2, dash: [4, 3], dot: 2.5 });
      }
      paintHand(p, x, y, ...to(at.position), { color: first });
      p.text(`pair ${i}`, x, y + r + letters * 0.8, {
        ...font,
        fill: on ? theme.accent : theme.soft,
        weight: on ? 700 : 400,
      });
    });
    const line = (offset) =>
      Array.from({ length: n }, (_, i) => [
        LEFT + (i + 0.5) * step,
        curvesTop + ((1 - table()[i * width + 2 * at.pair + offset]) / 2) * CURVES,
      ]);
    p.line(line(0), { color: theme.categorical[2], width: 2 });
    p.line(line(1), { color: theme.categorical[3], width: 2, dash: [6, 4] });
    const names = { size: letters * 0.92, font: theme.font, fill: theme.soft };
    p.segment(LEFT, curvesTop - 14, LEFT + 24, curvesTop - 14, { color: theme.categorical[2], width: 2 });
    p.text(`number ${2 * at.pair}, sine`, LEFT + 30, curvesTop - 14, names);
    p.segment(LEFT + 140, curvesTop - 14, LEFT + 164, curvesTop - 14, {
      color: theme.categorical[3],
      width: 2,
      dash: [6, 4],
    });
    p.text(`number ${2 * at.pair + 1}, cosine`, LEFT + 170, curvesTop - 14, names);
    p.rect(LEFT - 1, mapTop + 2 * at.pair * row - 1, step * n + 2, 2 * row + 2, { stroke: theme.accent, width: 1.5 });
    const column = (i, color, dash) => {
      const x = LEFT + (i + 0.5) * step;
      p.segment(x, curvesTop - 4, x, curvesTop + CURVES + 4, { color, width: 2, dash });
      p.rect(LEFT + i * step - 1, mapTop - 4, Math.max(step, 3) + 2, row * width + 8, {
        stroke: color,
        width: 2,
        dash,
      });
    };
    if (at.distance) column(at.position + at.distance, second, [4, 3]);
    column(at.position, first, []);
  }

  const paintOver = () => paintMoving(new CanvasPainter(fit(over, place.room, place.height)));

  return {
    update: python.hear,
    draw() {
      colors = scale("signed", -1, 1, shell.theme.mode);
      place = lay();
      stage.style.width = `${place.room}px`;
      stage.style.height = `${place.height}px`;
      stage.setAttribute("aria-label", shell.header.takeaway);
      keepInside();
      paintBase(new CanvasPainter(fit(base, place.room, place.height)));
      paintOver();
      describe();
      key.replaceChildren(...legend(colors, "value"));
    },
    table: () => ({
      columns: ["position", ...Array.from({ length: shell.header.width }, (_, j) => `${j}`)],
      rows: Array.from({ length: shell.header.n_position }, (_, i) => [
        `${i}`,
        ...Array.from({ length: shell.header.width }, (_, j) => table()[i * shell.header.width + j]),
      ]),
    }),
    picture: () => ({
      width: place.room,
      height: place.height,
      scale: colors,
      scaleTitle: "value",
      paint: (p) => {
        paintBase(p);
        paintMoving(p);
      },
    }),
  };
}, `${LONG}.gf-clocks { touch-action: pan-y pinch-zoom; cursor: pointer; }`);
