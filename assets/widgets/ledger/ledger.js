// The chain-rule ledger: a row for each model, a column for each token, and what stands behind a cell.
import { define } from "../drawing/base.js";
import { clamp, el, format } from "../drawing/elements.js";
import { cursorKeys, pointer } from "../drawing/input.js";
import { legend } from "../drawing/legend.js";
import { readableOn, scale } from "../drawing/color.js";
import { brief, counts, running, surprise, totals } from "./ledger_math.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { quoted, short, visible } from "../drawing/tokens.js";

const ROW = 30;
const HEAD = 78;
const READS = 34;
const CHART = 120;
const FOOT = 8;
const MOST = 8; // css pixels; nats of the darkest cell

const STYLE = `
.gf-ledger { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 0 6px; align-items: start; }
.gf-ledger .names { position: relative; width: 64px; font-size: 0.75rem; }
.gf-ledger .names span { position: absolute; right: 4px; transform: translateY(-50%); white-space: nowrap; color: var(--gf-soft); }
.gf-ledger .names span.on { color: var(--gf-accent); font-weight: 700; }
.gf-totals { grid-column: 1 / -1; overflow-x: auto; margin-top: 0.5rem; }
.gf-totals table { border-collapse: collapse; font-family: var(--st-code-font); font-size: 0.75rem; font-variant-numeric: tabular-nums; }
.gf-totals th, .gf-totals td { text-align: right; padding: 0 0 0 12px; white-space: nowrap; font-weight: 400; height: 24px; }
.gf-totals thead th { vertical-align: bottom; color: var(--gf-soft); font-family: var(--st-font); }
.gf-totals tr.on td, .gf-totals tr.on th { color: var(--gf-accent); font-weight: 700; }
.gf-behind { min-height: 8.4em; }
@container (max-width: 480px) {
  .gf-totals thead th { white-space: normal; line-height: 1.2; }
  .gf-totals th, .gf-totals td { padding-left: 7px; }
}
@container (min-width: 1180px) {
  .gf-ledger { grid-template-columns: auto minmax(0, 1fr) auto; }
  .gf-totals { grid-column: auto; margin-top: 0; }
  .gf-totals thead th { height: ${HEAD}px; white-space: normal; max-width: 5.6em; padding-bottom: 4px; line-height: 1.2; }
  .gf-totals tbody th { display: none; } .gf-totals thead th:first-child { display: none; }
  .gf-totals th, .gf-totals td { height: ${ROW}px; }
}
`;

