// A sentence with numbers in it that depend on what is chosen: the server has written it once, the browser puts in the
// facts of the moment.
import { el } from "../drawing/elements.js";
import { readFrame } from "../drawing/frame.js";
import { choicesIn, looked } from "../drawing/linked.js";
import * as choices from "./choices.js";

const store = { index: choices.indexOf, chosen: choices.valueOf };
const sentences = new WeakMap();

/** A text with its facts: "\ue0002\ue001" stands for fact 2. */
export const filled = (text, facts) => text.replace(/\ue000(\d+)\ue001/g, (_, i) => facts[i]);

/** The server's own markup, with the facts in it as text. */
function nodes(html, facts) {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) walker.currentNode.nodeValue = filled(walker.currentNode.nodeValue, facts);
  return [...body.childNodes];
}

/** The first word of a number's sentence stands large. */
function enlarge(line) {
  const [first, ...rest] = line?.textContent.split(" ") ?? [];
  line?.replaceChildren(el("b", { text: first }), rest.join(" "));
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
    if (!choices.areDeclared(choicesIn(header))) return;
    const { html, facts, look } = looked({ header, arrays: {} }, store).header;
    const now = JSON.stringify([html, facts]);
    if (now === one.now) return;
    one.now = now;
    one.box.className = `gf-sentence ${look}`;
    one.box.replaceChildren(...nodes(html, facts));
    if (look === "number") enlarge(one.box.querySelector("p"));
  };
  one.show();
  return () =>
    setTimeout(() => {
      if (!parentElement.isConnected) one.unfollow();
    }, 500);
};
