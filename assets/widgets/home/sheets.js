// Home's first picture: the visitor's own sentence on its way through the whole model, which runs here, in the browser.
import { fixed } from "../page/numbers.js";
import { define } from "../drawing/base.js";
import { el, format, grouped } from "../drawing/elements.js";
import { pointer } from "../drawing/input.js";
import { CanvasPainter, fit } from "../drawing/painter.js";
import { quoted, visible, word } from "../drawing/tokens.js";
import { openModel, readerOf } from "../engine/open_model.js";
import * as choices from "../page/choices.js";
import { photograph } from "../scene/photograph.js";
import { showFetching } from "../shared/fetching.js";
import { readingNotes, whatIsRead } from "../shared/reading_notes.js";
import { roomAddress, visit } from "../shared/room_link.js";
import { expected, sentPass, wholePass } from "../shared/whole_pass.js";
import { heldToken, instead, spoken } from "./sheets_math.js";
import { glass, paintSheets, rasters } from "./sheets_paint.js";
import { labels } from "./labels.js";

const NAMES = 176; // css pixels for the names at the right
const NARROW = 560; // below that, they stand above the sheets
const REVEAL = 600; // ms in which the orange thread rises, once
const PICTURE_FIRST = 50; // ms in which the picture is drawn, before the weights take the line
const REST = 700; // ms after the last key until a screen reader is told

const STYLE = `
.gf-sheets { position: relative; }
.gf-sheets canvas { display: block; touch-action: pan-y pinch-zoom; }
.gf-sheets :is(a, div) { position: absolute; color: inherit; text-decoration: none; line-height: 1.3; border-radius: 4px; }
.gf-sheets b { font-weight: 650; font-size: 0.9375rem; }
.gf-sheets a b { border-bottom: 1.5px solid var(--gf-glass); }
.gf-sheets span { display: block; color: var(--gf-soft); font-size: 0.8125rem; }
.gf-sheets a:hover b { color: var(--gf-accent); border-color: var(--gf-accent); }
.gf-sheets div { pointer-events: none; white-space: nowrap; padding: 0 0.3em; background: color-mix(in srgb, var(--st-background-color) 82%, transparent); }
.gf-sheets div b { font-size: 0.75rem; }
.gf-sheets div span { display: inline; margin-left: 0.4em; font-size: 0.75rem; }
.gf-leads { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.9rem; margin: 0.3rem 0 0; font-size: 0.875rem; }
.gf-leads a { padding-block: 5px; /* a finger needs 24 px */ color: inherit; }
.gf-expects { font-size: 1.0625rem; margin: 0.3rem 0 0; min-height: 1.5em; }
.gf-expects b { color: var(--gf-accent); }
.gf-unfold { display: inline-block; padding-block: 3px; margin-top: 0.15rem; font-weight: 600; color: var(--gf-accent); }
.gf-instead { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.3rem 0.5rem; font-size: 0.875rem; color: var(--gf-soft); }
`;

