// A sentence with numbers in it that depend on what is chosen: the server has written it once, the browser puts in the
// facts of the moment.
import { el } from "../drawing/elements.js";
import { readFrame } from "../drawing/frame.js";
import { looked, namesIn } from "../drawing/linked.js";
import * as choices from "./choices.js";

const store = { index: choices.indexOf, chosen: choices.valueOf };
const sentences = new WeakMap();

/** "\ue0002\ue001" stands for fact 2. They are set as text, never as markup. */
export function filled(html, facts) {
  const escaped = (text) => String(text).replace(/[&<>"]/g, (one) => `&#${one.codePointAt(0)};`);
  return html.replace(/\ue000(\d+)\ue001/g, (_, i) => escaped(facts[i]));
}

export default async ({ data, parentElement }) => {
  const { header } = await readFrame(data);
  let one = sentences.get(parentElement);
  if (!one) {
    one = { box: el("div", { class: "gf-sentence", "aria-live": "polite" }) };
    sentences.set(parentElement, one);
    parentElement.replaceChildren(one.box);
    one.unfollow = choices.follow(() => one.show());
  }
  one.show = () => {
    if (!namesIn(header).every(choices.isDeclared)) return;
    const { html, facts, look } = looked({ header, arrays: {} }, store).header;
    const text = filled(html, facts);
    const now = look === "number" ? text.replace(/^<p>(\S+)/, "<p><b>$1</b>") : text; // its first word, large
    one.box.className = `gf-sentence ${look}`;
    if (one.now !== now) one.box.innerHTML = now;
    one.now = now;
  };
  one.show();
  return () =>
    setTimeout(() => {
      if (!parentElement.isConnected) one.unfollow();
    }, 500);
};
