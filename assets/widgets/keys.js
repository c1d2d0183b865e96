// Keys for the whole page: presenter mode, the way through exhibits and lessons, and the list that says so.
// The page draws this anew at every run; the listeners are added once, when the browser loads this file.
import { el } from "./base.js";
import { action } from "./keys_rules.js";
import { isPresenting, pageScheme, present, resume, scroll, step } from "./presenter.js";

const LIST = [
  [["P"], "Presenter mode: large type, nothing but the exhibit. Again, or Esc: leave it."],
  [["←", "→"], "The exhibit or the lesson's step before, or the next."],
  [["Page Up", "Page Down"], "The same in presenter mode, for a remote control."],
  [["↑", "↓"], "In presenter mode: scroll, where something is taller than the screen."],
  [["Esc"], "Leave presenter mode. In a picture: forget the selected cell."],
  [["?"], "This list."],
];
const IN_PICTURES = [
  [["←", "→", "↑", "↓"], "In a picture that has the focus: move from cell to cell."],
  [["Enter"], "Select the cell."],
  [["B"], "In a matrix: where the number is from, and whether it is right."],
  [["Tab"], "To the next control or picture."],
];
const KEPT = "glassformer.letters";
let dialog;

const STYLE = `
:host { display: block; }
.row { display: flex; gap: 0.4rem; flex-wrap: wrap; font-family: var(--st-font); }
button { font: inherit; font-size: 0.875rem; color: var(--st-text-color); background: transparent; border: 1px solid var(--st-border-color); border-radius: 0.5rem; min-height: 2rem; padding: 0.15rem 0.7rem; cursor: pointer; }
button:hover { border-color: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-primary-color); outline-offset: 2px; }
kbd { font-family: var(--st-code-font); font-size: 0.8em; opacity: 0.8; margin-left: 0.35em; }
`;

export default ({ parentElement }) => {
  if (parentElement.querySelector(".row")) return;
  const button = (text, key, title, onclick) => el("button", { type: "button", title, onclick }, text, el("kbd", { text: key, "aria-hidden": "true" }));
  parentElement.querySelector(".gf-wait")?.remove();
  parentElement.append(
    el("style", { text: STYLE }),
    el("div", { class: "row" }, button("Present", "p", "Large type for a class: key p, Esc leaves", () => present(true)), button("Keys", "?", "The keys of this page", openList)),
  );
};

function openList() {
  if (!dialog) {
    const rows = (list) => list.flatMap(([keys, does]) => [el("dt", {}, ...keys.map((key) => el("kbd", { text: key }))), el("dd", { text: does })]);
    const letters = el("input", { type: "checkbox", onchange: () => keepLetters(letters.checked) });
    letters.checked = hasLetters();
    dialog = el("dialog", { class: "gf-keys", "aria-labelledby": "gf-keys-title" },
      el("h2", { id: "gf-keys-title", text: "Keys" }), el("dl", {}, ...rows(LIST), ...rows(IN_PICTURES)),
      el("label", {}, letters, " Single letters (P and ?) are keys"), el("p", { text: "Letters never act while you type." }),
      el("form", { method: "dialog" }, el("button", { text: "Close" })));
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });  // a click beside it
    document.body.append(dialog);
  }
  dialog.style.colorScheme = pageScheme();
  if (!dialog.open) dialog.showModal();
}

const hasLetters = () => { try { return localStorage.getItem(KEPT) !== "off"; } catch { return true; } };
function keepLetters(on) { try { on ? localStorage.removeItem(KEPT) : localStorage.setItem(KEPT, "off"); } catch { /* as long as the page is open */ } }

const DO = {
  present: () => present(!isPresenting()), leave: () => present(false), list: openList,
  back: () => step(-1), next: () => step(1), up: () => scroll(-1), down: () => scroll(1),
};

function describe(node) {
  const style = node.nodeType === 1 ? getComputedStyle(node) : null;
  return {
    tag: node.tagName, type: node.type, editable: node.isContentEditable,
    role: node.getAttribute?.("role") ?? node.closest?.('[role="listbox"], [role="menu"], [role="radiogroup"] button, [role="grid"]')?.getAttribute("role") ?? "",
    scrolls: node !== document.body && node.scrollWidth > node.clientWidth + 1 && ["auto", "scroll"].includes(style?.overflowX),
  };
}

document.addEventListener("keydown", (event) => {
  if (event.isComposing || (event.repeat && event.key.length === 1)) return;
  const press = { key: event.key, used: event.defaultPrevented, control: event.ctrlKey || event.metaKey || event.altKey };
  const isOpen = document.querySelector('dialog[open], [role="dialog"]:not([class*="st-key-"]), [data-baseweb="popover"]') !== null;
  const found = action(press, describe(event.composedPath()[0]), { presenting: isPresenting(), letters: hasLetters(), dialog: isOpen });
  if (!found) return;
  event.preventDefault();
  DO[found]();
});
resume();
