// All heads of all layers as small pictures on one canvas; the hovered one is enlarged beside them. A click opens it.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { raster, scale } from "../drawing/color.js";
import { Grid } from "../drawing/grid.js";
import { fit, paintCells } from "../drawing/painter.js";
import { quoted, visible } from "../drawing/tokens.js";

// Room for the names of layers and heads; as the letters are larger in front of a class, so is it.
let LEFT = 34;
let TOP = 22;

export default define((shell) => {
  const canvas = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const labels = el("div");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, canvas, over, labels);
  stage.style.cursor = "pointer";
  const name = el("div", { class: "gf-title" });
  const facts = el("div", { class: "gf-mono gf-facts" });
  const key = el("div", { class: "gf-legend" });
  const chooser = el("select", {
    onchange: () => {
      best = chooser.value;
      draw();
    },
  });
  const controls = el("div", { class: "gf-controls" }, el("label", {}, "★ best head by", chooser));
  const large = new Grid({
    hover: (at) => {
      pair = at;
      tell();
    },
  });
  const panel = el("div", { class: "gf-panel" }, name, facts, large.node);
  const left = el("div", {}, el("div", { class: "gf-scroll" }, stage), key);
  shell.body.append(controls, el("div", { class: "gf-split" }, left, panel));

  let geometry;
  let atlas;
  let at = null;
  let pair = null;
  let selected = null;
  let best = null;
  let shown = null;
  let off = new Set();

  cursorKeys(stage, {
    size: () => [geometry.nLayer, geometry.nHead],
    get: () => at ?? selected,
    move: (to) => {
      hover(to, null);
      shell.say(sentence(to));
    },
    choose: open,
    reset: () => {
      hover(null, null);
      if (selected) {
        selected = null;
        drawOver();
        shell.commit("pick", null);
      }
    },
  });
  const follow = (event) => hover(...find(event));
  pointer(stage, follow, () => hover(null, null));
  stage.addEventListener("click", (event) => {
    const [head] = find(event);
    if (head) open(head);
  });

  /** @param {number[]} at */
  function open([layer, head]) {
    selected = [layer, head];
    drawOver();
    shell.say(`Opened ${sentence(selected)}`);
    shell.commit("pick", { layer, head });
  }

  /** Which head, and which cell inside it, lies under the pointer. */
  function find(event) {
    const { size, step, nLayer, nHead, T, S } = geometry;
    const box = stage.getBoundingClientRect();
    const x = event.clientX - box.left - LEFT;
    const y = event.clientY - box.top - TOP;
    const h = Math.floor(x / step);
    const l = Math.floor(y / step);
    if (x < 0 || y < 0 || h >= nHead || l >= nLayer) return [null, null];
    return [
      [l, h],
      [
        clamp(Math.floor(((y - l * step) / size) * T), 0, T - 1),
        clamp(Math.floor(((x - h * step) / size) * S), 0, S - 1),
      ],
    ];
  }

  function hover(head, cell) {
    const same = head && at && head[0] === at[0] && head[1] === at[1];
    at = head;
    pair = cell;
    if (!same) drawOver();
    enlarge(at ?? selected ?? [0, 0]);
    large.at = pair;
    large.drawOver();
    tell();
  }

  const levels = ([l, h]) => {
    const { data, shape } = shell.arrays.weights;
    const n = shape[2] * shape[3];
    const start = (l * shape[1] + h) * n;
    return data.subarray(start, start + n);
  };

  /** The largest weight, leaving out the first row: under a causal mask it has only itself to read. */
  function strongest(head) {
    const { T, S } = geometry;
    const w = levels(head);
    let where = T > 1 ? S : 0;
    for (let i = where; i < w.length; i++) if (w[i] > w[where]) where = i;
    return [Math.floor(where / S), where % S, w[where] / 255];
  }

  /** Show a head in the panel. Its labels and sizes are those of every head, so only the cells are painted anew. */
  function enlarge(head, isNew = false) {
    if (!isNew && shown && shown[0] === head[0] && shown[1] === head[1]) return;
    shown = head;
    const h = shell.header;
    large.set({
      values: levels(head),
      of: (v) => v / 255,
      rows: h.tokens,
      columns: h.columns,
      scale: geometry.scale,
      labelFor: sentence(head),
    });
    if (isNew) large.draw(shell.theme, panel.clientWidth - 26, { maxHeight: 300, maxCell: 26, minCell: 3 });
    else large.drawCells();
  }

  const sentence = (head) => {
    const [r, c, w] = strongest(head);
    const h = shell.header;
    const scores = Object.entries(h.scores).map(([n, s]) => `${n} ${format(s[head[0]][head[1]], 2)}`);
    return [
      `layer ${head[0]}, head ${head[1]}`,
      off.has(`${head}`) ? "knocked out" : null,
      `strongest pair ${quoted(h.tokens[r])} reads ${quoted(h.columns[c])} ${format(w, 2)}`,
      ...scores,
    ]
      .filter(Boolean)
      .join(", ");
  };

  function tell() {
    const head = at ?? selected ?? [0, 0];
    const h = shell.header;
    const [r, c, w] = strongest(head);
    name.textContent = `Layer ${head[0]}, head ${head[1]}${off.has(`${head}`) ? " · knocked out" : ""}`;
    const line = (label, ...value) => el("div", {}, el("span", { class: "gf-soft", text: `${label} ` }), ...value);
    const token = (t) => el("b", { text: visible(t) });
    const weight = pair ? levels(head)[pair[0] * geometry.S + pair[1]] / 255 : w;
    const [a, b] = pair ?? [r, c];
    facts.replaceChildren(
      line(
        pair ? "this pair" : "strongest",
        token(h.tokens[a]),
        " reads ",
        token(h.columns[b]),
        ` ${format(weight, 2)}`,
      ),
      ...Object.entries(h.scores).map(([n, s]) =>
        line(n, `${format(s[head[0]][head[1]], 3)}${winner(n) === `${head}` ? " ★" : ""}`),
      ),
    );
  }

  /** The head with the largest score of this name, as "layer,head". */
  function winner(score) {
    let top = null;
    let where = null;
    (shell.header.scores[score] ?? []).forEach((row, l) =>
      row.forEach((v, h) => {
        if (v !== null && !off.has(`${[l, h]}`) && (top === null || v > top)) [top, where] = [v, `${[l, h]}`];
      }),
    );
    return where;
  }

  /** Every head once in one image; drawing is then one scaled copy per head. Where there are more cells than pixels
   *  a pixel shows the strongest of its cells, so that a single bright pair never vanishes. */
  function buildAtlas() {
    const { nLayer, nHead, T, S, pool, scale: colors } = geometry;
    const { data } = shell.arrays.weights;
    const rows = Math.ceil(T / pool);
    const columns = Math.ceil(S / pool);
    const top = new Uint8Array(nHead * columns * nLayer * rows);
    let i = 0;
    for (let l = 0; l < nLayer; l++) {
      for (let h = 0; h < nHead; h++) {
        for (let t = 0; t < T; t++) {
          const start = (l * rows + Math.floor(t / pool)) * nHead * columns + h * columns;
          for (let s = 0; s < S; s++, i++) {
            const to = start + (pool === 1 ? s : Math.floor(s / pool));
            if (data[i] > top[to]) top[to] = data[i];
          }
        }
      }
    }
    atlas = raster(nHead * columns, nLayer * rows, colors.rgb, (p) => top[p]);
    Object.assign(geometry, { rows, columns });
  }

  function draw() {
    const h = shell.header;
    const [nLayer, nHead, T, S] = shell.arrays.weights.shape;
    const { theme } = shell;
    LEFT = Math.round(34 * theme.unit);
    TOP = Math.round(22 * theme.unit);
    const room = left.clientWidth - LEFT - 2;
    const gap = nHead > 8 ? 5 : 8;
    const step = clamp(Math.floor(room / nHead), 29, Math.round(148 * theme.unit));
    const size = step - gap;
    const pool = Math.max(1, Math.ceil(Math.max(T, S) / (size * (globalThis.devicePixelRatio || 1)) - 0.1));
    const stale = geometry?.mode !== theme.mode || geometry?.id !== h.id || geometry?.pool !== pool;
    geometry = {
      ...geometry,
      nLayer,
      nHead,
      T,
      S,
      step,
      size,
      pool,
      mode: theme.mode,
      id: h.id,
      scale: scale("probability", 0, 1, theme.mode),
      w: LEFT + step * nHead,
      hgt: TOP + step * nLayer,
    };
    if (stale) buildAtlas();
    const { w, hgt, rows, columns } = geometry;
    Object.assign(stage.style, { width: `${w}px`, height: `${hgt}px` });
    const ctx = fit(canvas, w, hgt);
    ctx.imageSmoothingEnabled = false;
    for (let l = 0; l < nLayer; l++) {
      for (let n = 0; n < nHead; n++) {
        const x = LEFT + n * step;
        const y = TOP + l * step;
        const isOff = off.has(`${[l, n]}`);
        ctx.globalAlpha = isOff ? 0.3 : 1;
        ctx.drawImage(atlas, n * columns, l * rows, columns, rows, x, y, size, size);
        ctx.globalAlpha = 1;
        ctx.strokeStyle = theme.line;
        ctx.lineWidth = 1;
        ctx.strokeRect(x - 0.5, y - 0.5, size + 1, size + 1);
        if (isOff) {
          ctx.strokeStyle = theme.text;
          ctx.lineWidth = 1.5;
          ctx.beginPath();
          ctx.moveTo(x, y);
          ctx.lineTo(x + size, y + size);
          ctx.moveTo(x + size, y);
          ctx.lineTo(x, y + size);
          ctx.stroke();
        }
      }
    }
    drawLabels();
    drawOver();
    enlarge(at ?? selected ?? [0, 0], true);
    tell();
    stage.setAttribute("aria-label", h.takeaway);
    key.replaceChildren(
      ...legend(
        geometry.scale,
        pool > 1 ? `weight (strongest of ${pool} × ${pool} cells)` : "weight (rounded to 1/255)",
      ),
    );
  }

  function drawLabels() {
    const { nLayer, nHead, step, size } = geometry;
    const { unit } = shell.theme;
    const letter = Math.round((unit > 1 ? 12 : 11) * unit);
    const out = [];
    const put = (text, x, y, css = "") => {
      const n = el("span", { class: "gf-label", text });
      n.style.cssText = `left:${x}px;top:${y}px;font-size:${letter}px;${css}`;
      out.push(n);
    };
    for (let n = 0; n < nHead; n++) {
      put(step < 52 * unit ? `${n}` : `head ${n}`, LEFT + n * step + size / 2, 5, "transform:translateX(-50%)");
    }
    for (let l = 0; l < nLayer; l++) put(`L${l}`, 6, TOP + l * step + size / 2 - letter / 2);
    const star = winner(best);
    if (star) {
      const [l, n] = star.split(",").map(Number);
      put(
        "★",
        LEFT + n * step + size - letter - 4,
        TOP + l * step + 3,
        `color:${shell.theme.accent};background:var(--st-background-color);border-radius:4px;padding:1px 2px`,
      );
    }
    labels.replaceChildren(...out);
  }

  function drawOver() {
    const { step, size, w, hgt } = geometry;
    const ctx = fit(over, w, hgt);
    const frame = ([l, n], width) => {
      ctx.lineWidth = width;
      ctx.beginPath();
      ctx.roundRect(LEFT + n * step - 2, TOP + l * step - 2, size + 4, size + 4, 4);
      ctx.stroke();
    };
    ctx.strokeStyle = shell.theme.accent;
    if (selected) frame(selected, 3);
    if (at) frame(at, 1.75);
  }

  return {
    update() {
      const h = shell.header;
      const names = Object.keys(h.scores);
      if (JSON.stringify(h.selected) !== JSON.stringify(shell.previous?.selected)) selected = h.selected;
      off = new Set(h.off.map(String));
      const [nLayer, nHead] = shell.arrays.weights.shape;
      const fits = (p) => p && p[0] < nLayer && p[1] < nHead;
      if (!fits(selected)) selected = null;
      if (!fits(at)) at = null;
      pair = null;
      if (!names.includes(best)) best = h.best;
      controls.hidden = names.length <= 1; // one score is no choice
      chooser.replaceChildren(...names.map((n) => el("option", { value: n, text: n, selected: n === best })));
    },
    draw,
    table() {
      const { nLayer, nHead } = geometry;
      const h = shell.header;
      const names = Object.keys(h.scores);
      const rows = [];
      for (let l = 0; l < nLayer; l++) {
        for (let n = 0; n < nHead; n++) {
          const [r, c, w] = strongest([l, n]);
          rows.push([
            `layer ${l}, head ${n}${off.has(`${[l, n]}`) ? " (knocked out)" : ""}`,
            visible(h.tokens[r]),
            visible(h.columns[c]),
            w,
            ...names.map((s) => h.scores[s][l][n]),
          ]);
        }
      }
      return { columns: ["head", "strongest: query", "key", "weight", ...names], rows };
    },
    picture: () => ({
      width: geometry.w + 8,
      height: geometry.hgt + 4,
      scale: geometry.scale,
      scaleTitle: "weight",
      paint(p) {
        const { nLayer, nHead, step, size, T, S, scale: colors } = geometry;
        const { theme } = shell;
        const star = winner(best);
        for (let n = 0; n < nHead; n++) {
          p.text(`${n}`, LEFT + n * step + size / 2, 11, {
            fill: theme.soft,
            size: 11,
            font: theme.code,
            align: "center",
          });
        }
        for (let l = 0; l < nLayer; l++) {
          p.text(`L${l}`, 6, TOP + l * step + size / 2, { fill: theme.soft, size: 11, font: theme.code });
          for (let n = 0; n < nHead; n++) {
            const w = levels([l, n]);
            const x = LEFT + n * step;
            const y = TOP + l * step;
            paintCells(p, x, y, size / Math.max(T, S), T, S, (r, c) =>
              w[r * S + c] ? colors.css(w[r * S + c] / 255) : null,
            );
            p.rect(x - 0.5, y - 0.5, size + 1, size + 1, { stroke: theme.line });
            if (off.has(`${[l, n]}`)) {
              p.segment(x, y, x + size, y + size, { color: theme.text });
              p.segment(x + size, y, x, y + size, { color: theme.text });
            }
            if (star === `${[l, n]}`) {
              p.text("★", x + size - 8, y + 8, { fill: theme.accent, size: 12, align: "center" });
            }
          }
        }
      },
    }),
  };
});
