// Tensors that were watched in a training: maps, histograms, or one number of each over the steps. Nothing asks the
// server; the film of the same run goes to the same step.
import { define } from "../drawing/base.js";
import { el } from "../drawing/elements.js";
import { inStep } from "../drawing/in_step.js";
import { cursorKeys, drags, pointer } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { quoted } from "../drawing/tokens.js";
import { Lines } from "./watch_lines.js";
import { brief, mapsOf, valueOf } from "./watch_math.js";
import { cellAt, laidOut, paintHistograms, paintMaps, tileAt } from "./watch_tiles.js";

const CSS = `
.gf-lines svg { width: 26px; height: 8px; overflow: visible; }
.gf-lines span { font-family: var(--st-code-font); }
`;

const SVG = "http://www.w3.org/2000/svg";

export default define((shell) => {
  const player = new Player({
    what: "Training step",
    perSecond: 8,
    speeds: true,
    show,
    say: () => shell.say(player.now.textContent),
  });
  const leave = inStep(player, () => shell.header);
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img", "aria-label": "What was watched" }, canvas);
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend gf-lines" });
  shell.body.append(player.node, stage, readout, key);

  const lines = new Lines();
  let at = 0;
  let following = true;
  let tiles = [];
  let height = 0;
  let on = null; // the line that is pointed at
  const isChart = () => shell.header.view === "time";

  const row = (name, k) => {
    const { data } = shell.arrays[name];
    const n = shell.header.tensors.length;
    return shell.header.steps.map((_, i) => data[i * n + k]);
  };

  /** What is drawn, on the screen or into a file. */
  function paint(p) {
    const { theme, header: h, arrays } = shell;
    if (isChart()) {
      lines.paint(p, at, on);
      return;
    }
    const given = { tensors: h.tensors, frame: at, tiles, theme };
    if (h.view === "map") paintMaps(p, { ...given, levels: arrays.levels.data, limits: arrays.limit.data });
    else {
      const { histogram, low, high } = arrays;
      const nBin = histogram.shape[2];
      paintHistograms(p, { ...given, histogram: histogram.data, low: low.data, high: high.data, nBin });
    }
  }

  function show(index) {
    at = index;
    following = at === player.last;
    player.tell(`step ${shell.header.steps[at].toLocaleString("en")}`);
    paint(new CanvasPainter(fit(canvas, shell.width, height)));
    tellLine();
  }

  const hint = () => {
    const what =
      shell.header.view === "histogram" ? "How often each value occurs; the thin line is the first frame." : "";
    readout.replaceChildren(el("span", { class: "gf-hint", text: what || "Space plays, the arrow keys step." }));
  };

  function tellLine() {
    if (!isChart()) return;
    if (on === null || on >= lines.names.length) hint();
    else readout.replaceChildren(el("b", { text: lines.names[on] }), ` ${brief(lines.rows[on][at])}`);
  }

  function tellCell(cell) {
    if (!cell) {
      hint();
      return;
    }
    const { header: h, arrays } = shell;
    const tensor = h.tensors[cell.k];
    const [m, r, c] = tensor.maps;
    const data = mapsOf(arrays.levels.data, tensor, at);
    const limit = arrays.limit.data[at * h.tensors.length + cell.k];
    const value = valueOf(data[(cell.map * r + cell.row) * c + cell.column], limit, tensor.signed);
    const [i, j] = [cell.row * tensor.stride[1], cell.column * tensor.stride[2]];
    const name = (place, what) => (tensor.tokens ? quoted(h.tokens[place]) : `${what} ${place}`);
    readout.replaceChildren(
      el("b", { text: tensor.name }),
      m > 1 ? ` ${tensor.each} ${cell.map}` : "",
      tensor.tokens ? ` ${name(i)} reads ${name(j)}` : ` ${name(i, "row")}, ${name(j, "column")}`,
      `: ${brief(value)}`,
    );
  }

  function tellTile(tile) {
    if (!tile) {
      hint();
      return;
    }
    const { header: h, arrays } = shell;
    const i = at * h.tensors.length + tile.k;
    const told = ["mean", "deviation", "low", "high"].map(
      (name) => `${h.measures[name]} ${brief(arrays[name].data[i])}`,
    );
    readout.replaceChildren(el("b", { text: h.tensors[tile.k].name }), ` ${told.join(", ")}`);
  }

  const place = (event) => {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const point = (event) => {
    const [x, y] = place(event);
    if (isChart()) {
      const found = lines.lineAt(at, y);
      if (found !== on) {
        on = found;
        show(at);
      }
    } else if (shell.header.view === "map") tellCell(cellAt(tiles, shell.header.tensors, x, y));
    else tellTile(tileAt(tiles, x, y));
  };
  pointer(stage, point, () => {
    on = null;
    if (isChart()) show(at);
    else hint();
  });
  drags(stage, (event) => {
    if (!isChart()) return;
    player.play(false);
    player.move(lines.frameAt(place(event)[0]));
  });
  cursorKeys(stage, {
    size: () => [isChart() ? lines.names.length : 1, shell.header.steps.length],
    get: () => [on ?? 0, at],
    move([line, frame]) {
      on = isChart() ? line : null;
      player.play(false);
      player.move(frame);
      shell.say(`${player.now.textContent}. ${readout.textContent}`);
    },
    choose: () => player.play(!player.timer),
    reset() {
      const had = on !== null;
      on = null;
      show(at);
      return had;
    },
  });
  shell.body.addEventListener("keydown", (event) => {
    if (event.target !== stage && player.key(event)) event.preventDefault();
  });

  function arrange() {
    const { theme, header: h } = shell;
    if (!isChart()) {
      ({ tiles, height } = laidOut(h.view, h.tensors, shell.width, theme));
      key.replaceChildren();
      hint();
      return;
    }
    const kept = h.tensors.map((_, k) => k).filter((k) => row(h.measure, k).some(Number.isFinite));
    height = Math.round(Math.min(340 * theme.unit, Math.max(220, shell.tall - 110)));
    lines.set({
      names: kept.map((k) => h.tensors[k].name),
      rows: kept.map((k) => row(h.measure, k)),
      steps: h.steps,
      width: shell.width,
      height,
      theme,
      isShare: h.measure === "silent",
      reference: h.measure === "ratio" ? { value: 0.001, label: "one in a thousand" } : null,
    });
    key.replaceChildren(...lines.legend().map(sign));
  }

  const sign = ({ text, color, dash }) => {
    const svg = document.createElementNS(SVG, "svg");
    const line = document.createElementNS(SVG, "line");
    const look = { x1: 0, x2: 26, y1: 4, y2: 4, stroke: color, "stroke-width": 2, "stroke-dasharray": dash.join(" ") };
    for (const [name, value] of Object.entries(look)) line.setAttribute(name, String(value));
    svg.append(line);
    return el("span", {}, svg, el("span", { text }));
  };

  return {
    update() {
      const h = shell.header;
      const same = h.steps.indexOf(shell.previous?.steps?.[at]);
      on = null;
      // New frames do not pull anybody away.
      player.set(h.steps.length - 1, following || same < 0 ? h.steps.length - 1 : same);
    },
    draw() {
      arrange();
      Object.assign(stage.style, { width: `${shell.width}px`, height: `${height}px` });
      stage.style.touchAction = "pan-y pinch-zoom";
      stage.style.cursor = isChart() ? "ew-resize" : "crosshair";
      stage.setAttribute("aria-label", shell.header.takeaway);
      player.go(player.at);
    },
    destroy() {
      player.play(false);
      leave();
    },
    table: () => ({
      columns: ["tensor", ...shell.header.steps.map((step) => `step ${step}`)],
      rows: shell.header.tensors.map((one, k) => [one.name, ...row(shell.header.measure, k).map(brief)]),
    }),
    picture: () => ({
      width: shell.width,
      height: height + 20,
      paint(p) {
        p.text(player.now.textContent, 4, 8, { fill: shell.theme.text, size: 12, font: shell.theme.code });
        p.shifted(0, 20, () => paint(p));
      },
    }),
  };
}, CSS);
