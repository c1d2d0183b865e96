// A picture, the same in the colors of a palette, the palette, and the picture as a row of ids. All four are linked.
import { define } from "../drawing/base.js";
import { clamp, el, grouped } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { parseHex, readableOn } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { colorWords, counted, css, faded, mostUsed, pixelWords, placed, rgb, share } from "./rounded_math.js";
import { Chipset } from "./chipset.js";
import { photograph } from "../scene/photograph.js";
import { labels } from "./labels.js";

const CSS = `
.gf-two { display: flex; flex-wrap: wrap; gap: 10px 16px; }
.gf-chipset { display: flex; flex-wrap: wrap; gap: 2px; padding: 4px; margin: 0 -4px; overflow-y: auto; scrollbar-width: thin; }
.gf-chipset span { font-family: var(--st-code-font); font-size: 0.75rem; line-height: 1; display: grid; place-items: center; min-width: 20px; height: 20px; border-radius: 3px; cursor: pointer; padding: 0 3px; box-shadow: inset 0 0 0 1px var(--gf-line); }
.gf-chipset .start { background: var(--gf-panel); color: var(--st-text-color); padding: 0 6px; }
.gf-chipset.bare span { padding: 0; min-width: 16px; height: 16px; }
.gf-chipset .on { outline: 2px solid var(--gf-accent); outline-offset: 1px; }
.gf-part { font-size: 0.8125rem; color: var(--gf-soft); margin: 0.7rem 0 0.2rem; }
.gf-two .gf-part { margin-top: 0; }
`;
const COLUMNS = ["color", "id", "red", "green", "blue", "pixels", "share"]; // of the table
const MOST_NUMBERED = 64; // of more colors a chip is too small for its id; the readout tells it

