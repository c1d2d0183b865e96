// What lies over a screen of a class for a while: a word to its owner, and a link that is a secret.
import { el } from "../drawing/elements.js";
import { labels } from "./labels.js";

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
    "aria-label": labels(`${isFolded ? "show" : "fold"}_${what}`),
    onclick,
  });

/** Show links to copy: a text, a link, and so on. */
export function showLink(title, ...textsAndLinks) {
  const one = (text, i) =>
    i % 2
      ? el("input", { readonly: true, value: text, "aria-label": textsAndLinks[i - 1], onfocus: select })
      : el("p", { text });
  const select = (event) => event.target.select();
  const box = el(
    "dialog",
    { open: true },
    el("h2", { text: title }),
    ...textsAndLinks.map(one),
    el("button", { text: labels("close"), onclick: () => box.remove() }),
  );
  document.body.append(box);
}
