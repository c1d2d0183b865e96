// Whose query, whose keys and values: a film over the output tokens. At each step the decoder's newest token asks, and
// lines go to the source tokens that answer, as wide as their weight. Nothing asks the server.
import { define } from "../drawing/base.js";
import { clamp, el, format, measure } from "../drawing/elements.js";
import { pointer, withModifier } from "../drawing/input.js";
import { mix } from "../drawing/color.js";
import { headOf, mixture, spoken, strongest } from "./cross_film_math.js";
import { attentionFormula } from "../drawing/formula.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { Player } from "../drawing/player.js";
import { quoted, short, visible } from "../drawing/tokens.js";

const TOP = 40;
const STEP = 30;
const WIDEST = 9;
const STEPS_PER_SECOND = 1;

const STYLE = `
.gf-cross .gf-stage { cursor: pointer; touch-action: pan-y pinch-zoom; }
.gf-cross table { border-collapse: collapse; width: 100%; font-size: 0.8125rem; }
.gf-cross th, .gf-cross td { text-align: left; padding: 4px 8px 4px 0; border-bottom: 1px solid var(--gf-line); vertical-align: top; font-weight: 400; }
.gf-cross th b { font-family: var(--st-code-font); }
.gf-cross .size { font-family: var(--st-code-font); white-space: nowrap; }
.gf-cross .gf-said { margin: 0 0 0.6rem; min-height: 3.2em; overflow-wrap: anywhere; }
@container (min-width: 760px) { .gf-cross .gf-split { grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); } }
`;

