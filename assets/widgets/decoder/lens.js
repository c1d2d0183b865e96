// The logit lens: layers down, positions across, in each cell the token that the layer would say. With several frames,
// a film over a training. Nothing asks the server.
import { define } from "../drawing/base.js";
import { chance, clamp, el, measure } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { readableOn, scale } from "../drawing/color.js";
import { bestRank, cellAt, wordFor } from "./lens_math.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { fitted, short } from "../drawing/tokens.js";
import { TOP_STYLE, topTokens } from "./top_tokens.js";

const STYLE = `${TOP_STYLE}
.gf-lens .gf-stage { cursor: crosshair; touch-action: pan-x pan-y pinch-zoom; }
.gf-lens .below { display: flex; flex-wrap: wrap; gap: 0 1.4rem; align-items: baseline; }
.gf-lens .below .gf-controls { margin: 0.4rem 0 0; }
.gf-lens .gf-readout { font-family: var(--st-font); min-height: 1.6em; flex: 1 1 240px; }
.gf-lens .gf-top { flex: 1 1 340px; margin-top: 0.4rem; }
`;
const LINE = [30, 44]; // of a row of cells, at least and at most
const AROUND = 300; // what stands above and below the cells
const WORD = 7; // letters of a token that are shown in any case
const TOP = 44;

