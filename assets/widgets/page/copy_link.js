// A button that puts a link on the clipboard, and says so.
import { el } from "../drawing/elements.js";
import { readHeader } from "../drawing/frame.js";
import { labels } from "./labels.js";

const SAID_FOR = 2000; // ms
const STYLE = `
button { font: inherit; font-weight: 600; min-height: 40px; padding: 6px 16px; border: 0; border-radius: 8px; cursor: pointer; color: var(--st-background-color); background: var(--st-primary-color); }
button:focus-visible { outline: 2px solid var(--st-text-color); outline-offset: 2px; }
`;

/** Without https a page may not write to the clipboard; there the browser's own command copies a selection. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = el("textarea", { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

export default ({ data, parentElement }) => {
  const [{ link, label }] = readHeader(data);
  const button = el("button", { type: "button", text: label, "aria-live": "polite" });
  button.onclick = async () => {
    await copy(link);
    button.textContent = labels("copied");
    setTimeout(() => (button.textContent = label), SAID_FOR);
  };
  parentElement.replaceChildren(el("style", { text: STYLE }), button);
};