export default define((shell) => {
  const player = new Player({
    what: "Output token",
    unit: "output token",
    perSecond: STEPS_PER_SECOND,
    show,
    say: () => shell.say(sentence()),
  });
  const heads = el("select", {
    "aria-label": "Head of the cross-attention",
    onchange: () => {
      head = Number(heads.value);
      held = null;
      player.go(player.at);
      shell.say(sentence());
    },
  });
  const canvas = el("canvas");
  const stage = el("div", { class: "gf-stage", tabindex: 0, role: "group" }, canvas);
  const panel = el("div", { class: "gf-panel" });
  const sum = el("div", { class: "gf-formula" });
  const left = el("div", {}, stage);
  shell.body.append(
    player.node,
    el("div", { class: "gf-controls" }, el("label", {}, el("span", { text: "head" }), heads)),
    el("div", { class: "gf-split" }, left, panel),
    sum,
  );
  shell.body.classList.add("gf-cross");

  let head = 0;
  let at = 0;
  let held = null;
  let pointed = null;
  let geometry = null;
  let part = null;

  const source = () => pointed ?? held ?? strongest(part.weights, at);
  const sentence = () => spoken(shell.header, part.weights, at);

  pointer(
    stage,
    (event) => point(find(event)),
    () => point(null),
  );
  stage.addEventListener("click", (event) => {
    const token = find(event);
    if (token !== null) hold(token);
  });
  stage.addEventListener("keydown", (event) => {
    if (withModifier(event)) return;
    const last = shell.header.columns.length - 1;
    if (event.key === "ArrowDown") hold(clamp(source() + 1, 0, last));
    else if (event.key === "ArrowUp") hold(clamp(source() - 1, 0, last));
    else if (event.key === "Escape") hold(null);
    else return;
    shell.say(`${visible(shell.header.columns[source()])} with weight ${format(part.weights.row(at)[source()], 2)}`);
    event.preventDefault();
    event.stopPropagation();
  });
  shell.body.addEventListener("keydown", (event) => {
    if (player.key(event)) event.preventDefault();
  });

  /** The source token under the pointer, if it is on its side of the picture. */
  function find(event) {
    const box = stage.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top - TOP) / STEP);
    return event.clientX - box.left > geometry.xRight - 40 && i >= 0 && i < shell.header.columns.length ? i : null;
  }

  function point(token) {
    if (token !== pointed) {
      pointed = token;
      paint();
      tell();
    }
  }
  function hold(token) {
    held = token === held ? null : token;
    pointed = null;
    paint();
    tell();
  }

  function show(index) {
    const h = shell.header;
    at = index;
    part = headOf(shell.arrays, head);
    player.tell(`${at + 1} of ${h.rows.length}: ${visible(h.writes[at])}`, sentence());
    stage.setAttribute(
      "aria-label",
      `${h.takeaway} ${sentence()} Up and down choose the source token whose score is worked out.`,
    );
    paint();
    tell();
  }

  function place() {
    const h = shell.header;
    const width = Math.min(left.clientWidth || shell.width, 620);
    const narrow = width < 480;
    const size = Math.round((narrow ? 12 : 13) * shell.theme.unit);
    const most = narrow ? 9 : 16;
    const wide = (list) =>
      Math.ceil(Math.max(...list.map((t) => measure(short(t, most), size, shell.theme.code)))) + 26;
    const [xLeft, xRight] = [Math.max(wide(h.rows), 92), width - Math.max(wide(h.columns), 92)];
    geometry = { width, height: TOP + STEP * Math.max(h.rows.length, h.columns.length) + 6, xLeft, xRight, size, most };
    Object.assign(stage.style, { width: `${width}px`, height: `${geometry.height}px` });
  }

  const middle = (i) => TOP + (i + 0.5) * STEP;

  function paintAll(p) {
    const h = shell.header;
    const { theme } = shell;
    const { width, xLeft, xRight, size, most } = geometry;
    const row = part.weights.row(at);
    const chosen = source();
    const title = { fill: theme.soft, size: 12, font: theme.font };
    p.text("Decoder: asks", xLeft - 6, 10, { ...title, align: "right" });
    p.text("query", xLeft - 6, 26, { ...title, font: theme.code, align: "right" });
    p.text("Encoder: answers", xRight + 6 > width - 110 ? width - 2 : xRight + 6, 10, {
      ...title,
      align: xRight + 6 > width - 110 ? "right" : "left",
    });
    p.text("keys, values", xRight + 6 > width - 110 ? width - 2 : xRight + 6, 26, {
      ...title,
      font: theme.code,
      align: xRight + 6 > width - 110 ? "right" : "left",
    });
    const order = row.map((_, s) => s).sort((a, b) => row[a] - row[b]);
    for (const s of order) {
      if (row[s] > 0.004) {
        p.segment(xLeft, middle(at), xRight, middle(s), {
          color: mix(theme.page, theme.accent, 0.25 + 0.75 * row[s]),
          width: Math.max(0.7, row[s] * WIDEST),
        });
      }
    }
    h.columns.forEach((text, s) => {
      p.rect(xRight, middle(s) - 11, width - xRight - 2, 22, {
        fill: mix(theme.panel, theme.accent, 0.42 * row[s]),
        radius: 5,
        stroke: s === chosen ? theme.accent : theme.line,
        width: s === chosen ? 2 : 1,
      });
      p.text(short(text, most), xRight + 10, middle(s) + 1, { fill: theme.text, size, font: theme.code });
    });
    h.rows.forEach((text, t) => {
      if (t > at) {
        p.text("·", xLeft - 10, middle(t), { fill: theme.soft, size, font: theme.code, align: "right" });
        return;
      }
      if (t === at) p.rect(2, middle(t) - 11, xLeft - 2, 22, { fill: theme.accent, radius: 5 });
      p.text(short(text, most), xLeft - 10, middle(t) + 1, {
        fill: t === at ? theme.onAccent : theme.text,
        size,
        font: theme.code,
        align: "right",
      });
    });
  }

  function paint() {
    paintAll(new CanvasPainter(fit(canvas, geometry.width, geometry.height)));
  }

  function tell() {
    const h = shell.header;
    const [T, S, K] = [h.rows.length, h.columns.length, part.q.shape[1]];
    const row = part.weights.row(at);
    const s = source();
    const words = (text) => el("b", { text: visible(text) });
    const line = (name, size, whose, what) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, el("b", { text: name })),
        el("td", { class: "size", text: size }),
        el("td", {}, whose, what),
      );
    const value = mixture(part, at);
    panel.replaceChildren(
      el(
        "p",
        { class: "gf-said" },
        "The decoder has just read ",
        words(h.rows[at]),
        " and writes ",
        words(h.writes[at]),
        ` (${format(h.sure[at], 2)}). It reads `,
        words(h.columns[strongest(part.weights, at)]),
        " most.",
      ),
      ...(h.plain
        ? []
        : [
            el(
              "table",
              {},
              el(
                "tbody",
                {},
                line("Q", `${T} × ${K}`, "from the decoder; ", `this step asks with row ${at}`),
                line("K", `${S} × ${K}`, "from the encoder; ", "the same at every step"),
                line("V", `${S} × ${K}`, "from the encoder; ", "the same at every step"),
                line("scores", `${T} × ${S}`, "", "one row for each output token"),
                line("out", `${T} × ${K}`, "", `row ${at}: ${[0, 1, 2].map((i) => format(value[i], 2)).join("  ")} …`),
              ),
            ),
            el("p", {
              class: "gf-soft",
              text: `Below: the score of ${quoted(h.columns[s])}. Point at another source token, or click one to keep it.`,
            }),
          ]),
    );
    sum.hidden = h.plain;
    sum.replaceChildren(
      ...(h.plain ? [] : attentionFormula({ q: part.q, k: part.k, scale: h.scale }, at, s, row[s], S)),
    );
  }

  return {
    held: () => held !== null && [held],
    hold([token]) {
      if (token < shell.header.columns.length) hold(token);
    },
    update() {
      const h = shell.header;
      const isOther =
        JSON.stringify([h.rows, h.columns]) !== JSON.stringify([shell.previous?.rows, shell.previous?.columns]);
      heads.replaceChildren(...h.heads.map((name, i) => el("option", { value: i, text: name })));
      if (isOther) {
        held = null;
        pointed = null;
      }
      if (isOther || head >= h.heads.length) head = h.open;
      heads.value = head;
      player.set(h.rows.length - 1, isOther ? h.start : player.at);
    },
    draw() {
      place();
      player.go(player.at);
    },
    destroy: () => player.play(false),
    table: () => ({
      columns: ["after", "writes", ...shell.header.columns],
      rows: shell.header.rows.map((token, t) => [
        visible(token),
        visible(shell.header.writes[t]),
        ...part.weights.row(t),
      ]),
    }),
    picture: () => ({
      width: geometry.width + 12,
      height: geometry.height + 20,
      paint(p) {
        p.shifted(6, 0, () => paintAll(p));
        p.text(player.now.textContent, 8, geometry.height + 10, {
          fill: shell.theme.soft,
          size: 12,
          font: shell.theme.font,
        });
      },
    }),
  };
}, STYLE);
