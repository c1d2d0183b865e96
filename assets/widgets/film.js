// One matrix over a training: play, step and scrub through its frames, all in the browser.
import { clamp, define, el, format, legend } from "./base.js";
import { scale } from "./color.js";
import { Grid } from "./grid.js";
import { quoted } from "./tokens.js";

const FRAMES_PER_SECOND = 4;

export default define((shell) => {
  const button = (text, title, onclick) => el("button", { type: "button", class: "gf-solid", text, title, "aria-label": title, onclick });
  const playButton = button("▶", "Play (Space)", () => play(!timer));
  const slider = el("input", { type: "range", min: 0, step: 1, "aria-label": "Training step", oninput: () => { play(false); show(Number(slider.value)); } });
  const now = el("output", { class: "gf-mono" }), readout = el("div", { class: "gf-readout" }), key = el("div", { class: "gf-legend" });
  slider.style.flex = "1 1 140px";
  const grid = new Grid({ hover: (at, byKeyboard) => { describe(at); if (byKeyboard && at) shell.say(readout.textContent); } });
  const controls = el("div", { class: "gf-controls" }, playButton, button("‹", "Step back", () => stepBy(-1)), button("›", "Step on", () => stepBy(1)), slider, now);
  shell.body.append(controls, grid.node, readout, key);

  let at = 0, timer = null, following = true;
  const count = () => shell.header.steps.length;
  const levels = () => {
    const { data, shape: [, T, S] } = shell.arrays.frames;
    return data.subarray(at * T * S, (at + 1) * T * S);
  };

  function play(on) {
    clearInterval(timer);
    timer = null;
    playButton.textContent = on ? "❚❚" : "▶";
    playButton.setAttribute("aria-label", on ? "Pause (Space)" : "Play (Space)");
    if (!on) return;
    if (at === count() - 1) show(0);
    timer = setInterval(() => (at < count() - 1 ? show(at + 1) : play(false)), 1000 / FRAMES_PER_SECOND);
  }

  function stepBy(n) { play(false); show(clamp(at + n, 0, count() - 1)); shell.say(now.textContent); }

  function show(index) {
    const h = shell.header;
    at = index;
    following = at === count() - 1;
    slider.value = at;
    now.textContent = `step ${h.steps[at].toLocaleString("en")}${h.notes[at] ? `  ${h.notes[at]}` : ""}`;
    slider.setAttribute("aria-valuetext", now.textContent);
    grid.set({ values: levels(), of: (v) => v / 255, rows: h.rows, columns: h.columns, scale: grid.scale, truth: shell.arrays.truth?.data, rowTitle: h.row_title, columnTitle: h.column_title, labelFor: `${h.takeaway} Shown: ${now.textContent}.` });
    const print = JSON.stringify([h.rows, h.columns, grid.node.clientWidth, shell.theme.mode]);
    if (print !== show.print) { grid.draw(shell.theme, grid.node.clientWidth || shell.width, { maxHeight: 420 }); show.print = print; }
    else { grid.drawCells(); grid.drawOver(); }
    describe(grid.at);
  }

  function describe(cell) {
    const h = shell.header;
    if (!cell) { readout.replaceChildren(el("span", { class: "gf-hint", text: "Space plays; the slider follows the finger." })); return; }
    readout.replaceChildren("writing ", el("b", { text: quoted(h.rows[cell[0]]) }), " it reads ", el("b", { text: quoted(h.columns[cell[1]]) }), ` with ${format(grid.value(...cell), 2)}`);
  }

  shell.body.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.matches("button")) return;
    play(!timer);
    event.preventDefault();
  });

  return {
    update() {
      const h = shell.header, same = h.steps.indexOf(shell.previous?.steps?.[at]);
      at = following || same < 0 ? h.steps.length - 1 : same;  // new frames do not pull anybody away
      slider.max = h.steps.length - 1;
    },
    draw() {
      grid.scale = scale("probability", 0, 1, shell.theme.mode);
      key.replaceChildren(...legend(grid.scale, "weight (steps of 1/255)", { truth: shell.arrays.truth && shell.header.truth_title }));
      show.print = "";
      show(at);
    },
    destroy: () => play(false),
    table: () => ({
      columns: [shell.header.row_title, ...shell.header.columns],
      rows: shell.header.rows.map((t, r) => [t, ...shell.header.columns.map((_, c) => grid.value(r, c))]),
    }),
    picture: () => ({ width: grid.w + 12, height: grid.h + 32, scale: grid.scale, scaleTitle: "weight", paint(p) {
      p.text(now.textContent, 8, 12, { fill: shell.theme.text, size: 12, font: shell.theme.code });
      grid.paint(p, 6, 24);
    } }),
  };
});
