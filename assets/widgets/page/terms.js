// The terms of the glossary in the texts of the page: a dotted line under the first mention of each, its definition in
// a card on hover or tap, and all of them in a list for the keyboard. The texts are React's and stay untouched: the
// lines are a highlight (CSS Custom Highlight API), and the pointer is compared with where the words stand.
import { el } from "../drawing/elements.js";
import { readHeader } from "../drawing/frame.js";
import { finder, placed } from "./terms_find.js";
import { setTerms, terms } from "./term_list.js";
import { labels } from "./labels.js";

const NAME = "gf-term";
const DWELL = 220;
const LINGER = 260;
const FOLDED = '[class*="st-key-gf-exhibit-"]:has([class*="st-key-gf-open-"])'; // the whole line is a button
const SKIP = `h1, h2, h3, h4, h5, h6, a, code, pre, kbd, button, label, summary, th, .katex, .st-key-gf-onward, .st-key-gf-glossary, ${FOLDED}`;
const STYLE = `
:host { display: block; font-family: var(--st-font); color: var(--st-text-color); }
details { font-size: 0.875rem; line-height: 1.5; }
summary { cursor: pointer; width: fit-content; min-height: 28px; padding: 2px 6px; margin-left: -6px; border-radius: 6px; }
:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 0.7rem 1.6rem; margin: 0.6rem 0 0; }
dt, dd { margin: 0; }
a { color: var(--st-link-color); text-underline-offset: 3px; border-radius: 3px; }
dt a { font-weight: 600; display: inline-block; min-height: 24px; }
[popover] { position: fixed; inset: auto; margin: 0; width: min(21rem, calc(100vw - 16px)); padding: 0.7rem 0.9rem; font-size: 0.875rem; line-height: 1.5; border: 1px solid var(--st-border-color); border-radius: 0.6rem; background: var(--st-background-color); color: var(--st-text-color); box-shadow: 0 8px 28px -10px rgb(7 18 27 / 45%); }
[popover] b { display: block; }
[popover] a { display: inline-block; margin-top: 0.35rem; font-size: 0.8125rem; min-height: 24px; }
`;
const LINES = `
::highlight(${NAME}) { text-decoration: underline dotted 1.5px light-dark(#7d8b90, #71879c); text-underline-offset: 0.22em; }
html.${NAME} .stMarkdown :is(p, li, td) { cursor: help; }
`;

let find = (_text) => [];
let host = null;
let list;
let dl;
let count;
let card;
let timer = 0;
let shown = null;
let pinned = false;
let known = "";
const marks = new Map();
const cached = new Map(); // element -> its marks; text -> what is found in it
const presenting = () => document.documentElement.classList.contains("gf-present");
const address = (term) => new URL(`../../glossary?term=${terms[term][1]}`, import.meta.url).href;

export default ({ parentElement, data }) => {
  const [header] = readHeader(data);
  if (header.id !== known) {
    setTerms(header.terms);
    known = header.id;
    find = finder(terms);
    cached.clear();
  }
  if (!parentElement.querySelector("details")) build(parentElement);
  host = parentElement;
  listen();
  later();
};

function build(parent) {
  parent.querySelector(".gf-wait")?.remove();
  count = el("span");
  dl = el("dl");
  list = el("details", { hidden: true, ontoggle: fill }, el("summary", {}, count), dl);
  card = el("div", {
    popover: "manual",
    role: "note",
    onpointerenter: () => clearTimeout(timer),
    onpointerleave: () => {
      if (!pinned) hideLater();
    },
  });
  parent.append(el("style", { text: STYLE }), list, card);
}

let listens = false;
function listen() {
  if (listens) return;
  listens = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(LINES);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  new MutationObserver(later).observe(document.body, {
    childList: true,
    characterData: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["open"],
  });
  document.addEventListener("gf-look", later);
  document.addEventListener(
    "pointermove",
    (event) => {
      if (event.pointerType === "mouse") hover(event);
    },
    { passive: true },
  );
  document.addEventListener("click", (event) => {
    const mark = markAt(event);
    if (mark && !getSelection()?.toString()) show(mark, true);
    else if (shown !== null && !event.composedPath().includes(card)) hide();
  });
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || shown === null) return;
      hide();
      event.stopPropagation();
    },
    { capture: true },
  );
  document.addEventListener(
    "scroll",
    () => {
      if (shown !== null) hide();
    },
    { capture: true, passive: true },
  );
}

