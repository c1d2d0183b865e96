// Keys for the whole page: presenter mode, the way through exhibits and lessons, and the list that says so.
// The page draws this anew at every run; the listeners are added once, when the browser loads this file.
import { el } from "../drawing/elements.js";
import { closeAfterLink } from "../drawing/drawer.js";
import { startOver } from "../drawing/history.js";
import { markContents, unfold } from "./contents.js";
import { action, comesFirst } from "./keys_rules.js";
import "./faults.js";
import "./follow.js";
import { markLists } from "./list_titles.js";
import { markSheets } from "./phone.js";
import { black, drawer, isBlack, isPresenting, jump, pageScheme, present, resume, scroll, step } from "./presenter.js";
import { speakToFinger } from "./touch_words.js";
import { labels } from "./labels.js";

const LIST = [
  [["P"], labels("present_or_leave")],
  [["←", "→"], labels("exhibit_before_or_next")],
  [["?"], labels("this_list")],
];
const PRESENTING = [
  [[labels("page_up"), labels("page_down")], labels("remote_control")],
  [["←", "→", labels("space")], labels("same_as_remote_control")],
  [[labels("home"), labels("end")], labels("first_or_last")],
  [["↑", "↓"], labels("scroll")],
  [["S"], labels("open_or_fold_drawer")],
  [["B", "."], labels("black_key")],
  [[labels("esc"), "F5"], labels("leave_presenting")],
];
const IN_PICTURES = [
  [["←", "→", "↑", "↓"], labels("move_in_picture")],
  [[labels("enter")], labels("select_cell")],
  [[labels("esc")], labels("forget_cell")],
  [["B"], labels("number_origin_key")],
  [[labels("tab")], labels("next_control")],
];
const KEPT = "glassformer.letters";
let dialog;

const STYLE = `
:host { display: block; }
.row { display: flex; gap: 0.3rem; font-family: var(--st-font); }
button { font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: transparent; border: 1px solid var(--st-border-color); border-radius: 0.5rem; min-height: 2rem; padding: 0.15rem 0.5rem; cursor: pointer; }
button:hover { border-color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
.more { position: fixed; inset: 3.4rem 1rem auto auto; padding: 0.4rem; border: 1px solid var(--st-border-color); border-radius: 0.5rem; background: var(--st-background-color); }
.more:popover-open { display: flex; flex-direction: column; gap: 0.3rem; }
@media (max-width: 639px) { .row > button:first-child { display: none; } } /* nobody presents on a phone */
kbd { font-family: var(--st-code-font); font-size: 0.8em; opacity: 0.8; margin-left: 0.35em; }
@media (hover: none) and (pointer: coarse) { kbd, .more > button:first-child { display: none; } } /* no keys */
`;

export default ({ parentElement }) => {
  if (parentElement.querySelector(".row")) return;
  const button = (text, key, title, onclick) =>
    el("button", { title, onclick }, text, key && el("kbd", { text: key, "aria-hidden": "true" }));
  parentElement.querySelector(".gf-wait")?.remove();
  parentElement.append(
    el("style", { text: STYLE }),
    el(
      "div",
      { class: "row" },
      button(labels("present"), "p", labels("present_hint"), () => present(true)),
      el("button", { title: labels("more_hint"), "aria-label": labels("more"), popovertarget: "gf-more" }, "⋮"),
      el(
        "div",
        { class: "more", id: "gf-more", popover: "auto" },
        button(labels("keys"), "?", labels("keys_hint"), openList),
        button(labels("start_over"), null, labels("start_over_hint"), startOver),
        button(labels("look"), null, labels("look_hint"), openLook),
      ),
    ),
  );
};

/** Streamlit's own menu, whose button the style sheet hides. */
function openLook(event) {
  event.currentTarget.closest("[popover]").hidePopover();
  /** @type {HTMLButtonElement} */ (document.querySelector('[data-testid="stMainMenuButton"]'))?.click();
}

