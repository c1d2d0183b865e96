// What a key press means to the page, if anything. Pure: no page is needed, so that it can be tested by itself.

const TYPED = new Set(["INPUT", "TEXTAREA", "SELECT"]);
const MARKS = new Set(["button", "checkbox", "radio", "range", "color", "submit", "reset", "image", "file"]);
// Parts of a page that move by arrow keys of their own.
const MOVES = new Set(["slider", "spinbutton", "radio", "tab", "option", "listbox", "menuitem", "menu", "combobox", "textbox", "grid", "gridcell", "tree", "treeitem"]);
const LETTERS = { p: "present", "?": "list" };
const STEPS = { ArrowLeft: "back", ArrowRight: "next" };
// A presenter's remote control sends these; elsewhere they scroll the page as everywhere.
const REMOTE = { PageUp: "back", PageDown: "next", ...STEPS };

/** Whether what has the focus takes letters. `part`: {tag, type, role, editable}. */
export function takesLetters(part) {
  return part.editable || (TYPED.has(part.tag) && !(part.tag === "INPUT" && MARKS.has(part.type))) || ["combobox", "textbox", "listbox", "option", "menuitem"].includes(part.role);
}

/** Whether what has the focus moves by arrows: a slider, a list, a field, a box that scrolls. */
export function takesArrows(part) {
  return takesLetters(part) || MOVES.has(part.role) || (part.tag === "INPUT" && ["range", "radio"].includes(part.type)) || Boolean(part.scrolls);
}

/**
 * The action of a key: "present", "list", "leave", "back", "next", "up", "down", or null.
 * @param press {key, used, control}: `used` if something on the page has answered it, `control` with Ctrl, Alt or Meta.
 * @param part what has the focus.
 * @param state {presenting, letters, dialog}: `letters` false where the visitor has switched single letters off.
 */
export function action(press, part, state) {
  if (press.used || press.control || state.dialog) return null;
  if (press.key === "Escape") return state.presenting ? "leave" : null;
  const letter = press.key.length === 1 ? LETTERS[press.key.toLowerCase()] : undefined;
  if (letter) return state.letters && !takesLetters(part) ? letter : null;
  if (takesArrows(part)) return null;
  if (!state.presenting) return STEPS[press.key] ?? null;
  return REMOTE[press.key] ?? { ArrowUp: "up", ArrowDown: "down" }[press.key] ?? null;
}

/** Which exhibit is on show: the last one whose top is above the line; -1 before the first. */
export function current(tops, line) {
  let at = -1;
  tops.forEach((top, i) => { if (top <= line) at = i; });
  return at;
}