let waiting = 0;
/** Read the page again once it stands still for a moment. */
function later() {
  waiting ||= setTimeout(() => {
    waiting = 0;
    read();
  }, 300);
}

function read() {
  if (!host?.isConnected) return;
  marks.clear();
  const ranges = [];
  const seen = new Set();
  for (const box of presenting() ? [] : document.querySelectorAll('[data-testid="stMain"] .stMarkdown')) {
    if (box.closest(SKIP) || !box.checkVisibility()) continue;
    const own = [];
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.nodeValue;
      if (text.length < 2 || !node.parentElement.closest("p, li, td") || node.parentElement.closest(SKIP)) {
        continue;
      }
      for (const { start, end, term } of found(text)) {
        if (seen.has(term)) continue;
        seen.add(term);
        const range = new Range();
        range.setStart(node, start);
        range.setEnd(node, end);
        own.push({ term, range });
        ranges.push(range);
      }
    }
    if (own.length) marks.set(box, own);
  }
  globalThis.CSS?.highlights?.set(NAME, new Highlight(...ranges)); // a browser without them still has the list
  const words = [...seen].sort((a, b) => a - b);
  list.hidden = words.length === 0;
  if (list.dataset.words === words.join()) return;
  list.dataset.words = words.join();
  count.textContent = labels("terms_here", { count: words.length });
  fill();
}

function found(text) {
  if (!cached.has(text)) {
    if (cached.size > 2000) cached.clear();
    cached.set(text, find(text));
  }
  return cached.get(text);
}

function fill() {
  if (!list.open) return;
  dl.replaceChildren(
    ...list.dataset.words
      .split(",")
      .filter(Boolean)
      .map((term) => el("div", {}, el("dt", {}, link(term, terms[term][0])), el("dd", { text: terms[term][2] }))),
  );
}

const link = (term, text) =>
  el("a", {
    href: address(term),
    target: "_blank",
    rel: "noopener",
    text,
    title: labels("opens_glossary"),
  });

/** The marked word under the pointer. */
function markAt({ target, clientX: x, clientY: y }) {
  for (const mark of marks.get(target.closest?.(".stMarkdown")) ?? []) {
    if (target.closest(SKIP)) return null;
    for (const box of mark.range.getClientRects()) {
      if (x >= box.left && x <= box.right && y >= box.top - 2 && y <= box.bottom + 2) return { ...mark, box };
    }
  }
  return null;
}

function hover(event) {
  if (!host?.isConnected) return;
  const mark = markAt(event);
  document.documentElement.classList.toggle(NAME, mark !== null);
  if (pinned || event.composedPath().includes(card)) return;
  if (mark !== null && mark.term === shown) {
    clearTimeout(timer);
    return;
  }
  clearTimeout(timer);
  if (mark) timer = setTimeout(() => show(mark, false), DWELL);
  else if (shown !== null) hideLater();
}

function hideLater() {
  clearTimeout(timer);
  timer = setTimeout(hide, LINGER);
}

function show({ term, box }, isPinned) {
  clearTimeout(timer);
  [shown, pinned] = [term, isPinned];
  card.replaceChildren(el("b", { text: terms[term][0] }), terms[term][2], el("br"), link(term, labels("in_glossary")));
  if (!card.matches(":popover-open")) card.showPopover();
  const { left, top } = placed(box, card.getBoundingClientRect(), { width: innerWidth, height: innerHeight });
  Object.assign(card.style, { left: `${left}px`, top: `${top}px` });
}

function hide() {
  clearTimeout(timer);
  [shown, pinned] = [null, false];
  if (card.matches(":popover-open")) card.hidePopover();
}
