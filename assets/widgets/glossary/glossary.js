// The glossary: pictures of its main terms, a field that searches as one types, and every term, folded to its first
// sentence. The terms come with every page (page/term_list.js). Formulas, other names and links are the server's
// Markdown, which stays hidden on the page: an entry that opens takes a copy of its own.
import { el } from "../drawing/elements.js";
import { readHeader } from "../drawing/frame.js";
import { terms } from "../page/term_list.js";
import { draw, spoken } from "./term_pictures.js";
import { firstSentence, search } from "./search.js";
import { labels } from "./labels.js";

const PAUSE = 300; // ms without a key, after which the address says what is searched for
const LOADING = 10_000; // ms in which the page's Markdown is there
const STYLE = `
.gf-words { font-size: 0.9375rem; line-height: 1.45; --line: light-dark(#dcdfe0, #263745); }
.gf-words :focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; border-radius: 4px; }
.gf-words input { width: min(28rem, 100%); font: inherit; font-size: 1rem; padding: 0.45rem 0.7rem; color: inherit; background: var(--st-secondary-background-color); border: 1px solid var(--st-border-color); border-radius: 0.5rem; }
.gf-words label { display: block; font-size: 0.875rem; margin-bottom: 0.25rem; }
.gf-words h2 { font-size: 1.125rem; margin: 1rem 0 0.5rem; padding: 0; }
.gf-words .found { min-height: 1.5rem; margin: 0.4rem 0; font-size: 0.875rem; opacity: 0.8; }
.gf-words .tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(240px, 1fr)); gap: 0.75rem; }
.gf-words .tile { display: flex; flex-direction: column; gap: 0.35rem; text-align: left; font: inherit; color: inherit; background: var(--gf-pane, transparent); border: 1px solid var(--line); border-radius: 10px; padding: 0.6rem 0.75rem; cursor: pointer; }
.gf-words .tile:hover { border-color: var(--st-primary-color); }
.gf-words .tile b { font-size: 1rem; }
.gf-words .tile span, .gf-words figcaption { font-size: 0.8125rem; line-height: 1.3; opacity: 0.85; }
.gf-words a { color: var(--st-link-color); }
.gf-words svg { display: block; max-width: 100%; height: auto; }
.gf-words figure { margin: 0.6rem 0; max-width: 20rem; }
.gf-words .letters { display: flex; flex-wrap: wrap; }
.gf-words .letters button { min-width: 28px; min-height: 28px; font: inherit; color: var(--st-link-color); background: none; border: 0; cursor: pointer; }
.gf-words details { border-bottom: 1px solid var(--line); scroll-margin-top: 4rem; }
.gf-words summary { display: grid; grid-template-columns: 14rem minmax(0, 1fr); gap: 0.25rem 1rem; padding: 0.4rem 0.25rem; cursor: pointer; }
.gf-words summary:hover { background: var(--gf-chosen, transparent); }
.gf-words summary b::before { content: "▸"; display: inline-block; width: 1.1em; }
.gf-words [open] > summary b::before { content: "▾"; }
.gf-words [open] > summary span { display: none; }
.gf-words summary span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; opacity: 0.8; }
.gf-words .entry { padding: 0 0.25rem 0.75rem calc(0.25rem + 1.1em); max-width: 46rem; }
.gf-words .entry p { margin: 0 0 0.4rem; }
@media (max-width: 640px) {
  .gf-words .tiles { grid-template-columns: none; grid-auto-flow: column; grid-auto-columns: 246px; overflow-x: auto; padding-bottom: 0.4rem; }
  .gf-words summary { grid-template-columns: minmax(0, 1fr); }
}
@media print { .gf-words :is(.letters, label, input, .found) { display: none; } }
`;
let now = null; // what stands on the page

/** What the server has written of a term: formula, other names, where to see it. */
const written = (i) => document.querySelectorAll(".st-key-gf-glossary blockquote")[i];

export default ({ parentElement, data }) => {
  if (parentElement.querySelector(".gf-words")) return;
  const [{ pictures }] = readHeader(data);
  const begin = () => {
    if (!terms.length || !parentElement.isConnected) return;
    document.removeEventListener("gf-terms", begin);
    parentElement.querySelector(".gf-wait")?.remove();
    now = new Glossary(pictures, getComputedStyle(parentElement).fontFamily);
    parentElement.append(el("style", { text: STYLE }), now.node);
    now.followAddress();
  };
  document.addEventListener("gf-terms", begin);
  begin();
};

