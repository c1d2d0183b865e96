// A field over a cell: Enter or leaving it takes the number, Escape does not.
import { el } from "../drawing/elements.js";

/** letter: typed already, or null; done(text, isKey): text null where nothing is to be taken. */
export function openField(td, { label, value, letter, done }) {
  const input = el("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": label });
  input.value = letter ?? value;
  const before = input.value;
  let isOpen = true;
  const close = (applies, isKey = true) => {
    if (!isOpen) return;
    isOpen = false;
    const text = input.value.trim();
    input.remove();
    done(applies ? text : null, isKey);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") close(true);
    else if (event.key === "Escape") close(false);
    else return;
    event.preventDefault();
  });
  input.addEventListener("blur", () => close(input.value !== before, false));
  td.append(input);
  input.focus({ preventScroll: true });
  if (letter === null) input.select();
}
