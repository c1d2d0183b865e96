// Plain words and an id where a picture should stand and doesn't, as for a fault of the server.
import { el } from "./elements.js";
import { labels } from "./labels.js";

/** Eight hexadecimal digits: the page shows them, and the server's log has the same. */
export const faultId = () =>
  [...crypto.getRandomValues(new Uint8Array(4))].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Note a fault in the browser's console, tell whoever listens on this page (`page/faults.js`, and so the server), and
 * return the message to put in the picture's place.
 * @param {"threw" | "empty" | "hidden"} kind
 * @param {Element} node where it should stand
 * @param {string} widget its script
 * @param {unknown} [error] what was thrown
 */
export function fault(kind, node, widget, error) {
  const id = faultId();
  console.error(`Fault ${id}: ${widget} ${kind}`, error ?? "");
  document.dispatchEvent(new CustomEvent("gf-fault", { detail: { id, kind, node, widget, error } }));
  return el(
    "div",
    { class: "gf-error", role: "alert" },
    ...labels.parts("fault", { what: labels(kind), id: el("strong", { text: id }) }),
  );
}
