// What stands around a picture. An element that carries `data-i` shows that thing: it is pointed at, walked and chosen
// there as in the picture itself.
import { el } from "../drawing/elements.js";
import { indexUnder, mouseLeaves } from "../drawing/input.js";
import { keys } from "./walking.js";

const REACHED = "button, a[href], input, select, summary, [tabindex]";

export class Regions {
  nodes = {};

  constructor(names, { point, walk, choose, reset, walked }) {
    for (const name of names) {
      const node = el("div");
      this.nodes[name] = node;
      const under = () => node.querySelector("[data-i]:focus");
      node.addEventListener("pointerover", (event) => point(indexUnder(event)));
      mouseLeaves(node, () => point(null));
      node.addEventListener("focusin", (event) => point(indexUnder(event)));
      node.addEventListener("focusout", () => point(null));
      node.addEventListener("click", (event) => choose(indexUnder(event)));
      keys(node, {
        hears: () => Boolean(under()),
        at: () => Number(under().dataset.i),
        walk: walked,
        go(i) {
          walk(i);
          node.querySelector(`[data-i="${i}"]`)?.focus();
        },
        reset,
      });
    }
  }

  /** Made anew; who stood in one of them stays at the same place. */
  show(now) {
    for (const [name, node] of Object.entries(this.nodes)) {
      const at = [...node.querySelectorAll(REACHED)].findIndex((one) => one.matches(":focus"));
      const [old, nodes] = [[...node.childNodes], now[name] ?? []];
      if (old.length !== nodes.length || nodes.some((one, i) => one !== old[i])) node.replaceChildren(...nodes);
      if ("chosen" in now) rove(node.querySelectorAll("button[data-i]"), now.chosen);
      if (at >= 0) node.querySelectorAll(REACHED)[at]?.focus();
    }
  }

  mark(place) {
    for (const node of Object.values(this.nodes)) {
      for (const one of node.querySelectorAll("[data-i]")) one.classList.toggle("on", Number(one.dataset.i) === place);
    }
  }
}

/** Of some buttons one is chosen; Tab reaches it, and the arrow keys the others. */
function rove(buttons, chosen) {
  for (const one of buttons) {
    const isChosen = Number(one.dataset.i) === chosen;
    one.setAttribute("aria-pressed", String(isChosen));
    one.tabIndex = isChosen || (chosen === null && one === buttons[0]) ? 0 : -1;
  }
}