function openList() {
  if (!dialog) {
    const rows = (list) =>
      list.flatMap(([keys, does]) => [
        el("dt", {}, ...keys.map((key) => el("kbd", { text: key }))),
        el("dd", { text: does }),
      ]);
    const letters = el("input", { type: "checkbox", onchange: () => keepLetters(letters.checked) });
    letters.checked = hasLetters();
    dialog = el(
      "dialog",
      { class: "gf-keys", "aria-labelledby": "gf-keys-title" },
      el("h2", { id: "gf-keys-title", text: labels("keys"), tabindex: -1, autofocus: true }),
      el("dl", {}, ...rows(LIST)),
      el("h3", { text: labels("while_presenting") }),
      el("dl", {}, ...rows(PRESENTING)),
      el("h3", { text: labels("in_pictures") }),
      el("dl", {}, ...rows(IN_PICTURES)),
      el("label", {}, letters, ` ${labels("letters_are_keys")}`),
      el("p", { text: labels("letters_while_typing") }),
      el("form", { method: "dialog" }, el("button", { text: labels("close") })),
    );
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    }); // a click beside it
    document.body.append(dialog);
  }
  dialog.style.colorScheme = pageScheme();
  if (!dialog.open) dialog.showModal();
}

const hasLetters = () => {
  try {
    return localStorage.getItem(KEPT) !== "off";
  } catch {
    return true;
  }
};
function keepLetters(on) {
  try {
    on ? localStorage.removeItem(KEPT) : localStorage.setItem(KEPT, "off");
  } catch {
    /* as long as the page is open */
  }
}

const DO = {
  present: () => present(!isPresenting()),
  leave: () => present(false),
  list: openList,
  black: () => black(!isBlack()),
  drawer: () => drawer(),
  back: () => step(-1),
  next: () => step(1),
  first: () => jump(-1),
  last: () => jump(1),
  up: () => scroll(-1),
  down: () => scroll(1),
};
const OVER =
  'dialog[open], [role="dialog"]:not([class*="st-key-"]), [role="menu"], [role="combobox"][aria-expanded="true"]';
let isTabbed = false;

function describe(node) {
  const style = node.nodeType === 1 ? getComputedStyle(node) : null;
  return {
    tag: node.tagName,
    type: node.type,
    editable: node.isContentEditable,
    role:
      node.getAttribute?.("role") ??
      node
        .closest?.('[role="listbox"], [role="menu"], [role="radiogroup"] button, [role="grid"]')
        ?.getAttribute("role") ??
      "",
    scrolls:
      node !== document.body &&
      node.scrollWidth > node.clientWidth + 1 &&
      ["auto", "scroll"].includes(style?.overflowX),
  };
}

function answer(event, isFirst) {
  if (event.isComposing || (event.repeat && event.key.length === 1)) return;
  const press = {
    key: event.key,
    used: event.defaultPrevented,
    control: event.ctrlKey || event.metaKey || event.altKey,
    shift: event.shiftKey,
  };
  const state = {
    presenting: isPresenting(),
    letters: hasLetters(),
    open: document.querySelector(OVER) !== null,
    tabbed: isTabbed,
    black: isBlack(),
  };
  if (comesFirst(press.key, state) !== isFirst) return;
  const found = action(press, describe(event.composedPath()[0]), state);
  if (!found) return;
  event.preventDefault();
  if (isFirst) event.stopImmediatePropagation();
  if (state.open && state.presenting) close();
  DO[found]();
}

/** A link to an exhibit of the page opens it, where it is folded. */
function openExhibit(event) {
  const name = event.target.closest?.('.st-key-gf-contents a[href*="#"]')?.getAttribute("href").split("#")[1];
  if (name) unfold(name);
}

/** Close what lies over the page, which hears of Esc. */
function close() {
  if (dialog?.open) dialog.close();
  else {
    document.activeElement?.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Escape", code: "Escape", keyCode: 27, bubbles: true, cancelable: true }),
    );
  }
}

addEventListener(
  "pointerdown",
  () => {
    isTabbed = false;
  },
  { capture: true, passive: true },
);
addEventListener(
  "keydown",
  (event) => {
    if (event.key === "Tab") isTabbed = true;
    answer(event, true);
  },
  { capture: true },
);
document.addEventListener("keydown", (event) => answer(event, false));
document.addEventListener("click", closeAfterLink);
document.addEventListener("click", openExhibit);
markContents();
markSheets();
markLists();
speakToFinger();
resume();
// Whether p has been pressed before this script came: first_page.js has kept it.
const isEarly = !document.dispatchEvent(new Event("gf-keys", { cancelable: true }));
if (isEarly && hasLetters()) DO.present();
