// A sentence with numbers in it that depend on what is chosen: the server has written it once, the browser puts in the
// facts of the moment.
import { el } from "../drawing/elements.js";
import { readFrame } from "../drawing/frame.js";
import { looked } from "../drawing/linked.js";
import { nodes } from "../drawing/markup.js";
import * as choices from "./choices.js";
import { isKnown, store } from "./computations.js";

const sentences = new WeakMap();

/** A text with its facts: "\ue0002\ue001" stands for fact 2. */
export const filled = (text, facts) => text.replace(/\ue000(\d+)\ue001/g, (_, i) => facts[i]);

/** The server's own markup, and its texts with the places of the facts in them, which are filled in as text. */
function parsed(html, look) {
  const box = el("div", {}, ...nodes(html));
  if (look === "number") enlarge(box.querySelector("p"));
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  const texts = [];
  while (walker.nextNode()) texts.push([walker.currentNode, walker.currentNode.nodeValue]);
  return { nodes: [...box.childNodes], texts };
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
    one = { box: el("div", { class: "gf-sentence" }) };
    sentences.set(parentElement, one);
    parentElement.replaceChildren(one.box);
    one.unfollow = choices.follow(() => one.show());
  }
  one.show = () => {
    if (!isKnown(header)) return;
    const { html: all, section, facts, look } = looked({ header, arrays: {} }, store).header;
    const html = all[section];
    if (one.html !== html) {
      Object.assign(one, parsed(html, look), { html });
      one.box.className = `gf-sentence ${look}`;
      one.box.replaceChildren(...one.nodes);
    }
    for (const [node, text] of one.texts) {
      const now = filled(text, facts);
      if (node.nodeValue !== now) node.nodeValue = now;
    }
  };
  one.show();
  return () =>
    setTimeout(() => {
      if (!parentElement.isConnected) one.unfollow();
    }, 500);
};
