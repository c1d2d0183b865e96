// A vector on its way through a block: a strip of cells for each stage, its length as a bar; one number is followed
// through all strips under the pointer or with the arrow keys.
import { define } from "../drawing/base.js";
import { el, format, measure } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { scale } from "../drawing/color.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { sentence, sums } from "./strip_sums.js";

const [HIGH, GAP, BAR] = [20, 8, 92]; // in letters of 12 px

export default define((shell) => {
  const cells = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, cells, over);
  const readout = el("div", { class: "gf-readout gf-sums" });
  const key = el("div", { class: "gf-legend" });
  shell.body.append(stage, readout, key);
  let at = null;
  let pinned = null;
  let box = {};

  pointer(
    stage,
    (event) => hover(columnAt(event)),
    () => hover(null),
  );
  stage.addEventListener("click", (event) => {
    const c = columnAt(event);
    if (c !== null) {
      pinned = c;
      paintOver();
    }
  });
  cursorKeys(stage, {
    size: () => [1, count()],
    get: () => {
      const c = at ?? pinned;
      return c === null ? null : [0, c];
    },
    move: ([, c]) => {
      hover(c);
      shell.say(sentence(rowValues(c), shell.header, c));
    },
    choose: ([, c]) => {
      pinned = c;
      paintOver();
      shell.say(`Pinned: ${sentence(rowValues(c), shell.header, c)}`);
    },
    reset: () => {
      pinned = null;
      hover(null);
      paintOver();
      describe();
    },
  });

  const count = () => shell.arrays.values.shape[1];
  const rowValues = (c) => shell.header.names.map((_, r) => shell.arrays.values.data[r * count() + c]);

  function columnAt(event) {
    const x = event.clientX - stage.getBoundingClientRect().left - box.left;
    const c = Math.floor((x / box.width) * count());
    return c >= 0 && c < count() ? c : null;
  }

  function hover(c) {
    if (c === at) return;
    at = c;
    paintOver();
    describe();
  }

  /** Sizes for the width there is: names beside the strips, or above them where there is no room. */
  function place() {
    const { theme, width, header: h } = shell;
    const size = Math.round(12 * theme.unit);
    const widest = Math.max(...h.names.map((name) => measure(name, size, theme.font)));
    const above = width < 620;
    const left = above ? 1 : Math.ceil(widest * 1.1) + 12;
    const high = Math.round((HIGH / 12) * size); // a row is as high for its letters on a slide as on a page
    const step = above ? high + size + GAP + 4 : high + GAP;
    const bar = Math.min(BAR, width * 0.16);
    const number = Math.ceil(measure("000.0", size, theme.code)) + 6;
    box = {
      above,
      left,
      step,
      high,
      size,
      bar,
      number,
      width: Math.max(40, width - left - bar - number - 12),
      top: size + 8,
      full: width,
    };
    box.height = box.top + step * h.names.length;
  }

  const rowTop = (r) => box.top + r * box.step + (box.above ? box.size + 4 : 0);

  function colors() {
    const h = shell.header;
    return h.limits.map((limit) => scale("signed", -limit, limit, shell.theme.mode));
  }

  function paint(p, scales) {
    const { header: h, theme, arrays } = shell;
    const n = count();
    const wide = box.width / n;
    const longest = Math.max(...h.lengths, 1e-9);
    const text = { fill: theme.soft, size: box.size, font: theme.font };
    p.text(`${n} numbers →`, box.left, 1 + box.size / 2, text);
    p.text("length", box.left + box.width + 10, 1 + box.size / 2, text);
    h.names.forEach((name, r) => {
      const y = rowTop(r);
      const ink = { ...text, fill: h.sums[r] ? theme.text : theme.soft, weight: h.kind[r] === 0 ? 600 : 400 };
      if (box.above) p.text(name, 0, y - box.size / 2 - 2, ink);
      else p.text(name, box.left - 9, y + box.high / 2, { ...ink, align: "right" });
      for (let c = 0; c < n; c++) {
        p.rect(box.left + c * wide, y, wide + 0.4, box.high, {
          fill: scales[h.range[r]].css(arrays.values.data[r * n + c]),
        });
      }
      p.rect(box.left - 0.5, y - 0.5, box.width + 1, box.high + 1, { stroke: theme.line });
      const x = box.left + box.width + 10;
      const length = (h.lengths[r] / longest) * box.bar;
      p.rect(x, y + 4, Math.max(1, length), box.high - 8, {
        fill: theme.categorical[h.kind[r] % theme.categorical.length],
        radius: 2,
      });
      p.text(format(h.lengths[r], 1), x + box.bar + box.number, y + box.high / 2 + 0.5, {
        fill: theme.text,
        size: box.size,
        font: theme.code,
        align: "right",
      });
    });
  }

  function paintOver() {
    const ctx = fit(over, box.full, box.height);
    const wide = box.width / count();
    for (const [c, dash] of [
      [pinned, [4, 3]],
      [at, []],
    ]) {
      if (c === null || c >= count()) continue;
      ctx.strokeStyle = shell.theme.accent;
      ctx.lineWidth = 2;
      ctx.setLineDash(dash);
      ctx.strokeRect(box.left + c * wide - 1, box.top - 3, Math.max(wide, 2) + 2, box.height - box.top + 1);
    }
  }

  function describe() {
    const c = at ?? pinned;
    if (c === null || c >= count()) {
      readout.replaceChildren(
        el("span", {
          class: "gf-hint",
          text: "Point at a number, or use the arrow keys: it is followed through all stages. A click keeps it, Esc lets go.",
        }),
      );
      return;
    }
    const lines = sums(rowValues(c), shell.header).map((line) =>
      el(
        "div",
        {},
        ...line.map((part) =>
          part.number === undefined
            ? el("span", { class: "gf-hint", text: part.text })
            : el("b", { text: format(part.number, 3) }),
        ),
      ),
    );
    readout.replaceChildren(el("div", { class: "gf-hint", text: `number ${c} of each vector` }), ...lines);
  }

  return {
    held: () => pinned !== null && [pinned],
    hold([c]) {
      if (c < count()) {
        pinned = c;
        paintOver();
        describe();
      }
    },
    update() {
      if (pinned !== null && pinned >= count()) pinned = null;
      at = null;
    },
    draw() {
      place();
      stage.style.width = `${box.full}px`;
      stage.style.height = `${box.height}px`;
      stage.setAttribute("aria-label", shell.header.takeaway);
      const scales = colors();
      paint(new CanvasPainter(fit(cells, box.full, box.height)), scales);
      key.replaceChildren(...shell.header.ranges.flatMap((name, i) => legend(scales[i], name, { digits: 1 })));
      paintOver();
      describe();
    },
    table: () => ({
      columns: ["number", ...shell.header.names],
      rows: Array.from({ length: count() }, (_, c) => [String(c), ...rowValues(c)]),
    }),
    picture: () => ({ width: box.full, height: box.height, paint: (p) => paint(p, colors()) }),
  };
}, `.gf-sums { min-height: 5.2em; } .gf-sums div { margin-bottom: 0.15rem; }`);
