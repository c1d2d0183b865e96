// The chain-rule ledger: a row for each model, a column for each token, and what stands behind a cell.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { running, surprise, totals } from "./ledger_math.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { photograph } from "../scene/photograph.js";
import { quoted, visible } from "../drawing/tokens.js";
import { HEAD, ROW, STYLE } from "./ledger_style.js";
import { row, table } from "../drawing/table.js";
import { behind as saidOf } from "./ledger_words.js";
import { colorsOf, paintCells, paintSum } from "./ledger_paint.js";
import { labels } from "./labels.js";

const READS = 34;
const CHART = 120;
const FOOT = 8;

export default define((shell) => {
  const names = el("div", { class: "names", "aria-hidden": "true" });
  const cells = el("canvas");
  cells.paint = (p) => {
    paint(p);
    paintReads(p);
  };
  const over = el("canvas", { class: "gf-over" });
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, cells, over);
  const totalsBox = el("div", {
    class: "gf-totals",
    tabindex: 0,
    role: "region",
    "aria-label": labels("totals"),
  });
  const heads = el("select", {
    "aria-label": labels("whose_attention"),
    "data-name": "Whose attention is shown", // in the address, in every language
    onchange: () => {
      paintOver();
      describe();
    },
  });
  const headsLine = el(
    "div",
    { class: "gf-controls" },
    el("label", {}, el("span", { text: labels("gpt_reads_which") }), heads),
  );
  const readout = el("div", { class: "gf-readout gf-behind" });
  const key = el("div", { class: "gf-legend" });
  shell.body.append(
    el("div", { class: "gf-ledger" }, names, el("div", { class: "gf-scroll" }, stage), totalsBox),
    key,
    headsLine,
    readout,
  );
  let at = null;
  let pinned = null;
  let box = {};
  let isFresh = true;

  // Four signs fit into a cell; in front of a class they are larger where there is room.
  const textSize = () => clamp(Math.floor(box.wide / 2.45), 12, Math.round(12 * shell.theme.unit));
  const inNats = (text) => (shell.header.plain ? text : labels("in_nats", { loss: text })); // at Story a loss has no unit
  const rows = () => shell.header.rows;
  const nToken = () => shell.header.tokens.length - 1;
  pointer(
    stage,
    (event) => hover(cellAt(event)),
    () => hover(null),
  );
  stage.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (cell) {
      pinned = cell;
      paintOver();
    }
  });
  cursorKeys(stage, {
    size: () => [rows().length, nToken()],
    get: () => at ?? pinned,
    move: (cell) => {
      hover(cell);
      reveal(cell);
      shell.say(sentence(cell));
    },
    choose: (cell) => {
      pinned = cell;
      paintOver();
      shell.say(labels("pinned", { cell: sentence(cell) }));
    },
    reset: () => {
      pinned = shell.header.selected;
      hover(null);
      paintOver();
      describe();
    },
  });

  function cellAt(event) {
    const frame = stage.getBoundingClientRect();
    const c = Math.floor((event.clientX - frame.left) / box.wide) - 1;
    const y = event.clientY - frame.top - HEAD;
    if (c < 0 || c >= nToken() || y < 0) return null;
    const r = Math.floor(y / ROW);
    return r < rows().length ? [r, c] : [(at ?? pinned)[0], c];
  }

  function reveal([, c]) {
    const scroll = stage.parentElement;
    const x = (c + 1) * box.wide;
    if (x < scroll.scrollLeft || x + box.wide > scroll.scrollLeft + scroll.clientWidth) {
      scroll.scrollLeft = x - scroll.clientWidth / 2;
    }
  }

  function hover(cell) {
    if (String(cell) === String(at)) return;
    at = cell;
    paintOver();
    describe();
  }

  const token = (t) => shell.header.tokens[t + 1];
  const sentence = ([r, c]) => {
    const p = rows()[r].p[c];
    const loss = inNats(format(surprise(p), 2));
    const said = labels("cell", { row: rows()[r].name, token: quoted(token(c)), p: p.toPrecision(3), loss });
    return `${said} ${behind(r, c).join(" ")}`;
  };

  const behind = (r, c) => saidOf(shell.header, rows()[r], c, readsOf(c), heads.selectedOptions[0].text);

  /** Weights of the row that predicts token c, over the tokens up to it. */
  function readsOf(c) {
    const { data, shape } = shell.arrays.weights;
    const [, nHead, nRow] = shape;
    const which = heads.value.split(".");
    const layer = +which[0];
    const chosen = which[1] === "mean" ? Array.from({ length: nHead }, (_, i) => i) : [+which[1]];
    return Array.from(
      { length: c + 1 },
      (_, s) =>
        chosen.reduce((sum, head) => sum + data[((layer * nHead + head) * nRow + c) * nRow + s] / 255, 0) /
        chosen.length,
    );
  }

  function paint(p) {
    const { header: h, theme } = shell;
    const { wide } = box;
    paintCells(p, h, theme, wide, textSize());
    const top = HEAD + rows().length * ROW + READS;
    const sums = rows().map((row) => running(row.p));
    // Guessing blindly costs so much that the others would lie flat: its line leaves the picture.
    const close = sums.filter((_, r) => rows()[r].kind !== "uniform" && rows()[r].order !== 1);
    const most = (box.most = Math.max(...close.flat().filter(Number.isFinite), 1) * 1.08);
    p.rect(wide, top, wide * nToken(), CHART, { stroke: theme.line });
    sums.forEach((sum, r) => line(p, sum, top, most, r === (at ?? pinned ?? [0])[0] ? null : r));
  }

  function line(p, sum, top, most, r) {
    const place = (v) => top + CHART - (v / most) * (CHART - 6);
    const finite = sum.filter((v) => v <= most);
    paintSum(p, finite, r === null ? "on" : rows()[r].kind, shell.theme, box.wide, place);
  }

  function paintReads(p) {
    const low = HEAD + rows().length * ROW + READS - 4;
    readsOf((at ?? pinned)[1]).forEach((w, i) => {
      const tall = w * (READS - 8);
      const fill = shell.theme.categorical[0];
      p.rect(i * box.wide + 2, low - tall, box.wide - 4, Math.max(tall, 0.75), { fill });
    });
  }

  function paintOver() {
    const ctx = fit(over, box.width, box.height);
    const p = new CanvasPainter(ctx);
    const { theme } = shell;
    const [r, c] = at ?? pinned;
    const top = HEAD + rows().length * ROW;
    p.rect((c + 1) * box.wide, HEAD + r * ROW, box.wide, ROW, { stroke: theme.accent, width: 2.5 });
    if (at && pinned) {
      p.rect((pinned[1] + 1) * box.wide, HEAD + pinned[0] * ROW, box.wide, ROW, {
        stroke: theme.accent,
        width: 1.5,
        dash: [4, 3],
      });
    }
    paintReads(p);
    line(p, running(rows()[r].p), top + READS, box.most, null);
    p.segment((c + 2) * box.wide, top + READS, (c + 2) * box.wide, top + READS + CHART, {
      color: theme.accent,
      dash: [3, 3],
    });
    names.querySelectorAll("span").forEach((one, i) => one.classList.toggle("on", i === r));
    totalsBox.querySelectorAll("tbody tr").forEach((one, i) => one.classList.toggle("on", i === r));
  }

  function describe() {
    const [r, c] = at ?? pinned;
    const row = rows()[r];
    const sum = running(row.p);
    const loss = inNats(format(surprise(row.p[c]), 3));
    const said = labels.parts("cell_so_far", {
      row: el("b", { text: row.name }),
      token: quoted(token(c)),
      p: row.p[c].toPrecision(3),
      loss,
      sum: inNats(format(sum[c], 2)),
    });
    readout.replaceChildren(
      el("div", {}, ...said),
      ...behind(r, c).map((text) => el("div", { text })),
      ...(at ? [] : [el("div", { class: "gf-hint", text: labels("hint") })]),
    );
  }

  function fillTotals() {
    const { plain } = shell.header;
    const heads = plain ? [labels("sum_plain")] : [labels("sum_nats"), labels("perplexity"), shell.header.mean_title];
    const each = rows().map(({ name, p, mean }) => {
      const t = totals(p);
      const more = plain ? [] : [format(t.perplexity, 2), mean === null ? "∞" : format(mean, 3)];
      return row([name, t.product, format(t.nats, 2), ...more]);
    });
    totalsBox.replaceChildren(table([labels("row"), labels("product"), ...heads], each));
  }

  return {
    held: () => (String(pinned) === String(shell.header.selected) ? null : pinned),
    hold([r, c]) {
      if (r < rows().length && c < nToken()) {
        pinned = [r, c];
        paintOver();
        describe();
      }
    },
    update() {
      const h = shell.header;
      const before = shell.previous;
      const chosen = heads.value;
      if (!before?.tokens || before.tokens.length !== h.tokens.length || !pinned) pinned = h.selected;
      at = null;
      isFresh = true;
      const [nLayer, nHead] = shell.arrays.weights.shape;
      heads.replaceChildren(
        ...Array.from({ length: nLayer }, (_, l) =>
          [
            ["mean", labels("head_mean", { l, n: nHead })],
            ...Array.from({ length: nHead }, (_, i) => [i, labels("head", { l, head: i })]),
          ].map(([i, text]) => el("option", { value: `${l}.${i}`, text })),
        ).flat(),
      );
      heads.value = [...heads.options].some((one) => one.value === chosen) ? chosen : h.head;
      fillTotals();
    },
    draw() {
      const n = nToken() + 1;
      headsLine.hidden = shell.theme.presenting;
      const room = stage.parentElement.clientWidth - 4;
      box = {
        wide: clamp(Math.floor((room - 24) / n), 30, 64),
        height: HEAD + rows().length * ROW + READS + CHART + FOOT,
      };
      box.width = box.wide * n + 24;
      stage.style.width = `${box.width}px`;
      stage.style.height = `${box.height}px`;
      names.style.height = `${box.height}px`;
      stage.setAttribute("aria-label", shell.header.takeaway);
      const label = (text, y) => {
        const one = el("span", { text });
        one.style.top = `${y}px`;
        return one;
      };
      paint(new CanvasPainter(fit(cells, box.width, box.height)));
      const top = HEAD + rows().length * ROW;
      names.replaceChildren(
        ...rows().map((row, r) => label(row.name, HEAD + (r + 0.5) * ROW)),
        label(labels("gpt_reads"), top + READS / 2),
        label(inNats(format(box.most, 1)), top + READS + 6),
        label(labels("so_far"), top + READS + CHART / 2),
        label("0", top + READS + CHART - 6),
      );
      const bar = legend(colorsOf(shell.theme), labels(shell.header.plain ? "loss" : "loss_in_nats"));
      key.replaceChildren(
        ...bar,
        el("span", {
          text: labels("lines"),
        }),
      );
      if (isFresh) reveal(pinned);
      isFresh = false;
      paintOver();
      describe();
    },
    table: () => ({
      columns: [labels("token"), ...rows().map((row) => row.name)],
      rows: Array.from({ length: nToken() }, (_, c) => [
        visible(token(c)),
        ...rows().map((row) => row.p[c].toPrecision(3)),
      ]),
    }),
    picture: () => ({
      ...photograph(names.parentElement),
      scale: colorsOf(shell.theme),
      scaleTitle: labels(shell.header.plain ? "loss" : "nats"),
    }),
  };
}, STYLE);
