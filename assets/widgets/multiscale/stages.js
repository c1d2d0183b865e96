// The stages of a multi-scale model: stacks of channels to scale, and the windows of the chosen stage over the picture.
import { define } from "../drawing/base.js";
import { clamp, el, grouped } from "../drawing/elements.js";
import { cursorKeys, pointer, withModifier } from "../drawing/input.js";
import { mix } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { cuts, neighbor, pieceOf, stacks } from "./stages_math.js";

const FINEST = 3; // css pixels: closer lines are a gray

export default define(
  (shell) => {
    const cells = el("canvas");
    const stacked = el("div", { class: "gf-stage gf-stacks", tabindex: 0, role: "img" }, cells);
    const map = el("canvas");
    const grid = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, map);
    const list = el("div", { class: "gf-models", role: "group", "aria-label": "The stages" });
    const shiftButton = el("button", {
      class: "gf-solid",
      "data-name": "shift",
      "aria-pressed": "false",
      onclick: () => {
        shifted = !shifted;
        at = null;
        refresh();
        shell.say(shiftButton.textContent);
      },
    });
    const words = el("div", { class: "gf-readout" });
    const how = el("div", {
      class: "gf-soft",
      text: "In front the tokens of a stage, behind them its channels, to one scale. Click one.",
    });
    shell.body.append(
      stacked,
      how,
      el("div", { class: "gf-pair gf-below" }, el("div", {}, grid, shiftButton), el("div", {}, list, words)),
    );
    let chosen = 0;
    let shifted = false;
    let at = null;
    let side = 300;
    let room = 600;
    let buttons = [];

    const stages = () => shell.header.stages;
    const one = () => stages()[chosen];
    const canShift = () => one().shift > 0;
    const ends = () => cuts(one().side, one().window, shifted && canShift() ? one().shift : 0);
    const color = (i) => shell.theme.categorical[i % shell.theme.categorical.length];

    function choose(i) {
      chosen = clamp(i, 0, stages().length - 1);
      at = null;
      refresh();
      shell.say(sentence());
    }

    function sentence() {
      const s = one();
      const e = ends();
      if (!at) {
        return `Stage ${chosen}: ${s.side} × ${s.side} = ${grouped(s.side ** 2)} tokens of ${grouped(s.width)} channels, ${grouped(s.side ** 2 * s.width)} numbers. A token stands for ${s.pixels} × ${s.pixels} pixels.`;
      }
      const [top, bottom] = pieceOf(e, at[0]);
      const [left, right] = pieceOf(e, at[1]);
      const n = (bottom - top) * (right - left);
      const from = `rows ${top} to ${bottom - 1}, columns ${left} to ${right - 1}`;
      return `${from}: ${bottom - top} × ${right - left} = ${grouped(n)} tokens, which attend only to each other: ${grouped(n * s.pixels ** 2)} of ${grouped((s.side * s.pixels) ** 2)} pixels.`;
    }

    function refresh() {
      buttons.forEach((button, i) => {
        button.setAttribute("aria-pressed", String(i === chosen));
        button.tabIndex = i === chosen ? 0 : -1;
        button.firstChild.style.background = color(i);
      });
      shiftButton.disabled = !canShift();
      shiftButton.setAttribute("aria-pressed", String(shifted && canShift()));
      shiftButton.textContent = !canShift()
        ? one().window < one().side
          ? "Windows are never shifted"
          : "One window: nothing to shift"
        : shifted
          ? "Blocks 1, 3, …: shifted windows"
          : "Blocks 0, 2, …: windows as they are";
      words.textContent = sentence();
      paintStacks(new CanvasPainter(fit(cells, room, stackHeight())));
      paintGrid(new CanvasPainter(fit(map, side, side)));
    }

    const stackHeight = () => Math.ceil(stacks(stages(), room - 4).height) + 4;

    function paintStacks(p) {
      const { theme } = shell;
      const { unit, boxes } = stacks(stages(), room - 4);
      boxes.forEach((box, i) => {
        const s = stages()[i];
        const n = Math.max(1, Math.min(s.width, Math.round(box.deep / 2.2)));
        const edge = mix(theme.page, color(i), i === chosen ? 0.95 : 0.6);
        for (let k = n; k >= 0; k--) {
          const dx = (box.deep * k) / n;
          const fill = mix(theme.page, color(i), (i === chosen ? 0.3 : 0.16) + (k ? 0 : 0.1));
          p.rect(2 + box.x + dx, 2 + box.y - dx / 2, box.size, box.size, { fill, stroke: edge, width: k ? 0.6 : 1.4 });
        }
        for (const end of cuts(s.side, s.window).slice(1, -1)) {
          if (s.window * unit < FINEST) break;
          const d = 2 + box.x + end * unit;
          const e = 2 + box.y + end * unit;
          p.segment(d, 2 + box.y, d, 2 + box.y + box.size, { color: edge, width: 0.8 });
          p.segment(2 + box.x, e, 2 + box.x + box.size, e, { color: edge, width: 0.8 });
        }
      });
    }

    function paintGrid(p) {
      const { theme } = shell;
      const s = one();
      const unit = side / s.side;
      const e = ends();
      p.rect(0, 0, side, side, { fill: mix(theme.page, color(chosen), 0.14) });
      if (at) {
        const [top, bottom] = pieceOf(e, at[0]);
        const [left, right] = pieceOf(e, at[1]);
        p.rect(left * unit, top * unit, (right - left) * unit, (bottom - top) * unit, {
          fill: mix(theme.page, color(chosen), 0.55),
        });
      }
      const rule = (place, width, css) => {
        p.segment(place, 0, place, side, { color: css, width });
        p.segment(0, place, side, place, { color: css, width });
      };
      if (unit >= FINEST) for (let i = 1; i < s.side; i++) rule(i * unit, 0.6, mix(theme.page, color(chosen), 0.4));
      for (const end of e) rule(clamp(end * unit, 1, side - 1), s.window * unit < 8 ? 1 : 1.8, theme.text);
    }

    function place(event) {
      const b = grid.getBoundingClientRect();
      const n = one().side;
      const to = (v, low, size) => clamp(Math.floor(((v - low) / size) * n), 0, n - 1);
      return [to(event.clientY, b.top, b.height), to(event.clientX, b.left, b.width)];
    }
    function point(where) {
      at = where;
      words.textContent = sentence();
      paintGrid(new CanvasPainter(fit(map, side, side)));
    }
    pointer(
      grid,
      (event) => point(place(event)),
      () => point(null),
    );
    cursorKeys(grid, {
      size: () => [one().side, one().side],
      get: () => at,
      move: ([row, column]) => {
        // window by window, whatever the keys say in tokens
        const e = ends();
        const by = (old, now) => (now === old ? pieceOf(e, old)[0] : neighbor(e, old, Math.sign(now - old)));
        point(at ? [by(at[0], row), by(at[1], column)] : [0, 0]);
        shell.say(sentence());
      },
      choose: () => {
        if (canShift()) shiftButton.click();
      },
      reset: () => point(null),
    });
    stacked.addEventListener("click", (event) => {
      const x = event.clientX - stacked.getBoundingClientRect().left;
      const { boxes } = stacks(stages(), room - 4);
      const i = boxes.findIndex((box) => x <= box.x + box.size + box.deep + 8);
      choose(i < 0 ? stages().length - 1 : i);
    });
    for (const node of [stacked, list]) {
      node.addEventListener("keydown", (event) => {
        if (withModifier(event)) return;
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        if (step) choose(chosen + step);
        else if (event.key === "Home" || event.key === "Escape") choose(0);
        else if (event.key === "End") choose(stages().length - 1);
        else return;
        if (node === list) buttons[chosen].focus();
        event.preventDefault();
      });
    }

    return {
      update() {
        chosen = clamp(chosen, 0, stages().length - 1);
        at = null;
        buttons = stages().map((s, i) =>
          el(
            "button",
            {
              class: "gf-model",
              "data-name": `stage ${i}`,
              onclick: () => {
                choose(i);
                buttons[i].focus();
              },
            },
            el("span", { class: "gf-chip" }),
            el(
              "span",
              {},
              el("span", { text: `Stage ${i}: ` }),
              el("span", { class: "gf-mono", text: `${s.side} × ${s.side} × ${grouped(s.width)}` }),
            ),
            el("span", {
              class: "gf-has",
              text: `${grouped((s.side / s.window) ** 2)} ${s.side === s.window ? "window" : "windows"}, ${s.n_layer} ${s.n_layer === 1 ? "block" : "blocks"}`,
            }),
          ),
        );
        list.replaceChildren(...buttons);
      },
      draw() {
        room = shell.width;
        const { unit } = shell.theme;
        const left = shell.tall - stackHeight() - 110 * unit;
        side = Math.round(clamp(room >= 620 ? Math.min(room * 0.42, left) : room, 200, 340));
        stacked.style.height = `${stackHeight()}px`;
        grid.style.width = grid.style.height = `${side}px`;
        stacked.setAttribute("aria-label", shell.header.takeaway);
        grid.setAttribute(
          "aria-label",
          "The windows of the chosen stage over the picture. Arrow keys go from window to window.",
        );
        refresh();
      },
      table: () => ({
        columns: [
          "stage",
          "tokens a side",
          "tokens",
          "channels",
          "numbers",
          "windows",
          "tokens of a window",
          "blocks",
          "heads",
          "pixels of a token",
        ],
        rows: stages().map((s, i) =>
          [
            `${i}`,
            s.side,
            s.side ** 2,
            s.width,
            s.side ** 2 * s.width,
            (s.side / s.window) ** 2,
            s.window ** 2,
            s.n_layer,
            s.n_head,
            `${s.pixels} × ${s.pixels}`,
          ].map((v) => (typeof v === "number" ? grouped(v) : v)),
        ),
      }),
      picture: () => ({
        width: room,
        height: stackHeight() + side + 16,
        paint: (p) => {
          paintStacks(p);
          p.shifted(0, stackHeight() + 12, () => paintGrid(p));
        },
      }),
    };
  },
  `
  .gf-stacks { cursor: pointer; }
  .gf-below { margin-top: 0.6rem; }
  .gf-stacks + .gf-soft { margin-top: 0.4rem; }
  .gf-below .gf-solid { margin-top: 0.5rem; width: 100%; }
  .gf-models { display: flex; flex-direction: column; gap: 4px; }
  .gf .gf-model { display: grid; grid-template-columns: auto 1fr auto; gap: 8px; align-items: center; text-align: left; padding: 5px 9px; border-color: var(--gf-line); line-height: 1.3; }
  .gf .gf-model[aria-pressed="true"] { border-color: var(--gf-accent); color: inherit; background: var(--gf-wash); }
  .gf-chip { width: 10px; height: 10px; border-radius: 3px; }
  .gf-model .gf-mono { font-size: 0.75rem; word-spacing: -0.25em; white-space: nowrap; }
  .gf-has { font-size: 0.75rem; color: var(--gf-soft); text-align: right; }
`,
);
