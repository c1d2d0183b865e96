// What a key press means to the page, if anything. Pure: no page is needed, so that it can be tested by itself.

const TYPED = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const MARKS = new Set(["button", "checkbox", "radio", "range", "color", "submit", "reset", "image", "file"]);
// Parts of a page that move by arrow keys of their own.
const MOVES = new Set([
  "slider",
  "spinbutton",
  "radio",
  "tab",
  "option",
  "listbox",
  "menuitem",
  "menu",
  "combobox",
  "textbox",
  "grid",
  "gridcell",
  "tree",
  "treeitem",
]);
const LETTERS = { p: "present", "?": "list", s: "drawer" };
const STEPS = { ArrowLeft: "back", ArrowRight: "next" };
// What a presenter's remote control sends. In presenter mode these are the page's wherever the focus is.
const REMOTE = { PageUp: "back", PageDown: "next", Escape: "leave", F5: "leave", b: "black", B: "black", ".": "black" };
// In presenter mode also these, unless somebody has gone by keyboard to a control that needs them.
const WAY = { ...STEPS, ArrowUp: "up", ArrowDown: "down", " ": "next", Home: "first", End: "last" };
const LISTS = new Set(["combobox", "listbox", "option", "menuitem"]);
const PRESSED = new Set(["button", "checkbox", "switch", "radio", "menuitem", "tab"]);
const SILENT = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "NumLock"]);

/** Whether what has the focus is a list, where a letter goes to the entry that begins with it. */
const isList = (part) => part.tag === "SELECT" || LISTS.has(part.role);

/** Whether what has the focus takes letters. `part`: {tag, type, role, editable}. */
export function takesLetters(part) {
  return (
    part.editable ||
    (TYPED.has(part.tag) && !(part.tag === "INPUT" && MARKS.has(part.type))) ||
    isList(part) ||
    part.role === "textbox"
  );
}

/** Whether what has the focus moves by arrows: a slider, a list, a field, a box that scrolls. */
export function takesArrows(part) {
  return (
    takesLetters(part) ||
    MOVES.has(part.role) ||
    (part.tag === "INPUT" && ["range", "radio"].includes(part.type)) ||
    Boolean(part.scrolls)
  );
}

/** Whether the space bar presses what has the focus. */
const takesSpace = (part) => ["BUTTON", "SUMMARY"].includes(part.tag) || part.tag === "INPUT" || PRESSED.has(part.role);

/**
 * The action of a key: "present", "list", "leave", "back", "next", "first", "last", "up", "down", "black", "drawer",
 * or null.
 * press: `used` if something on the page has answered it, `control` with Ctrl, Alt
 *   or Meta.
 * part: what has the focus.
 * state: `letters` false where the visitor has switched single letters off, `open` while a dialog or a list lies over
 *   the page, `tabbed` if the focus was moved by keyboard last, not by a pointer, `black` while the screen is.
 */
export function action(press, part, state) {
  const { key } = press;
  if (press.used || press.control) return null;
  if (state.black) return SILENT.has(key) ? null : REMOTE[key] === "leave" ? "leave" : "black";
  const isChar = key.length === 1 && key !== " ";
  // A lecturer who clicks a list and chooses from it leaves the focus there, without a thought of typing.
  const types = takesLetters(part) && !(state.presenting && !state.tabbed && isList(part));
  if (isChar && (types || !state.letters || state.open)) return null;
  if (state.open && key === "Escape") return null;
  if (state.presenting && REMOTE[key]) return REMOTE[key];
  if (isChar) {
    const letter = LETTERS[key.toLowerCase()];
    return letter === "drawer" && !state.presenting ? null : (letter ?? null);
  }
  if (state.open || types) return null;
  if (!(state.presenting && !state.tabbed) && (key === " " ? takesSpace(part) : takesArrows(part))) return null;
  if (!state.presenting) return STEPS[key] ?? null;
  return key === " " && press.shift ? "back" : (WAY[key] ?? null);
}

/**
 * Whether the page answers before what has the focus does: a picture answers Esc and arrows itself, and a lecturer who
 * has clicked it wants the next page.
 */
export const comesFirst = (key, state) => state.presenting && (key in REMOTE || state.black || !state.tabbed);

/** Which exhibit is on show: the last one whose top is above the line; -1 before the first. */
export function current(tops, line) {
  let at = -1;
  tops.forEach((top, i) => {
    if (top <= line) at = i;
  });
  return at;
}
