// A query and a key turned by their positions: one dial for each pair of numbers, the score, and the score by distance.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { cursorKeys } from "../drawing/input.js";
import { layDials, pairIndices, score } from "./clock_math.js";
import { conversation, LONG, paintFace, paintHand, slide } from "./dial.js";
import { CanvasPainter, fit } from "../drawing/painter.js";

const LEFT = 48;
const RIGHT = 10;
const CURVE = 120;

export default define((shell) => {
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, canvas);
  const controls = el("div", { class: "gf-controls gf-long" });
  const readout = el("div", { class: "gf-readout" });
  const at = { query: 0, key: 0 };
  const python = conversation(shell, (given) => Object.assign(at, given));
  let place = null;
  let now = null;

  const move = (changes) => {
    Object.assign(at, changes);
    refresh();
  };
  const tell = () => {
    shell.say(`Query at ${at.query}, key at ${at.key}: score ${format(now.total, 4)}`);
    python.tell(at);
  };
  const together = (start) => {
    const low = Math.min(at.query, at.key);
    move({ query: at.query - low + start, key: at.key - low + start });
  };
  const both = slide(el, "slide both", { input: together, change: tell });
  const querySlider = slide(el, "query at", { input: (query) => move({ query }), change: tell });
  const keySlider = slide(el, "key at", { input: (key) => move({ key }), change: tell });
  const reset = el("button", {
    class: "gf-solid",
    text: "Reset",
    onclick: () => {
      move({ ...shell.header.start });
      tell();
    },
  });
  controls.append(both.node, querySlider.node, keySlider.node, reset);
  shell.body.append(controls, readout, stage);
  cursorKeys(stage, {
    size: () => [shell.header.n_position, shell.header.n_position],
    get: () => [at.key, at.query],
    move: ([key, query]) => {
      move({ key, query });
      shell.say(`Query at ${query}, key at ${key}: score ${format(now.total, 4)}`);
    },
    choose: tell,
    reset: () => reset.click(),
  });

  function refresh() {
    const { n_position: n, frequencies, interleaved } = shell.header;
    const { q, k } = shell.arrays;
    at.query = clamp(at.query, 0, n - 1);
    at.key = clamp(at.key, 0, n - 1);
    now = score(q.data, k.data, at.query, at.key, frequencies, interleaved);
    querySlider.set(at.query, n - 1);
    keySlider.set(at.key, n - 1);
    both.set(Math.min(at.query, at.key), n - 1 - Math.abs(at.query - at.key));
    readout.replaceChildren(
      "score ",
      el("b", { text: format(now.total, 4) }),
      `  ·  query at ${at.query}, key at ${at.key}  ·  distance ${format(at.key - at.query, 0)}`,
    );
    if (place) paint(new CanvasPainter(fit(canvas, place.room, place.height)));
  }

  function lay() {
    const room = shell.width;
    const letters = 12 * shell.theme.unit;
    const dials = layDials(room, shell.header.frequencies.length, 96, 150);
    const dialHeight = dials.cell + letters * 2.6;
    const top = dials.rows * dialHeight + 34;
    return { room, letters, dials, dialHeight, top, height: top + CURVE + 36 };
  }

  function paint(p) {
    const { theme } = shell;
    const { frequencies, interleaved } = shell.header;
    const { dials, dialHeight, letters } = place;
    const longest = Math.max(
      ...frequencies.flatMap((_, i) => {
        const [a, b] = pairIndices(now.q.length, interleaved, i);
        return [Math.hypot(now.q[a], now.q[b]), Math.hypot(now.k[a], now.k[b])];
      }),
      1e-9,
    );
    const font = { fill: theme.soft, size: letters * 0.92, font: theme.code, align: "center" };
    frequencies.forEach((_, i) => {
      const [a, b] = pairIndices(now.q.length, interleaved, i);
      const x = ((i % dials.columns) + 0.5) * dials.cell;
      const y = Math.floor(i / dials.columns) * dialHeight + dials.cell / 2;
      const r = dials.cell / 2 - 8;
      const unit = (r * 0.84) / longest;
      paintFace(p, x, y, r, theme);
      paintHand(p, x, y, now.k[a] * unit, -now.k[b] * unit, { color: theme.categorical[1], dash: [5, 3], dot: 2.5 });
      paintHand(p, x, y, now.q[a] * unit, -now.q[b] * unit, { color: theme.categorical[0] });
      p.text(`numbers ${a}, ${b}`, x, y + r + letters * 0.9, font);
      p.text(format(now.parts[i]), x, y + r + letters * 2.1, { ...font, fill: theme.text });
    });
    paintCurve(p);
  }

  /** The score by distance, from Python; the cursor stands still when both slide together. */
  function paintCurve(p) {
    const { theme } = shell;
    const { n_position: n } = shell.header;
    const { data } = shell.arrays.by_distance;
    const { top, room, letters } = place;
    const most = Math.max(...data.map(Math.abs), 1e-9) * 1.1;
    const width = room - LEFT - RIGHT;
    const x = (d) => LEFT + ((d + n - 1) / (2 * n - 2)) * width;
    const y = (v) => top + ((most - v) / (2 * most)) * CURVE;
    const small = { fill: theme.soft, size: letters * 0.92, font: theme.code };
    p.segment(LEFT, top - 20, LEFT + 24, top - 20, { color: theme.categorical[0], width: 2.5 });
    p.text("query", LEFT + 30, top - 20, { ...small, font: theme.font });
    p.segment(LEFT + 84, top - 20, LEFT + 108, top - 20, { color: theme.categorical[1], width: 2.5, dash: [5, 3] });
    p.text("key", LEFT + 114, top - 20, { ...small, font: theme.font });
    for (const v of [most / 1.1, 0, -most / 1.1]) {
      p.segment(LEFT, y(v), LEFT + width, y(v), { color: theme.line, width: 0.75 });
      p.text(format(v, 1), LEFT - 6, y(v), { ...small, align: "right" });
    }
    for (const d of [-(n - 1), -Math.round(n / 2), 0, Math.round(n / 2), n - 1]) {
      p.text(format(d, 0), clamp(x(d), LEFT + 8, room - 14), top + CURVE + 11, { ...small, align: "center" });
    }
    p.text("distance: key minus query", LEFT + width, top + CURVE + 26, { ...small, font: theme.font, align: "right" });
    p.line(
      Array.from(data, (v, i) => [x(i - n + 1), y(v)]),
      { color: theme.categorical[2], width: 2 },
    );
    const d = at.key - at.query;
    p.segment(x(d), top - 6, x(d), top + CURVE, { color: theme.accent, width: 1.5 });
    p.rect(x(d) - 4, y(now.total) - 4, 8, 8, { fill: theme.accent, radius: 4 });
  }

  return {
    update: python.hear,
    draw() {
      place = lay();
      stage.style.width = `${place.room}px`;
      stage.style.height = `${place.height}px`;
      stage.setAttribute("aria-label", shell.header.takeaway);
      refresh();
    },
    table: () => ({
      columns: ["numbers", "query", "", "key", "", "adds to the score"],
      rows: shell.header.frequencies.map((_, i) => {
        const [a, b] = pairIndices(now.q.length, shell.header.interleaved, i);
        return [`${a}, ${b}`, now.q[a], now.q[b], now.k[a], now.k[b], now.parts[i]];
      }),
    }),
    picture: () => ({ width: place.room, height: place.height, paint }),
  };
}, LONG);