export default define((shell) => {
  const names = el("div", { class: "names", "aria-hidden": "true" });
  const cells = el("canvas");
  const over = el("canvas", { class: "gf-over" });
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "img" }, cells, over);
  const totalsBox = el("div", {
    class: "gf-totals",
    tabindex: 0,
    role: "region",
    "aria-label": "What each row comes to",
  });
  const heads = el("select", {
    "aria-label": "Whose attention is shown",
    onchange: () => {
      paintOver();
      describe();
    },
  });
  const headsLine = el(
    "div",
    { class: "gf-controls" },
    el("label", {}, el("span", { text: "What the GPT reads:" }), heads),
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
  const inNats = (text) => (shell.header.plain ? text : `${text} nats`); // at Story a loss has no unit
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
      shell.say(`Pinned: ${sentence(cell)}`);
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
    return `${rows()[r].name}: probability of ${quoted(token(c))} ${p.toPrecision(3)}, loss ${inNats(format(surprise(p), 2))}. ${behind(r, c).join(" ")}`;
  };

  /** What stands behind a cell, in sentences. */
  function behind(r, c) {
    const row = rows()[r];
    const tokens = shell.header.tokens.map((one) => visible(one));
    if (row.kind === "uniform") {
      return [`All ${shell.header.vocab} tokens are equally likely: 1 / ${shell.header.vocab}.`];
    }
    if (row.kind === "ngram") {
      return counts(
        {
          p: row.p[c],
          ...Object.fromEntries(["context", "count", "total", "types", "lower"].map((name) => [name, row[name][c]])),
        },
        tokens,
        c,
        { order: row.order, smoothing: shell.header.smoothing, vocab: shell.header.vocab },
      );
    }
    const top = row.top[c].map((name, i) => `${quoted(name)} ${brief(row.top_p[c][i])}`).join(", ");
    const said = [`It expects ${top}.`];
    if (row.kind === "gru") said.push(`All it keeps of the past is the ${row.width} numbers of its state.`);
    else {
      const reads = readsOf(c);
      const order = reads
        .map((w, i) => [w, i])
        .sort((a, b) => b[0] - a[0])
        .slice(0, 3);
      said.push(
        `From the position of ${quoted(shell.header.tokens[c])} it reads ${order.map(([w, i]) => `${quoted(shell.header.tokens[i])} ${w.toFixed(2)}`).join(", ")} (${heads.selectedOptions[0].text}).`,
      );
    }
    return said;
  }

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
    const colors = scale("value", 0, MOST, theme.mode);
    const size = textSize();
    h.tokens.forEach((one, i) =>
      p.text(i ? short(one, theme.unit > 1 ? 8 : 11) : "⏎ start", (i + 0.5) * wide, HEAD - 6, {
        fill: i ? theme.text : theme.soft,
        size,
        font: theme.code,
        rotate: -66,
      }),
    );
    rows().forEach((row, r) =>
      row.p.forEach((chance, c) => {
        const nats = surprise(chance);
        const color = colors.css(Math.min(nats, MOST));
        const x = (c + 1) * wide;
        const y = HEAD + r * ROW;
        p.rect(x + 0.5, y + 0.5, wide - 1, ROW - 1, { fill: color });
        p.text(brief(chance), x + wide / 2, y + ROW / 2 + 0.5, {
          fill: readableOn(color),
          size,
          font: theme.code,
          align: "center",
        });
      }),
    );
    const top = HEAD + rows().length * ROW + READS;
    const sums = rows().map((row) => running(row.p));
    // Guessing blindly costs so much that the others would lie flat: its line leaves the picture.
    const close = sums.filter((_, r) => rows()[r].kind !== "uniform" && rows()[r].order !== 1);
    const most = (box.most = Math.max(...close.flat().filter(Number.isFinite), 1) * 1.08);
    p.rect(wide, top, wide * nToken(), CHART, { stroke: theme.line });
    sums.forEach((sum, r) => line(p, sum, top, most, r === (at ?? pinned ?? [0])[0] ? null : r));
  }

  function line(p, sum, top, most, r) {
    const finite = sum.filter((v) => v <= most);
    const place = (v) => top + CHART - (v / most) * (CHART - 6);
    const { theme } = shell;
    const kind = r === null ? "on" : rows()[r].kind;
    const color = { on: theme.accent, gru: theme.categorical[1], gpt: theme.categorical[0] }[kind] ?? theme.soft;
    p.line([[box.wide, top + CHART], ...finite.map((v, c) => [(c + 2) * box.wide, place(v)])], {
      color,
      width: kind === "on" ? 3 : kind === "ngram" || kind === "uniform" ? 1 : 2,
      dash: { gru: [7, 4], ngram: [2, 3] }[kind] ?? [],
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
    readsOf(c).forEach((w, i) =>
      p.rect(i * box.wide + 2, top + READS - 4 - w * (READS - 8), box.wide - 4, Math.max(w * (READS - 8), 0.75), {
        fill: theme.categorical[0],
      }),
    );
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
    readout.replaceChildren(
      el(
        "div",
        {},
        el("b", { text: row.name }),
        `: probability of ${quoted(token(c))} ${row.p[c].toPrecision(3)}, loss ${inNats(format(surprise(row.p[c]), 3))}; so far ${inNats(format(sum[c], 2))}`,
      ),
      ...behind(r, c).map((text) => el("div", { text })),
      at
        ? null
        : el("div", {
            class: "gf-hint",
            text: "Point at a cell or use the arrow keys. Click or press Enter to keep it, Esc to let go.",
          }),
    );
  }

  function fillTotals() {
    const { plain } = shell.header;
    const cell = (text) => el("td", { text });
    totalsBox.replaceChildren(
      el(
        "table",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...[
              "row",
              "product",
              ...(plain ? ["sum of losses"] : ["sum, nats", "per\u00adplexity", shell.header.mean_title]),
            ].map((text) => el("th", { text, scope: "col" })),
          ),
        ),
        el(
          "tbody",
          {},
          ...rows().map((row) => {
            const t = totals(row.p);
            return el(
              "tr",
              {},
              el("th", { text: row.name, scope: "row" }),
              cell(t.product),
              cell(format(t.nats, 2)),
              ...(plain ? [] : [cell(format(t.perplexity, 2)), cell(row.mean === null ? "∞" : format(row.mean, 3))]),
            );
          }),
        ),
      ),
    );
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
            ["mean", `layer ${l}, mean of its ${nHead} heads`],
            ...Array.from({ length: nHead }, (_, i) => [i, `layer ${l}, head ${i}`]),
          ].map(([i, text]) => el("option", { value: `${l}.${i}`, text })),
        ).flat(),
      );
      heads.value = [...heads.options].some((one) => one.value === chosen) ? chosen : h.head;
      fillTotals();
    },
    draw() {
      const n = nToken() + 1;
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
        label("GPT reads", top + READS / 2),
        label(inNats(format(box.most, 1)), top + READS + 6),
        label("so far", top + READS + CHART / 2),
        label("0", top + READS + CHART - 6),
      );
      const bar = legend(scale("value", 0, MOST, shell.theme.mode), shell.header.plain ? "loss" : "loss in nats");
      key.replaceChildren(
        ...bar,
        el("span", {
          text: "Lines, the sum so far: thick for this row, solid for GPT, long dashes for GRU, dots for n-grams, thin for uniform.",
        }),
      );
      if (isFresh) reveal(pinned);
      isFresh = false;
      paintOver();
      describe();
    },
    table: () => ({
      columns: ["token", ...rows().map((row) => row.name)],
      rows: Array.from({ length: nToken() }, (_, c) => [
        visible(token(c)),
        ...rows().map((row) => row.p[c].toPrecision(3)),
      ]),
    }),
    picture: () => ({
      width: box.width + 70,
      height: box.height,
      paint(p) {
        rows().forEach((row, r) =>
          p.text(row.name, 60, HEAD + (r + 0.5) * ROW, {
            fill: shell.theme.text,
            size: 12,
            font: shell.theme.font,
            align: "right",
          }),
        );
        p.shifted(66, 0, () => paint(p));
      },
      scale: scale("value", 0, MOST, shell.theme.mode),
      scaleTitle: shell.header.plain ? "loss" : "nats",
    }),
  };
}, STYLE);
