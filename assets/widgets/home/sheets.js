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
import { heldToken, instead, nextWord, spoken } from "./sheets_math.js";
import { glass, paintSheets, rasters } from "./sheets_paint.js";
import { Writing } from "./writing.js";
import { STYLE } from "./sheets_style.js";
import { labels } from "./labels.js";

const NAMES = 176; // css pixels for the names at the right
const NARROW = 560; // below that, they stand above the sheets
const REVEAL = 600; // ms in which the orange thread rises, once
const FOLLOW = 240; // ms in which it does so after a word that the model has written
const N_WORD = 8; // words of the model's that are repeated below the picture
const PICTURE_FIRST = 50; // ms in which the picture is drawn, before the weights take the line
const REST = 700; // ms after the last key until a screen reader is told

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
  const next = el("button", { class: "gf-solid", text: labels("continue"), disabled: true, onclick: () => write() });
  const back = el("button", { text: labels("undo"), hidden: true, onclick: () => setText(writing.before) });
  const again = el("button", { text: labels("again"), hidden: true, onclick: () => setText(writing.own) });
  const tail = el("p");
  const row = el("div", { class: "gf-write", "data-not-in-file": true }, next, back, again, tail);
  const terms = el("p", { class: "gf-terms" });
  const leads = el("p", { class: "gf-leads" }); // where the names stand on the sheets, and a finger means the words there
  shell.body.append(box, caption, row, offers, leads, terms);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let model;
  let seen; // the sentence through the model
  let isWhole; // whether that was computed here
  let notes; // on how it was read
  let images;
  let asks = -1; // which token's answer is shown: the one pointed at, else the one held, else the last
  let layout; // of the last drawing
  let began; // of the orange thread's rise
  let lasts = REVEAL; // that rise, in ms
  let nWritten = 0; // tokens at the end of the text that are the model's
  let isWriting = false; // whether the text is about to change by a word of the model's
  let told;
  let links = []; // the sheets' names, from below
  let isNarrow = false;
  const writing = new Writing();

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
    writing.follow(text);
    nWritten = writing.added ? model.tokenizer.encode(writing.added).length : 0;
    if ((isFirst || isWriting) && !still.matches) [began, lasts] = [performance.now(), isFirst ? REVEAL : FOLLOW];
    isWriting = false;
    notes = readingNotes(read);
    say();
    clearTimeout(told);
    told = setTimeout(() => shell.say(caption.textContent), REST);
    if (model.weights) offer(read);
    names();
    written();
  }

  /** What the model has written so far, after the end of the visitor's own words. */
  function written() {
    const { own, words } = writing;
    next.disabled = !model.weights || !shell.header.chooses?.text;
    back.hidden = again.hidden = !words.length;
    const marks = words.slice(-N_WORD).map((one) => el("mark", { text: one }));
    const before = words.length > N_WORD ? "… " : `… ${own.trim().split(/\s+/).slice(-3).join(" ")} `;
    tail.replaceChildren(...(words.length ? [before, ...marks] : [labels("adds")]));
    if (!terms.hasChildNodes()) explain();
  }

  /** A sentence each on what the sheets' names mean. */
  function explain() {
    const bold = (key) => el("b", { text: labels(key) });
    const said = ["of_layer", "of_head", "of_mlp"].flatMap((key) => [
      ...labels.parts(key, { n: seen.nLayer, term: bold(`${key}.term`) }),
      " ",
    ]);
    terms.replaceChildren(...said, unfold);
  }

  /** The text with the model's next word. */
  function write() {
    isWriting = true;
    setText(writing.add(nextWord(model, seen.ids)));
  }

  const setText = (text) => shell.commit("text", text);

  const rest = () => heldToken(shell.header.held, seen.nToken) ?? seen.nToken - 1;

  /** What it expects after the token whose answer the bars show. */
  function say() {
    const [first] = expected(seen, asks, 1);
    const name = spoken(vocabulary(first.id));
    const share = `${fixed(100 * first.p, 0)}%`;
    const isLast = asks === seen.nToken - 1;
    const key = isLast ? "expects" : "expects_after";
    const values = { token: word(seen.tokens[asks]), name, share };
    caption.replaceChildren(
      ...labels.parts(key, { ...values, name: el("b", { text: name }) }),
      " ",
      el("small", { text: notes }),
    );
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
    // What stands above and below it fits the screen, too: on a phone that stands above is more.
    const height = Math.max(330, Math.min((isNarrow ? 1.16 : 0.92) * width, shell.tall - (isNarrow ? 190 : 100)));
    const ctx = fit(canvas, width, height);
    shell.root.style.setProperty("--gf-glass", `rgba(${glass(shell.theme.mode)},0.7)`);
    if (!seen) return;
    if (images?.mode !== shell.theme.mode) images = rasters(seen, shell.theme.mode);
    const drawn = began ? Math.min(1, (performance.now() - began) / lasts) : 1;
    const look = {
      width,
      height,
      labels: isNarrow ? 0 : NAMES,
      theme: shell.theme,
      seen,
      images,
      asks,
      vocabulary,
      written: nWritten,
    };
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