export default define((shell) => {
  const player = new Player({
    what: "Training step",
    unit: "frame",
    perSecond: 4,
    show: go,
    say: () => shell.say(player.now.textContent),
  });
  const button = (name, text) =>
    el("button", {
      class: "gf-solid",
      text,
      onclick: () => {
        by = name;
        draw();
      },
    });
  const choices = {
    probability: button("probability", "its probability"),
    rank: button("rank", "rank of the true token"),
  };
  const chooser = el(
    "div",
    { class: "gf-controls", role: "group", "aria-label": "Color by" },
    el("span", { class: "gf-soft", text: "Color by" }),
    ...Object.values(choices),
  );
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, canvas);
  const scroller = el("div", { class: "gf-scroll" }, stage);
  const readout = el("div", { class: "gf-readout" });
  const key = el("div", { class: "gf-legend" });
  const below = el("div", { class: "below" }, chooser, key);
  const said = el("div", { class: "below" }, readout);
  shell.body.append(el("div", { class: "gf-lens" }, player.node, scroller, below, said));
  let by = "probability";
  let frame = 0;
  let following = true;
  let at = null;
  let pinned = null;
  let size = null;

  const rows = () => shell.header.rows.length;
  const columns = () => shell.header.tokens.length;
  const cell = (r, c) => cellAt(shell.arrays, frame, r, c);
  const word = (id) => shell.header.words[id];
  const isFilm = () => shell.header.steps.length > 1;

  const cellOf = (event) => {
    const box = stage.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - size.left) / size.column);
    const r = Math.floor((event.clientY - box.top - size.top) / size.line);
    return r >= 0 && r < rows() && c >= 0 && c < columns() ? [r, c] : null;
  };
  pointer(
    stage,
    (event) => choose(cellOf(event) ?? kept()),
    () => choose(kept()),
  );
  stage.addEventListener("click", (event) => pin(cellOf(event) ?? pinned));
  cursorKeys(stage, {
    size: () => [rows(), columns()],
    get: () => at,
    choose: () => {},
    reset: () => pin(null),
    move: (to) => pin(to, true),
  });
  shell.body.addEventListener("keydown", (event) => {
    if (!isFilm() || (event.key !== " " && stage.contains(event.target))) return; // the picture has arrows of its own
    if (player.key(event)) event.preventDefault();
  });

  /** The cell that a click has kept; before one the last but one, or where a narrow screen begins. */
  const kept = () => pinned ?? [rows() - 1, size.width > shell.width + 4 ? 0 : Math.max(0, columns() - 2)];

  function pin(to, byKeyboard) {
    pinned = to;
    choose(kept(), byKeyboard);
  }

  function choose(to, byKeyboard = false) {
    if (at && to[0] === at[0] && to[1] === at[1]) return;
    at = to;
    paintNow();
    describe();
    if (byKeyboard) shell.say(readout.textContent);
  }

  function go(index) {
    frame = index;
    following = frame === player.last;
    const note = shell.header.notes[frame];
    player.tell(`step ${shell.header.steps[frame].toLocaleString("en")}${note ? `: ${note}` : ""}`);
    if (at) {
      paintNow();
      describe();
    }
  }

  function measureUp() {
    const unit = shell.theme.unit;
    const names = Math.max(...shell.header.rows.map((text) => measure(text, 11 * unit, shell.theme.font)));
    const left = Math.ceil(Math.min(names + 10, shell.width < 480 ? 84 : 170));
    const column = clamp(
      Math.floor((shell.width - left - 4) / columns()),
      Math.round(43 * unit),
      Math.round(112 * unit),
    );
    const letter = measure("m", 100, shell.theme.code) / 100;
    const line = clamp((shell.tall / unit - AROUND) / rows(), ...LINE);
    size = {
      unit,
      left,
      column,
      letters: clamp((column - 5) / (WORD * letter), 10 * unit, 12 * unit),
      top: TOP * unit,
      line: line * unit,
      width: left + columns() * column + 2,
      height: (TOP + line * rows() + 36) * unit,
    };
  }

  function paintNow() {
    Object.assign(stage.style, { width: `${size.width}px`, height: `${size.height}px` });
    paint(new CanvasPainter(fit(canvas, size.width, size.height)));
  }

  const cut = (text, room, font, most = 14) =>
    fitted(most ? short(text, most) : text, room, (one) => measure(one, font.size, font.font));

  function paint(q) {
    const { theme, header: h } = shell;
    const { unit, left, column, letters, top, line } = size;
    const colors = scale("probability", 0, 1, theme.mode);
    const font = { font: theme.code, size: letters, align: "center" };
    const soft = { fill: theme.soft, size: 11 * unit, font: theme.font };
    q.text("has read", 2, 12 * unit, soft);
    h.tokens.forEach((token, c) =>
      q.text(cut(token, column - 4, font), left + (c + 0.5) * column, 26 * unit, {
        ...font,
        fill: at?.[1] === c ? theme.accent : theme.text,
        weight: at?.[1] === c ? 700 : 400,
      }),
    );
    h.rows.forEach((name, r) => {
      q.text(cut(name, left - 10, soft, 0), 2, top + (r + 0.5) * line, {
        ...soft,
        fill: at?.[0] === r ? theme.accent : theme.soft,
      });
      for (let c = 0; c < columns(); c++) {
        const one = cell(r, c);
        const value = by === "rank" ? bestRank(one.rank) : one.top[0][1];
        const fill = colors.css(value);
        const ink = readableOn(fill);
        q.rect(left + c * column + 1, top + r * line + 1, column - 2, line - 2, { fill, radius: 3 });
        const text = by === "rank" ? (one.rank ? `${one.rank}` : "–") : cut(word(one.top[0][0]), column - 4, font);
        q.text(text, left + (c + 0.5) * column, top + (r + 0.5) * line + 0.5, { ...font, fill: ink });
        if (one.rank === 1) {
          q.rect(left + c * column + 2.5, top + r * line + 2.5, column - 5, line - 5, {
            stroke: theme.truth,
            width: 2,
            radius: 3,
          });
        }
      }
    });
    if (at) {
      q.rect(left + at[1] * column, top + at[0] * line, column, line, { stroke: theme.accent, width: 2.5, radius: 3 });
    }
    const below = top + rows() * line + 16 * unit;
    q.text("came next", 2, below, soft);
    for (let c = 0; c < columns(); c++) {
      q.text(c + 1 < columns() ? cut(h.tokens[c + 1], column - 4, font) : "?", left + (c + 0.5) * column, below, {
        ...font,
        fill: theme.truth,
      });
    }
  }

  function describe() {
    const [r, c] = at;
    const h = shell.header;
    const one = cell(r, c);
    const next = h.tokens[c + 1];
    readout.textContent = wordFor(h.rows[r], h.tokens[c], one, next === undefined ? null : next);
    const tops = one.top.map(([id, share]) => [word(id), share]);
    const truth = one.rank && one.rank <= tops.length ? one.rank - 1 : -1;
    said.replaceChildren(readout);
    if (!(isFilm() && shell.theme.presenting)) {
      said.append(topTokens(tops, { truth, color: shell.theme.categorical[0] }));
    }
  }

  function draw() {
    for (const [name, node] of Object.entries(choices)) node.setAttribute("aria-pressed", String(name === by));
    player.node.hidden = !isFilm();
    measureUp();
    at ??= kept();
    key.replaceChildren(
      ...legend(scale("probability", 0, 1, shell.theme.mode), by === "rank" ? "1 / rank" : "probability", {
        truth: "the true token is first",
      }),
    );
    stage.setAttribute("aria-label", `${shell.header.takeaway} Arrow keys go through layers and positions.`);
    player.go(player.at);
  }

  return {
    held: () => pinned,
    hold([r, c]) {
      if (r < rows() && c < columns()) pin([r, c]);
    },
    update() {
      const h = shell.header;
      const before = shell.previous;
      const same = before?.steps?.indexOf ? h.steps.indexOf(before.steps[frame]) : -1;
      if (!at || at[0] >= rows() || at[1] >= columns() || JSON.stringify(before?.tokens) !== JSON.stringify(h.tokens)) {
        at = pinned = null;
      }
      // New frames do not pull anybody away.
      player.set(h.steps.length - 1, following || same < 0 ? h.steps.length - 1 : same);
      frame = player.at;
    },
    draw,
    destroy: () => player.play(false),
    table: () => ({
      columns: ["layer", ...shell.header.tokens.map((token, c) => `${c} ${token}`)],
      rows: shell.header.rows.map((name, r) => [
        name,
        ...shell.header.tokens.map((_, c) => {
          const one = cell(r, c);
          return `${short(word(one.top[0][0]))} ${chance(one.top[0][1], 2)}, true: ${one.rank || "–"}`;
        }),
      ]),
    }),
    picture: () => ({
      width: size.width + 12,
      height: size.height + 4,
      scale: scale("probability", 0, 1, shell.theme.mode),
      scaleTitle: by === "rank" ? "1 / rank" : "probability",
      paint: (q) => q.shifted(6, 0, () => paint(q)),
    }),
  };
}, STYLE);