export default define((shell) => {
  const canvas = el("canvas", { role: "img", tabindex: 0 });
  canvas.paint = (p) => paintSheets(p, { ...layout, drawn: 1 });
  const box = el("div", { class: "gf-sheets" }, canvas);
  const caption = el("p", { class: "gf-expects" });
  const offers = el("div", { class: "gf-instead" });
  const onclick = (event) => visit(event, "model_map", { text: shell.header.text });
  const unfold = el("a", {
    class: "gf-unfold",
    href: roomAddress("model_map"),
    hidden: !roomAddress("model_map"),
    text: labels("unfold"),
    onclick,
  });
  const leads = el("p", { class: "gf-leads" }); // where the names stand on the sheets, and a finger means the words there
  shell.body.append(box, caption, offers, unfold, leads);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let model;
  let seen; // the sentence through the model
  let isWhole; // whether that was computed here
  let notes; // on how it was read
  let images;
  let asks = -1; // which token's answer is shown: the one pointed at, else the one held, else the last
  let layout; // of the last drawing
  let began; // of the orange thread's rise
  let told;
  let links = []; // the sheets' names, from below
  let isNarrow = false;

  /** The text through the model, as soon as that is here. */
  function look() {
    const { text, most, remarks, sent } = shell.header;
    if (seen && shell.root.dataset.text === text && isWhole === Boolean(model.weights)) {
      ask(rest()); // another token is held
      return;
    }
    const read = model.tokenizer.read(text, most);
    if (remarks) choices.remark(remarks, whatIsRead(read));
    if (!read.ids.length) return;
    if (!model.weights && String(read.ids) !== String(sent)) return; // what the server has read is another text
    const isFirst = !seen;
    seen = model.weights ? wholePass(model, read) : sentPass(model, read, shell.arrays);
    isWhole = Boolean(model.weights);
    images = null;
    asks = rest();
    shell.root.dataset.text = text; // for whoever waits until it is shown
    if (isFirst && !still.matches) began = performance.now();
    notes = readingNotes(read);
    say();
    clearTimeout(told);
    told = setTimeout(() => shell.say(caption.textContent), REST);
    if (model.weights) offer(read);
    names();
  }

  const rest = () => heldToken(shell.header.held, seen.nToken) ?? seen.nToken - 1;

  /** What it expects after the token whose answer the bars show. */
  function say() {
    const [first] = expected(seen, asks, 1);
    const name = spoken(vocabulary(first.id));
    const share = `${fixed(100 * first.p, 0)}%`;
    const isLast = asks === seen.nToken - 1;
    const key = isLast ? "expects" : "expects_after";
    const values = { token: word(seen.tokens[asks]), name, share };
    caption.replaceChildren(...labels.parts(key, { ...values, name: el("b", { text: name }) }), " ", notes);
    canvas.setAttribute("aria-label", labels("picture", { sentence: labels(key, values) }));
  }

  /** Known words in place of the first that is unknown: a click puts one there. */
  function offer({ unknown }) {
    const { text, chooses } = shell.header;
    const word = unknown.find((one) => /\p{L}/u.test(one) && text.includes(one));
    const put = (one) =>
      shell.commit(
        "text",
        text.replaceAll(word, () => one),
      );
    const known = word && chooses?.text ? instead(model, text, word).map((one) => one.trim()) : [];
    const buttons = known.map((one) => el("button", { class: "gf-solid", text: one, onclick: () => put(one) }));
    offers.replaceChildren(...(known.length ? [labels("instead", { word: quoted(word) }), ...buttons] : []));
  }

  const vocabulary = (id) => model.tokenizer.tokens([id])[0];

  function draw() {
    const width = shell.width;
    const wasNarrow = isNarrow;
    isNarrow = width < NARROW;
    if (isNarrow !== wasNarrow && seen) names();
    const height = Math.max(380, Math.min(isNarrow ? 1.25 * width : 0.92 * width, shell.tall - 60));
    const ctx = fit(canvas, width, height);
    shell.root.style.setProperty("--gf-glass", `rgba(${glass(shell.theme.mode)},0.7)`);
    if (!seen) return;
    if (images?.mode !== shell.theme.mode) images = rasters(seen, shell.theme.mode);
    const drawn = began ? Math.min(1, (performance.now() - began) / REVEAL) : 1;
    const look = { width, height, labels: isNarrow ? 0 : NAMES, theme: shell.theme, seen, images, asks, vocabulary };
    layout = { ...look, ...paintSheets(new CanvasPainter(ctx), { ...look, drawn }) };
    links.forEach((link, sheet) => {
      const isTop = sheet === links.length - 1; // there the tallest bar is at the left
      const [x, y] = layout.g.place(isNarrow ? Number(isTop) : 1.03, isNarrow ? 1 : 0.5, sheet);
      link.style.left = `${isNarrow ? x - Number(isTop) * link.offsetWidth : x + 36}px`;
      link.style.top = `${y - (isNarrow ? 22 : 14)}px`;
    });
    if (drawn < 1) requestAnimationFrame(draw);
    else began = null;
  }

  /** Each sheet's name leads to its room; where it stands on the sheet, a link below does. */
  function names() {
    const told = [
      ["tokens", labels("tokens"), labels("n_tokens", { n: seen.nToken })],
      ["embeddings", labels("embeddings"), labels("n_numbers", { n: model.config.d_model })],
      ...Array.from({ length: seen.nLayer }, (_, l) => [
        "block",
        labels("layer", { l }),
        labels("n_heads", { n: seen.nHead }),
      ]),
      ["next_token", labels("next_token"), labels("n_probabilities", { n: grouped(seen.vocabSize) })],
    ];
    const lead = (room, ...inside) =>
      el("a", { href: roomAddress(room), onclick: (event) => visit(event, room) }, ...inside);
    for (const old of links) old.remove();
    links = told.map(([room, name, more]) => {
      const inside = [el("b", { text: name }), el("span", { text: more })];
      return isNarrow ? el("div", {}, ...inside) : lead(room, ...inside);
    });
    box.append(...links);
    const rooms = new Map(told.map(([room, name]) => [room, room === "block" ? labels("layers") : name]));
    leads.hidden = !isNarrow || !roomAddress("block");
    leads.replaceChildren(...(isNarrow ? [...rooms].map(([room, name]) => lead(room, name)) : []));
  }

  /** The token under a place: that of the nearest column. */
  function tokenAt(event) {
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - left, event.clientY - top];
    const { g, column } = layout;
    let best = null;
    for (let sheet = 0; sheet <= seen.nLayer + 1; sheet++) {
      for (let i = 0; i < seen.nToken; i++) {
        const [px, py] = g.place(column[i].u, 0.5, sheet);
        const far = Math.abs(x - px - (py - y)) + (Math.abs(y - py) < 0.5 * g.deep ? 0 : 1e3);
        if (far < 0.6 * column[i].width * g.wide && (!best || far < best.far)) best = { far, i };
      }
    }
    return best?.i ?? null;
  }

  function ask(i) {
    if (!seen || i === asks) return;
    asks = i;
    say();
    draw();
  }

  const keep = (held) => shell.header.chooses?.held && shell.commit("held", held);

  function hold(i) {
    const isFree = i === null || i === heldToken(shell.header.held, seen.nToken);
    ask(isFree ? seen.nToken - 1 : i);
    keep(isFree ? "" : String(i));
  }

  pointer(
    canvas,
    (event) => {
      const nothing = event.pointerType === "mouse" ? seen && rest() : asks; // a finger keeps what it has marked
      if (seen) ask(tokenAt(event) ?? nothing);
    },
    () => seen && ask(rest()),
  );
  // A mouse and a finger hold a word alike; beside the words, or on the same one again, they let go.
  canvas.addEventListener("click", (event) => seen && hold(tokenAt(event)));
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !seen) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(seen.nToken - 1, asks + step));
    ask(next);
    keep(next === seen.nToken - 1 ? "" : String(next));
    const [first] = expected(seen, asks, 1);
    const [token, expects] = [visible(seen.tokens[asks]), visible(vocabulary(first.id))];
    shell.say(labels("said", { token, expects, share: `${format(100 * first.p, 0)}%` }));
  });

  return {
    update() {
      if (model) {
        look();
        return;
      }
      if (!shell.header.model) {
        caption.textContent = labels("no_model");
        return;
      }
      model = readerOf(shell.header.model);
      look(); // what the server has computed, until the model is here and reads what is typed
      const begin = (opened) => {
        model = opened;
        look();
        shell.redraw();
      };
      showFetching(shell, shell.header.model.url);
      setTimeout(() => openModel(shell.header.model).then(begin, (error) => shell.fail(error)), PICTURE_FIRST);
    },
    draw,
    table() {
      const rows = seen?.tokens.map((token, t) => {
        const [first] = expected(seen, t, 1);
        return [t, visible(token), seen.ids[t], visible(vocabulary(first.id)), first.p];
      });
      return {
        columns: ["position", "token", "id", "next", "probability"].map((key) => labels(`column.${key}`)),
        rows: rows ?? [],
      };
    },
    picture: () => photograph(box),
  };
}, STYLE);
