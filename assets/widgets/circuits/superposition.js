// The arrows of a toy model, one for each feature, and what comes back of each. In the plane an arrow is dragged, and
// the loss follows; beside the arrows, and in space, the whole is turned.
import { define } from "../drawing/base.js";
import { readableOn, scale } from "../drawing/color.js";
import { clamp, el, format } from "../drawing/elements.js";
import { drags } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Controls } from "../scene/controls.js";
import { labels } from "./labels.js";
import { edges, loss, products, seen } from "./superposition_math.js";

const RANGE = 1.5; // what half of the plane holds
const LIMIT = 1.4; // of the scale of the matrix
const GAP = 28;
const TOP = 24;
const RADIANS = Math.PI / 180;
const DIGITS = 4;

export default define((shell) => {
  const canvas = el("canvas");
  const hand = el("div"); // over the arrows: elsewhere a finger scrolls the page
  Object.assign(hand.style, {
    position: "absolute",
    left: 0,
    top: `${TOP}px`,
    touchAction: "pinch-zoom",
    cursor: "grab",
  });
  const stage = el("div", { class: "gf-stage", role: "img" }, canvas, hand);
  const controls = new Controls();
  const readout = el("div", { class: "gf-readout" });
  shell.body.append(stage, readout, controls.node);

  let weight = []; // as it stands under the hand
  let held = 0; // the feature that the sliders move
  let grip; // what the pointer holds: an arrow, or all of them as they stood
  let [turn, tilt] = [0, 0];
  let place = null;

  const toy = () => shell.header.toy;
  const isFlat = () => weight.length === 2;
  const along = (angle, long) => {
    [weight[0][held], weight[1][held]] = [long * Math.cos(angle), long * Math.sin(angle)];
  };
  const length = () => Math.hypot(...weight.map((row) => row[held]));
  const angle = () => Math.atan2(weight[1][held], weight[0][held]);

  function start() {
    weight = toy().weight.map((row) => [...row]);
    held = clamp(held, 0, weight[0].length - 1);
    [turn, tilt] = isFlat() ? [0, 0] : [0.5, 0.4];
  }

  /** In the plane the sliders move the arrow of one feature; in space they turn all. */
  function showControls() {
    const degrees = (radians) => Math.round(((radians / RADIANS + 540) % 360) - 180);
    const release = () => shell.say(readout.textContent);
    const slider = (key, min, max, value, shown, move, step = 1) => {
      const change = (to) => {
        move(to);
        refresh();
      };
      return { label: labels(key), key, min, max, step, value, shown, change, release };
    };
    const turning = (key, most, radians, move) =>
      slider(key, -most, most, degrees(radians), `${degrees(radians)}°`.replace("-", "−"), (to) => move(to * RADIANS));
    const flat = [
      slider("feature", 1, 5, held + 1, `${held + 1}`, (to) => (held = to - 1)),
      turning("direction", 180, angle(), (to) => along(to, length() || 1e-6)),
      slider("length", 0, RANGE, length(), format(length(), 2), (to) => along(angle(), to), 0.01),
    ];
    const deep = [turning("turn", 180, turn, (to) => (turn = to)), turning("tilt", 90, tilt, (to) => (tilt = to))];
    const reset = () => {
      start();
      refresh();
      release();
    };
    controls.show([...(isFlat() ? flat : deep), { text: labels("reset"), act: reset }], false);
  }

  /** Pixels to the plane, seen as it is turned. */
  function spot(event) {
    const box = hand.getBoundingClientRect();
    const half = place.side / 2;
    return [(event.clientX - box.left - half) / place.unit, (half - event.clientY + box.top) / place.unit];
  }

  function take(event) {
    const [x, y] = spot(event);
    const reach = (event.pointerType === "mouse" ? 18 : 30) / place.unit;
    const far = seen(weight, turn, tilt).map((tip) => Math.hypot(tip[0] - x, tip[1] - y));
    const nearest = far.indexOf(Math.min(...far));
    return isFlat() && far[nearest] < reach
      ? { feature: nearest }
      : { at: [event.clientX, event.clientY], around: Math.atan2(y, x), turn, tilt };
  }

  drags(hand, (event) => {
    if (event.type === "pointerdown") grip = take(event);
    const [x, y] = spot(event);
    if (grip.feature !== undefined) {
      held = grip.feature;
      along(Math.atan2(y, x) - turn, Math.min(RANGE, Math.hypot(x, y)));
    } else if (isFlat()) turn = grip.turn + Math.atan2(y, x) - grip.around;
    else {
      turn = grip.turn + (event.clientX - grip.at[0]) / 120;
      tilt = clamp(grip.tilt + (event.clientY - grip.at[1]) / 120, -Math.PI / 2, Math.PI / 2);
    }
    refresh();
  });
  hand.addEventListener("pointerup", () => shell.say(readout.textContent));

  /** In space no arrow is dragged: the loss is as trained. */
  function now() {
    const { values, importance } = shell.header;
    return isFlat() ? loss({ ...toy(), weight }, values[toy().bias.length], importance) : toy().loss;
  }

  function refresh() {
    showControls();
    const found = now();
    const isMoved = Math.abs(found - toy().loss) > 1e-6;
    readout.replaceChildren(
      ...labels.parts("loss", { loss: el("b", { text: format(found, DIGITS) }) }),
      `  ·  ${isMoved ? labels("loss_trained", { loss: format(toy().loss, DIGITS) }) : labels("as_trained")}`,
      `  ·  ${labels("loss_first", { n: weight.length, loss: format(toy().first, DIGITS) })}`,
    );
    if (place) paint(new CanvasPainter(fit(canvas, place.width, place.height)));
  }

  function lay() {
    const width = shell.width;
    const isWide = width >= 560;
    const side = Math.min(isWide ? (width - GAP) / 2 : width, 400, shell.tall - TOP);
    const n = toy().bias.length;
    const cell = (side - 22) / n;
    const height = isWide ? side + TOP + 4 : 2 * (side + TOP) + GAP;
    const matrix = isWide ? [side + GAP, 0] : [0, side + TOP + GAP];
    return { width, side, cell, matrix, height, unit: (side / 2 - 12) / RANGE };
  }

  function paint(p) {
    const title = { fill: shell.theme.soft, size: Math.round(13 * shell.theme.unit), font: shell.theme.font };
    p.text(labels(isFlat() ? "arrows.flat" : "arrows.deep"), 0, 9, title);
    p.shifted(0, TOP, () => paintArrows(p));
    p.shifted(...place.matrix, () => {
      p.text(labels("matrix"), 0, 9, title);
      p.shifted(0, TOP, () => paintMatrix(p));
    });
  }

  function paintArrows(p) {
    const { theme } = shell;
    const { side, unit } = place;
    const middle = side / 2;
    const at = ([x, y]) => [middle + x * unit, middle - y * unit];
    const tips = seen(weight, turn, tilt);
    p.rect(0.5, 0.5, side - 1, side - 1, { fill: theme.panel, stroke: theme.line, radius: 6 });
    if (isFlat()) {
      p.segment(middle, 6, middle, side - 6, { color: theme.line, width: 1 });
      p.segment(6, middle, side - 6, middle, { color: theme.line, width: 1 });
    }
    for (const [i, j] of edges(weight)) {
      p.line([at(tips[i]), at(tips[j])], { color: theme.soft, width: 1, dash: [4, 4] });
    }
    const order = tips.map((_, i) => i).sort((a, b) => tips[a][2] - tips[b][2]);
    for (const i of order) {
      const color = theme.categorical[i % theme.categorical.length];
      const [x, y] = at(tips[i]);
      const reach = Math.hypot(x - middle, y - middle);
      const width = 3 + tips[i][2];
      p.segment(middle, middle, x, y, { color, width });
      if (reach > 8) {
        const angle = Math.atan2(y - middle, x - middle);
        const wing = (one) => [x - 11 * Math.cos(angle + one), y - 11 * Math.sin(angle + one)];
        p.line([wing(0.45), [x, y], wing(-0.45)], { color, width });
      }
    }
    for (const i of order) {
      const [x, y] = at(tips[i]);
      const reach = Math.hypot(x - middle, y - middle);
      const out = reach > 8 ? 15 / reach : 0;
      p.text(
        `${i + 1}`,
        clamp(x + (x - middle) * out, 8, side - 8),
        clamp(y + (y - middle) * out + (out ? 0 : 14 * (i % 2 ? 1 : -1)), 10, side - 10),
        { fill: theme.text, size: Math.round(13 * theme.unit), font: theme.font, align: "center", weight: 650 },
      );
    }
  }

  function paintMatrix(p) {
    const { theme } = shell;
    const { cell } = place;
    const n = toy().bias.length;
    const colors = scale("signed", -LIMIT, LIMIT, theme.mode);
    const small = { size: Math.round(12 * theme.unit), font: theme.code, align: "center" };
    products(weight).forEach((value, index) => {
      const [i, j] = [Math.floor(index / n), index % n];
      const [x, y] = [20 + j * cell, 20 + i * cell];
      p.rect(x, y, cell - 1, cell - 1, { fill: colors.css(value) });
      const ink = readableOn(colors.css(value));
      p.text(format(value, cell < 44 ? 1 : 2), x + cell / 2, y + cell / 2, { ...small, fill: ink });
    });
    for (let i = 0; i < n; i++) {
      p.text(`${i + 1}`, 20 + (i + 0.5) * cell, 10, { ...small, fill: theme.soft });
      p.text(`${i + 1}`, 9, 20 + (i + 0.5) * cell, { ...small, fill: theme.soft });
    }
  }

  return {
    update: start,
    draw() {
      place = lay();
      stage.style.width = `${place.width}px`;
      stage.style.height = `${place.height}px`;
      hand.style.width = hand.style.height = `${place.side}px`;
      stage.setAttribute("aria-label", shell.header.takeaway);
      refresh();
    },
    table() {
      const n = weight[0].length;
      const product = products(weight);
      const counted = [...Array(n).keys()];
      return {
        columns: [labels("feature"), labels("length"), ...counted.map((j) => labels("back", { i: j + 1 }))],
        rows: counted.map((i) => [`${i + 1}`, Math.sqrt(product[i * n + i]), ...product.slice(i * n, (i + 1) * n)]),
      };
    },
    picture: () => ({ width: place.width, height: place.height, paint }),
  };
});
