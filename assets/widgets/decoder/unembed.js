// From the last hidden row to a probability: choose a token, and see its logit as the sum of D products.
import { BarLines } from "../drawing/bar_lines.js";
import { define } from "../drawing/base.js";
import { chance, clamp, el, format } from "../drawing/elements.js";
import { cursorKeys } from "../drawing/input.js";
import { either, formula } from "../drawing/formula.js";
import { quoted, visible } from "../drawing/tokens.js";
import { logitTerms, share } from "./unembed_math.js";
import { STYLE } from "./unembed_style.js";

const TOP = 34;
const INDEX = 34;
const GAP = 10;
const MOST = 20; // products in sight, on a slide fewer
const MOST_ON_A_SLIDE = 12;
const STEP = 17;

export default define((shell) => {
  const table = el("div", { tabindex: 0, role: "group" });
  const readout = el("div", { class: "gf-readout" });
  const sum = el("div", { class: "gf-formula" });
  const bars = new BarLines({
    top: TOP,
    tell: (i, byKeyboard) => {
      describe();
      if (byKeyboard) shell.say(lineText(i));
    },
  });
  const side = el("div", {}, el("div", { class: "gf-scroll" }, bars.node), readout);
  shell.body.append(
    el("div", { class: "gf-unembed" }, el("div", { class: "gf-split" }, el("div", {}, table), side), sum),
  );
  let at = 0;
  let pinned = 0;
  let terms = null;
  let geometry = null;

  const n = () => shell.header.tokens.length;
  const d = () => shell.arrays.hidden.data.length;
  const row = (i) => shell.arrays.rows.data.subarray(i * d(), (i + 1) * d());
  const bias = (i) => shell.arrays.biases.data[i];
  const termsOf = (i) =>
    logitTerms(
      shell.arrays.hidden.data,
      row(i),
      bias(i),
      shell.theme.presenting ? MOST_ON_A_SLIDE : MOST,
      shell.header.softcap,
    );
  const lines = () => terms.shown.length + (terms.nRest ? 1 : 0);

  cursorKeys(table, {
    size: () => [n(), 1],
    get: () => [at, 0],
    choose: ([i]) => choose(i),
    reset: () => open((pinned = 0)),
    move: ([i]) => {
      pinned = i;
      open(i, true);
    },
  });
  const choose = (i) => {
    pinned = i;
    open(i);
  };

  function open(i, byKeyboard = false) {
    at = i;
    terms = termsOf(i);
    for (const [k, node] of [...table.querySelectorAll("tbody tr")].entries()) node.classList.toggle("on", k === at);
    draw();
    if (byKeyboard) shell.say(sentence(i));
  }

  const sentence = (i) => {
    const t = termsOf(i);
    const h = shell.header;
    return `${quoted(h.tokens[i])}${i === h.truth ? ", which really came" : ""}: ${h.plain ? "score" : "logit"} ${format(t.logit)}, probability ${chance(share(t.logit, h.largest, h.total), 4)}`;
  };

  function fill() {
    const h = shell.header;
    const body = h.tokens.map((token, i) => {
      const t = termsOf(i);
      const p = share(t.logit, h.largest, h.total);
      const inside = el("span");
      inside.style.width = `${clamp(p, 0, 1) * 100}%`;
      return el(
        "tr",
        {
          onpointerenter: (event) => {
            if (event.pointerType === "mouse") open(i);
          },
          onpointerdown: () => choose(i),
        },
        el("td", { text: `${i === h.truth ? "✓ " : ""}${visible(token)}` }),
        el("td", { text: format(t.logit, 3) }),
        el("td", { class: "gf-deep", text: format(Math.exp(t.logit - h.largest), 4) }),
        el("td", { text: chance(p, 4) }),
        el("td", {}, el("span", { class: "track" }, inside)),
      );
    });
    const head = [["token"], either("score", "logit z"), ["e^(z − max)"], ["probability"], [""]].map((parts, i) =>
      el("th", { scope: "col", class: i === 2 ? "gf-deep" : null }, ...parts),
    );
    table.replaceChildren(el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body)));
    table.setAttribute("aria-label", `${h.takeaway} Arrow keys go through the tokens.`);
    table.onpointerleave = (event) => {
      if (event.pointerType === "mouse" && at !== pinned) open(pinned);
    };
  }

  const lineText = (i) => {
    if (i >= terms.shown.length) return `the other ${terms.nRest} coordinates together: ${format(terms.rest)}`;
    const c = terms.shown[i];
    return `coordinate ${c}: ${format(shell.arrays.hidden.data[c])} × ${format(row(at)[c])} = ${format(terms.products[c])}, sum so far ${format(terms.running[i])}`;
  };

  function describe() {
    readout.replaceChildren(
      ...(bars.at === null
        ? [
            el("span", {
              class: "gf-hint",
              text: `The largest products of ${quoted(shell.header.tokens[at])}. Point at a line for its numbers.`,
            }),
          ]
        : [lineText(bars.at)]),
    );
  }

  function draw() {
    const { theme } = shell;
    const unit = theme.unit;
    const width = Math.max(250, Math.min(side.clientWidth || shell.width, 580));
    const most = (list) => list.reduce((m, v) => Math.max(m, Math.abs(v)), 0) || 1;
    const ends = [...terms.running, ...(terms.nRest ? [terms.dot] : [])];
    const low = Math.min(0, ...ends);
    const high = Math.max(0, ...ends);
    geometry = {
      width,
      step: Math.round(STEP * unit),
      column: (width - INDEX - 2 * GAP - 4) / 3,
      h: most(shell.arrays.hidden.data),
      w: most(row(at)),
      low,
      high: high > low ? high : low + 1,
    };
    table.style.setProperty("--gf-share", theme.categorical[0]);
    paint(
      bars.open({
        n: lines(),
        step: geometry.step,
        width,
        theme,
        label: `Products of ${sentence(at)}. Arrow keys go through them.`,
      }),
    );
    describe();
    addUp();
  }

  function paint(p) {
    const { theme } = shell;
    const { step, column, low, high } = geometry;
    const [plus, minus] = [theme.categorical[0], theme.categorical[1]];
    const quiet = { fill: theme.soft, size: 11, font: theme.font };
    const x = [0, 1, 2].map((i) => INDEX + i * (column + GAP));
    const { plain } = shell.header;
    (plain ? ["the last row", "the token's row", "added up"] : ["h", "w of the token", "h × w, added up"]).forEach(
      (text, i) => p.text(text, x[i], 9, quiet),
    );
    p.text(plain ? "" : "i", 4, 9, quiet);
    [geometry.h, geometry.w].forEach((limit, i) =>
      p.text(`±${format(limit, 1)}`, x[i], 24, { ...quiet, size: 10, font: theme.code }),
    );
    p.text(`${format(low, 1)} … ${format(high, 1)}`, x[2], 24, { ...quiet, size: 10, font: theme.code });
    const place = (v) => x[2] + ((v - low) / (high - low)) * column;
    for (const middle of [x[0] + column / 2, x[1] + column / 2, place(0)]) {
      p.segment(middle, TOP - 2, middle, TOP + lines() * step + 2, { color: theme.line });
    }
    for (let i = 0; i < lines(); i++) {
      const y = TOP + i * step;
      const tall = step - 3;
      const isRest = i >= terms.shown.length;
      const c = terms.shown[i];
      p.text(isRest ? "rest" : `${c}`, INDEX - 7, y + tall / 2, {
        fill: theme.soft,
        size: 10.5,
        font: theme.code,
        align: "right",
      });
      if (!isRest) {
        [
          [shell.arrays.hidden.data[c], geometry.h],
          [row(at)[c], geometry.w],
        ].forEach(([v, limit], k) => {
          const zero = x[k] + column / 2;
          const w = (Math.abs(v) / limit) * (column / 2);
          p.rect(v < 0 ? zero - w : zero, y, Math.max(w, 0.5), tall, { fill: theme.categorical[7] });
        });
      }
      const [from, to] = [
        i ? (isRest ? terms.running.at(-1) : terms.running[i - 1]) : 0,
        isRest ? terms.dot : terms.running[i],
      ].map(place);
      p.rect(Math.min(from, to), y, Math.max(Math.abs(to - from), 0.75), tall, { fill: to < from ? minus : plus });
      p.segment(to, y, to, y + step, { color: theme.soft, width: 0.75 });
    }
  }

  function addUp() {
    const h = shell.header;
    const z = terms.logit;
    const hasBias = h.has_bias;
    sum.replaceChildren(
      ...formula([
        ["", `Σ of ${d()} products`, format(terms.dot)],
        ...(hasBias ? [["+", "bias", format(bias(at))]] : []),
        ...(h.softcap
          ? [
              ["=", "x", format(terms.sum)],
              ["→", `logit z = ${h.softcap} · tanh(x / ${h.softcap})`, format(z), true],
            ]
          : [["=", "logit z", format(z), true]]),
        ["→", `e^(z − ${format(h.largest, 2)})`, format(Math.exp(z - h.largest), 4)],
        ["/", `Σ over ${h.vocab_size.toLocaleString("en")} tokens`, format(h.total, 4)],
        ["=", "probability", chance(share(z, h.largest, h.total), 4), true],
      ]),
    );
  }

  const first = () => clamp(shell.header.selected ?? 0, 0, n() - 1);

  return {
    held: () => pinned !== first() && [pinned],
    hold([i]) {
      if (i < n()) choose(i);
    },
    update() {
      at = pinned = first();
    },
    draw() {
      fill();
      open(at);
    },
    table: () => ({
      columns: ["coordinate", "h", "w", "h × w"],
      rows: Array.from({ length: d() }, (_, i) => [
        String(i),
        shell.arrays.hidden.data[i],
        row(at)[i],
        terms.products[i],
      ]),
    }),
    picture: () => ({
      width: geometry.width + 12,
      height: bars.height + 22,
      paint(p) {
        p.shifted(6, 0, () => paint(p));
        p.text(sentence(at), 8, bars.height + 12, { fill: shell.theme.text, size: 11, font: shell.theme.font });
      },
    }),
  };
}, STYLE);
