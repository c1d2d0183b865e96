// On a phone: Set, Read and Try of the exhibit on the screen, as tabs at its foot, each of which opens a sheet over the
// lower half. `assets/brand/phone.css` shows what `data-sheet` of an exhibit names.
import { el } from "../drawing/elements.js";
import { exhibits, isPresenting, pageScheme, place, step } from "./presenter.js";
import { labels } from "./labels.js";

const NAMES = ["Set", "Read", "Try"];
const WORDS = { Set: labels("set"), Read: labels("read"), Try: labels("try") };
const PARTS = {
  Set: ':scope > :not([class*="st-key-gf-try-"], [class*="st-key-gf-choice-hidden-"], :has(> [class*="st-key-gf-read-"]), :has(> [class*="st-key-gf-unseen-"]))',
  Read: ':scope > :has(> [class*="st-key-gf-read-"]:not(:empty))',
  Try: '[class*="st-key-gf-try-"] button',
};
const phone = matchMedia("(max-width: 640px)");
let bar;
let tabs;
let told = "";

/** Show the tabs as long as the screen is a phone's. */
export function markSheets() {
  phone.addEventListener("change", tell);
  addEventListener("scroll", tell, { capture: true, passive: true });
  addEventListener("keydown", (event) => event.key === "Escape" && close(), { capture: true });
  setInterval(tell, 500); // the page under it changes with every rerun, and nobody says when
}

const now = () => /** @type {HTMLElement} */ (exhibits()[Math.max(0, place())]);
const opened = () => /** @type {HTMLElement} */ (document.querySelector("[data-sheet]"));

function open(name) {
  const exhibit = now();
  const wasOpen = exhibit.dataset.sheet === name;
  close();
  if (!wasOpen) {
    exhibit.dataset.sheet = name;
    exhibit.scrollIntoView({ block: "start" }); // its picture, above the sheet
  }
  tell();
}

function close() {
  delete opened()?.dataset.sheet;
  told = "";
}

function tell() {
  const exhibit = phone.matches && !isPresenting() ? now() : undefined;
  document.documentElement.classList.toggle("gf-phone", !!exhibit);
  if (opened() && opened() !== exhibit) close();
  if (!exhibit) return;
  if (!bar) make();
  bar.style.colorScheme = pageScheme();
  const rail = exhibit.querySelector('[class*="st-key-gf-rail-"]');
  const counts = NAMES.map((name) => rail?.querySelectorAll(PARTS[name]).length ?? 0);
  const state = `${counts} ${exhibit.dataset.sheet} ${place()}`;
  if (state === told) return;
  told = state;
  NAMES.forEach((name, i) => {
    tabs[i].disabled = !counts[i];
    tabs[i].textContent = name === "Try" && counts[i] ? labels("try_count", { n: counts[i] }) : WORDS[name];
    tabs[i].setAttribute("aria-expanded", String(exhibit.dataset.sheet === name));
  });
}

function further() {
  close(); // first: what was in the sheet takes its room on the page again
  step(1);
}

function make() {
  tabs = NAMES.map((name) => el("button", { text: WORDS[name], onclick: () => open(name) }));
  const next = el("button", { text: "›", "aria-label": labels("next"), onclick: further });
  bar = el("div", { class: "gf-tabs", role: "group", "aria-label": labels("of_this_exhibit") }, ...tabs, next);
  document.body.append(bar);
}
