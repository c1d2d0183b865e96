// Presenter mode: large type and nothing but the exhibit or the lesson's step. All of it happens in the browser.
import { el } from "../drawing/elements.js";
import { unzoom } from "./chart_zoom.js";
import { fit } from "./presenter_fit.js";
import { current } from "./keys_rules.js";
import { labels } from "./labels.js";

const KEPT = "glassformer.presenting";
const LOOK = 400; // ms
const HOLD = 1500; // ms in which pictures are drawn anew
const REST = 60; // ms in which one becomes as large as it was told to
const CLASS = "gf-present";
const ACTS = ["pointerdown", "wheel"];
const root = document.documentElement;
let bar;
let count;
let back;
let next;
let timer;
let dark;
let begins; // whether the first slide is still to come
let here = -1; // the slide on the screen
let held = 0; // until when (ms) it is brought back: the window has just become another size

export const isPresenting = () => root.classList.contains(CLASS);

/**
 * Begin or leave. Every picture hears of it (base.js) and draws itself anew.
 * isKept: whether this browser's other pages begin so, too.
 */
export function present(on, isKept = true) {
  if (on === isPresenting()) return;
  const at = place();
  begins = on;
  root.classList.toggle(CLASS, on);
  if (isKept) keep(on);
  unzoom(on);
  drawer(false);
  document.dispatchEvent(new CustomEvent("gf-look"));
  dispatchEvent(new Event("resize"));
  if (on) showBar();
  else leave();
  if (at >= 0) {
    requestAnimationFrame(() => requestAnimationFrame(() => show(at)));
  }
}

/** At the start of a page: as it was left in this browser, or as the address says. */
export function resume() {
  if (/^(true|1)$/.test(new URLSearchParams(location.search).get("present") ?? "") || recall()) present(true);
}

/** One exhibit or one step of a lesson further. */
export function step(by) {
  /** @type {HTMLButtonElement} */
  const button = document.querySelector(by > 0 ? ".st-key-gf-lesson-next button" : ".st-key-gf-lesson-back button");
  if (button || document.querySelector(".st-key-gf-lesson-way")) {
    if (!button || button.disabled) return;
    button.click();
    main()?.scrollTo({ top: 0 });
    return;
  }
  release(); // keys.js keeps its keys from others
  const to = place() + by;
  if (to < 0) main()?.scrollTo({ top: 0 });
  else show(Math.min(to, exhibits().length - 1));
}

/** Bring an exhibit to the screen; one that is folded opens. */
export function show(at) {
  here = at;
  const exhibit = exhibits()[at];
  exhibit?.scrollIntoView({ block: "start" });
  /** @type {HTMLButtonElement} */ (exhibit?.querySelector('[class*="st-key-gf-open-"] button'))?.click();
}

/** To the first (-1) or the last (1) exhibit or step. */
export function jump(to) {
  const lesson = stepOfLesson();
  if (!lesson) return step(to * exhibits().length);
  const address = new URL(location.href);
  const there = new URLSearchParams({
    lesson: address.searchParams.get("lesson"),
    step: String(to < 0 ? 1 : lesson[2]),
  });
  address.search = there.toString();
  history.pushState(history.state, "", address);
  dispatchEvent(new PopStateEvent("popstate", { state: history.state })); // as after the browser's own Back and Forward
}

/** Open or fold what one sets and tries. */
export const drawer = (on = !root.classList.contains("gf-drawer")) => root.classList.toggle("gf-drawer", on);

export const isBlack = () => dark?.isConnected === true;
/** Begin or end to show nothing, so that all eyes are on the lecturer. */
export function black(on) {
  dark ??= el("button", {
    class: "gf-black",
    "aria-label": labels("screen_is_black"),
    onclick: () => black(false),
  });
  if (on) document.body.append(dark);
  else dark.remove();
}

/** A part of a screen up or down, for an exhibit that is taller than the screen. */
export function scroll(by) {
  main()?.scrollBy({ top: by * 0.8 * (main().clientHeight || 600) });
}

const main = () => document.querySelector('[data-testid="stMain"]');
export const exhibits = () => [...document.querySelectorAll('[data-testid="stMain"] [class*="st-key-gf-exhibit-"]')];
/** ["3 of 8", "3", "8"] in a lesson, from its progress in words: "Step 3 of 8". */
const stepOfLesson = () =>
  document.querySelector(".st-key-gf-lesson-way") &&
  /(\d+)\D+(\d+)/.exec(document.querySelector('.st-key-gf-lesson-head [data-testid="stProgress"]')?.textContent ?? "");
/** Which exhibit stands at the top of the screen; -1 before the first. */
export const place = () => current(tops(), innerHeight * 0.35);
const tops = () => exhibits().map((one) => one.getBoundingClientRect().top);

function showBar() {
  if (!bar) {
    const button = (text, label, onclick) => el("button", { text, title: label, "aria-label": label, onclick });
    count = el("span", { "aria-live": "polite" });
    back = button("‹", labels("back_key"), () => step(-1));
    next = button("›", labels("next_key"), () => step(1));
    bar = el(
      "div",
      { class: "gf-present-bar", role: "group", "aria-label": labels("presenter_mode") },
      count,
      back,
      next,
      button(labels("set_and_try"), labels("set_and_try_hint"), () => drawer()),
      button("×", labels("leave_presenting_key"), () => present(false)),
    );
    document.body.append(bar);
  }
  tell();
  timer ??= setInterval(tell, LOOK); // the page under it changes with every rerun, and nobody says when
  addEventListener("resize", hold);
  for (const act of ACTS) addEventListener(act, release, true);
}

/** Slides have become other ones with the window: the one that was on the screen stays there. */
function hold() {
  held = performance.now() + HOLD;
  requestAnimationFrame(stay);
}

/** The lecturer goes elsewhere: nobody is brought back. */
function release() {
  held = 0;
}

function stay() {
  const [top] = tops().slice(here);
  if (here >= 0 && Math.abs(top) > 4) show(here);
}

function leave() {
  black(false);
  removeEventListener("resize", hold);
  for (const act of ACTS) removeEventListener(act, release, true);
  clearInterval(timer);
  timer = undefined;
  const address = new URL(location.href);
  if (address.searchParams.has("present")) {
    address.searchParams.delete("present");
    history.replaceState(history.state, "", address);
  }
}

/** Light or dark, as the visitor has chosen: what stands beside Streamlit's own root does not inherit it. */
export const pageScheme = () => getComputedStyle(document.querySelector('[data-testid="stApp"]') ?? root).colorScheme;

/** Which step or exhibit this is: "3 of 8". */
function tell() {
  bar.style.colorScheme = pageScheme();
  if (begins && exhibits().length && !stepOfLesson()) {
    begins = false;
    if (place() <= 0) show(0); // past the page's title and bar
  }
  if (performance.now() < held) stay();
  else here = place();
  settle();
  const lesson = stepOfLesson();
  const [number, all] = lesson ? lesson.slice(1) : [place() + 1, exhibits().length];
  const text = lesson || all ? labels("number_of_all", { number, all }) : "";
  if (count.textContent !== text) count.textContent = text;
  back.hidden = next.hidden = !text;
}

/** Make slides as large as the screen, look by look. */
function settle(n = 12) {
  if (isPresenting() && fit() && n) setTimeout(settle, REST, n - 1);
}

function keep(on) {
  try {
    on ? localStorage.setItem(KEPT, "true") : localStorage.removeItem(KEPT);
  } catch {
    /* private windows may forbid it */
  }
}
function recall() {
  try {
    return localStorage.getItem(KEPT) === "true";
  } catch {
    return false;
  }
}