export default define((shell) => {
  const two = el("div", { class: "gf-two" });
  const readout = el("div", { class: "gf-readout" });
  const before = view(labels("original"));
  const after = view(labels("in_palette"));
  const colorsTitle = el("div", { class: "gf-part" });
  const tokensTitle = el("div", { class: "gf-part", "data-not-in-file": true });
  const shared = { leave: () => point(null), reset, say: () => shell.say(words()) };
  const chips = new Chipset({
    ...shared,
    hover(i) {
      chips.mark(i);
      at = null;
      lit = order[i];
      show();
    },
    choose: (i) => keep(order[i]),
  });
  const row = new Chipset({
    ...shared,
    hover(i) {
      if (i) return point(i - 1);
      row.mark(0);
      at = null;
      lit = null;
      show("start");
    },
    choose: (i) => i && keep(ids[i - 1]),
  });
  row.node.toggleAttribute("data-not-in-file", true);
  two.append(before.box, after.box);
  shell.body.append(two, readout, colorsTitle, chips.node, tokensTitle, row.node);
  let x = 1;
  let y = 1;
  let n = 1;
  let ids = [];
  let counts = [];
  let order = [];
  let colors = [];
  let box = null;
  let at = null; // a pixel
  let lit = null; // the color under the pointer
  let pinned = null; // kept by a click

  function view(title) {
    const canvas = el("canvas");
    const over = el("canvas", { class: "gf-over" });
    const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img", "aria-label": title }, canvas, over);
    const name = el("div", { class: "gf-part", text: title });
    const node = { canvas, over, stage, name, box: el("div", {}, name, stage) };
    const find = (event) => {
      const b = stage.getBoundingClientRect();
      const c = clamp(Math.floor(((event.clientX - b.left) / box.wide) * x), 0, x - 1);
      const r = clamp(Math.floor(((event.clientY - b.top) / box.high) * y), 0, y - 1);
      return r * x + c;
    };
    pointer(
      stage,
      (event) => point(find(event)),
      () => point(null),
    );
    stage.addEventListener("click", (event) => keep(ids[find(event)]));
    cursorKeys(stage, {
      size: () => [y, x],
      get: () => (at === null ? null : [Math.floor(at / x), at % x]),
      move: ([r, c]) => {
        point(r * x + c);
        shell.say(words());
      },
      choose: () => keep(ids[at]),
      reset,
    });
    return node;
  }

  function point(i) {
    at = i;
    lit = i === null ? null : ids[i];
    show();
  }
  function keep(id) {
    pin(pinned === id ? null : id);
    shell.say(pinned === null ? labels("none_lit") : labels("kept_lit", { color: colorSaid(pinned) }));
    show();
  }
  function reset() {
    pin(null);
    point(null);
  }
  function pin(id) {
    pinned = id;
    chips.chips.forEach((chip, i) => chip.setAttribute("aria-selected", String(order[i] === id)));
  }

  const colorSaid = (id) => colorWords(id, colors[id], counts[id], n);
  const before3 = (i) => rgb(shell.arrays.original.data, i);

  function words(special) {
    if (special === "start") {
      return labels("start_token", { id: colors.length });
    }
    const id = lit ?? pinned;
    if (at !== null) {
      const pixel = pixelWords(Math.floor(at / x), at % x, before3(at), colors[ids[at]]);
      const said = { position: at + 1, pixel, color: colorSaid(ids[at]) };
      return labels(shell.header.tokens ? "pixel_token" : "pixel", said);
    }
    return id === null ? "" : colorSaid(id);
  }

  function show(special) {
    const id = lit ?? pinned;
    const said = words(special);
    if (special !== "start") {
      chips.mark(id === null ? null : order.indexOf(id));
      row.mark(at === null ? null : at + 1);
    }
    readout.replaceChildren(
      said
        ? said
        : el("span", {
            class: "gf-hint",
            text: labels("rounded_hint"),
          }),
    );
    if (box) {
      paintRight();
      drawOver();
    }
  }

  function image(colorAt, isLit = (_i) => true) {
    const canvas = Object.assign(document.createElement("canvas"), { width: x, height: y });
    canvas
      .getContext("2d")
      .putImageData(new ImageData(faded(n, colorAt, isLit, parseHex(shell.theme.page)), x, y), 0, 0);
    return canvas;
  }

  const left = () => image(before3);
  const right = (id) => image((i) => colors[ids[i]], id === null ? undefined : (i) => ids[i] === id);
  function put({ canvas }, small) {
    canvas.paint = (p) => p.image(small, 0, 0, box.wide, box.high, { smooth: box.wide < x });
    canvas.paint(new CanvasPainter(fit(canvas, box.wide, box.high)));
  }
  let painted;
  function paintRight() {
    const id = lit ?? pinned;
    if (painted === id) return;
    painted = id;
    put(after, right(id));
  }

  function drawOver() {
    for (const node of [before, after]) {
      const ctx = fit(node.over, box.wide, box.high);
      const cell = box.wide / x;
      if (at === null) continue;
      const side = Math.max(7, cell);
      const px = ((at % x) + 0.5) * cell - side / 2;
      const py = (Math.floor(at / x) + 0.5) * (box.high / y) - side / 2;
      for (const [w, color] of [
        [4, shell.theme.page],
        [2, shell.theme.text],
      ]) {
        ctx.lineWidth = w;
        ctx.strokeStyle = color;
        ctx.strokeRect(px - 1, py - 1, side + 2, side + 2);
      }
    }
  }

  function chip(id, i, numbered, name) {
    const fill = css(colors[id]);
    const node = el("span", {
      "data-i": i,
      role: "option",
      id: `${name}${i}`,
      "aria-selected": "false",
      "aria-label": name === "k" ? colorSaid(id) : labels("token_at", { position: i, id }),
      text: numbered ? String(id) : "",
    });
    node.style.background = fill;
    node.style.color = readableOn(fill);
    return node;
  }

  return {
    held: () => pinned !== null && [pinned],
    hold([id]) {
      if (id < colors.length) keep(id);
    },
    update() {
      const { arrays, header: h } = shell;
      [y, x] = arrays.ids.shape;
      n = x * y;
      ids = arrays.ids.data;
      colors = Array.from({ length: arrays.colors.shape[0] }, (_, k) => rgb(arrays.colors.data, k));
      counts = counted(ids, colors.length);
      order = mostUsed(counts).filter((id) => counts[id] || !h.tokens);
      at = lit = pinned = null;
      const numbered = colors.length <= MOST_NUMBERED;
      const used = counts.filter(Boolean).length;
      chips.node.classList.toggle("bare", !numbered);
      const each = order.map((id, i) => chip(id, i, numbered, "k"));
      chips.set(each, labels("most_used"));
      const unused = colors.length - used;
      const title = h.tokens ? (unused ? "some_used" : "all_used") : unused ? "palette_unused" : "palette";
      const numbers = { count: grouped(colors.length), used: grouped(used), unused: grouped(unused) };
      colorsTitle.textContent = labels(title, { n: colors.length, ...numbers });
      row.node.hidden = tokensTitle.hidden = !h.tokens;
      const look = { class: "start", "data-i": 0, role: "option", id: "t0", "aria-selected": "false" };
      const start = el("span", { ...look, text: labels("start", { id: colors.length }) });
      const tokens = h.tokens ? [start, ...Array.from(ids, (id, i) => chip(id, i + 1, true, "t"))] : [];
      row.set(tokens, labels("as_read"));
      tokensTitle.textContent = labels("as_read_ids", { n: grouped(n) });
      before.name.textContent = labels("original_size", { x, y });
      after.name.textContent = labels("in_colors", { n: colors.length, count: grouped(colors.length) });
    },
    draw() {
      box = placed(shell.width, x, y, shell.header.size, 16, Math.min(460, 0.6 * shell.tall));
      for (const node of [before, after]) {
        Object.assign(node.stage.style, { width: `${box.wide}px`, height: `${box.high}px` });
      }
      before.stage.setAttribute("aria-label", labels("as_it_was", { takeaway: shell.header.takeaway }));
      after.stage.setAttribute("aria-label", labels("as_rounded", { takeaway: shell.header.takeaway }));
      put(before, left());
      painted = undefined;
      show();
    },
    table: () => ({
      columns: COLUMNS.map((key) => labels(`column.${key}`)),
      rows: order.map((id, i) => [
        `${i + 1}`,
        String(id),
        ...colors[id].map(String),
        grouped(counts[id]),
        share(counts[id], n),
      ]),
    }),
    picture: () => photograph(shell.body),
  };
}, CSS);
