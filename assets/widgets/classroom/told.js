// What lies over a screen of a class for a while: a word to its owner, and a link that is a secret.
import { el } from "../drawing/elements.js";

const SECONDS = 6;

/** Say something, and take it away again. */
export function note(text) {
  const one = el("div", { class: "note", role: "alert", text });
  document.body.append(one);
  setTimeout(() => one.remove(), SECONDS * 1000);
}

/** The button that folds what lies over the app, to see what is behind it. `word`: what stands on it once folded. */
export const folding = (isFolded, what, onclick, word = "") =>
  el("button", {
    text: isFolded ? `▴ ${word}`.trim() : "▾",
    "aria-label": `${isFolded ? "Show" : "Fold"} the ${what}`,
    onclick,
  });

/** Show a link to copy. */
export function showLink(title, text, link) {
  const box = el(
    "dialog",
    { open: true },
    el("h2", { text: title }),
    el("p", { text }),
    el("input", { readonly: true, value: link, "aria-label": title, onfocus: (event) => event.target.select() }),
    el("button", { text: "Close", onclick: () => box.remove() }),
  );
  document.body.append(box);
}