class Glossary {
  constructor(pictures, font) {
    this.pictures = pictures;
    this.font = font;
    this.field = el("input", {
      type: "search",
      id: "gf-words-search",
      maxlength: 60,
      placeholder: labels("examples"),
      autocomplete: "off",
      oninput: () => this.look(),
      onkeydown: (event) => this.press(event),
    });
    this.found = el("p", { class: "found", role: "status" });
    const row = el("div", { class: "letters" }, ...this.firstLetters());
    this.letters = el("div", {}, el("h2", { text: labels("all") }), row);
    this.entries = terms.map((term, i) => this.entry(term, i));
    this.list = el("div", {}, ...this.entries);
    const tiles = Object.keys(pictures).map((slug) => this.tile(terms.find(([, one]) => one === slug)));
    this.start = el("div", {}, el("h2", { text: labels("start_here") }), el("div", { class: "tiles" }, ...tiles));
    this.node = el(
      "div",
      { class: "gf-words" },
      el("label", { for: "gf-words-search", text: labels("search") }),
      this.field,
      this.found,
      this.start,
      this.letters,
      this.list,
    );
  }

  figure(slug) {
    const picture = this.pictures[slug];
    const drawn = new DOMParser().parseFromString(draw(picture, this.font), "image/svg+xml").documentElement;
    return el("div", { role: "img", "aria-label": spoken(picture) }, drawn);
  }

  tile([name, slug]) {
    return el(
      "button",
      { class: "tile", onclick: () => this.ask(name) },
      el("b", { text: name }),
      this.figure(slug),
      el("span", { text: this.pictures[slug].caption, "aria-hidden": "true" }),
    );
  }

  firstLetters() {
    const first = new Map();
    terms.forEach(([name], i) => first.has(name[0].toUpperCase()) || first.set(name[0].toUpperCase(), i));
    const go = (i) => () => {
      this.entries[i].scrollIntoView({ block: "start" });
      this.entries[i].firstChild.focus({ preventScroll: true });
    };
    return [...first].map(([letter, i]) => el("button", { text: letter, onclick: go(i) }));
  }

  entry([name, slug, definition], i) {
    return el(
      "details",
      { id: slug, ontoggle: (event) => event.target.open && this.fill(i) },
      el("summary", {}, el("b", { text: name }), el("span", { text: firstSentence(definition) })),
    );
  }

  /** What an entry shows, once it is open; the server's part may come a moment later. */
  fill(i, until = performance.now() + LOADING) {
    const [, slug, definition] = terms[i];
    const details = this.entries[i];
    let body = details.querySelector(".entry");
    if (!body) {
      body = el("div", { class: "entry" }, el("p", { text: definition }));
      if (this.pictures[slug]) {
        const caption = el("figcaption", { text: this.pictures[slug].caption, "aria-hidden": "true" });
        body.append(el("figure", {}, this.figure(slug), caption));
      }
      details.append(body);
    }
    if (body.querySelector(".more")) return;
    const more = written(i);
    if (more) body.append(el("div", { class: "more" }, ...more.cloneNode(true).childNodes));
    else if (performance.now() < until) setTimeout(() => this.fill(i, until), 200);
  }

  ask(word) {
    this.field.value = word;
    this.look();
    this.entries[this.best ?? 0].firstChild.focus();
  }

  /** Show what answers the word in the field; what is called so opens. */
  look() {
    const asked = this.field.value.trim();
    const all = terms.map(([name, slug, definition, forms], i) => {
      return { name, slug, definition, forms, more: written(i)?.textContent ?? "" };
    });
    const found = search(all, asked);
    this.list.replaceChildren(...found.map(([i]) => this.entries[i]));
    this.start.hidden = this.letters.hidden = Boolean(asked);
    this.found.textContent = !asked
      ? ""
      : found.length
        ? labels("found", { n: found.length, all: terms.length })
        : labels("no_match", { asked });
    this.best = asked && found.length ? found[0][0] : null;
    this.entries.forEach((entry, i) => {
      entry.open = i === this.best && found[0][1] < 2;
    });
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.note(asked), PAUSE);
  }

  press(event) {
    if (event.key === "Escape") {
      this.field.value = "";
      this.look();
    } else if (event.key === "ArrowDown" || event.key === "Enter") {
      this.list.querySelector("summary")?.focus();
    } else return;
    event.preventDefault();
  }

  note(asked) {
    if (!this.node.isConnected) return;
    const url = new URL(location.href);
    if (asked) url.searchParams.set("term", asked);
    else url.searchParams.delete("term");
    if (url.href !== location.href) history.replaceState(history.state, "", url);
  }

  followAddress() {
    const asked = new URLSearchParams(location.search).get("term") ?? "";
    if (asked === this.field.value) return;
    this.field.value = asked;
    this.look();
  }

  /** All entries open for paper. */
  unfold(isOn) {
    if (isOn) this.wereOpen = this.entries.map((entry) => entry.open);
    this.entries.forEach((entry, i) => {
      entry.open = isOn || this.wereOpen[i];
      if (isOn) this.fill(i, 0);
    });
  }
}

const isHere = () => now?.node.isConnected;
addEventListener("popstate", () => isHere() && now.followAddress());
addEventListener("beforeprint", () => isHere() && now.unfold(true));
addEventListener("afterprint", () => isHere() && now.unfold(false));
