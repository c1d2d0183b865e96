// Chips that Tab reaches as one, and the arrow keys one by one.
import { clamp, el } from "../drawing/elements.js";
import { indexUnder, mouseLeaves, withModifier } from "../drawing/input.js";

export class Chipset {
  node = el("div", {
    class: "gf-chipset",
    role: "listbox",
    tabindex: 0,
    "aria-orientation": "horizontal",
    style: "max-height: 11rem", // here, so that a file shows all of them
  });
  chips = [];
  current = null;

  /** hover(i), choose(i) of a chip; leave() when the mouse goes, reset() on Escape, say() after a step by keys. */
  constructor({ hover, choose, leave, reset, say }) {
    const visit = (then) => (event) => {
      const i = indexUnder(event);
      if (i !== null) then(i);
    };
    this.node.addEventListener("pointerover", visit(hover));
    this.node.addEventListener("click", visit(choose));
    mouseLeaves(this.node, leave);
    this.node.addEventListener("keydown", (event) => {
      if (withModifier(event)) return;
      const from = this.current ?? -1;
      const last = this.chips.length - 1;
      const line = this.below(Math.max(0, from));
      const ways = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: line, ArrowUp: -line, Home: -Infinity, End: Infinity };
      if (event.key in ways) {
        hover(clamp(from + ways[event.key], 0, last));
        this.chips[this.current]?.scrollIntoView({ block: "nearest" });
        say();
      } else if ((event.key === "Enter" || event.key === " ") && this.current !== null) choose(this.current);
      else if (event.key === "Escape") reset();
      else return;
      event.preventDefault();
    });
  }

  set(chips, label) {
    this.chips = chips;
    this.current = null;
    this.node.replaceChildren(...chips);
    this.node.setAttribute("aria-label", label);
  }

  /** How many chips the line after that of chip `from` holds. */
  below(from) {
    const top = this.chips[from]?.offsetTop;
    const next = this.chips.findIndex((chip, i) => i > from && chip.offsetTop > top);
    const inLine = (chip) => chip.offsetTop === this.chips[next].offsetTop;
    return next < 0 ? this.chips.length : this.chips.filter(inLine).length;
  }

  mark(i) {
    this.chips[this.current]?.classList.remove("on");
    this.current = i;
    this.chips[i]?.classList.add("on");
    if (i !== null && this.chips[i]) this.node.setAttribute("aria-activedescendant", this.chips[i].id);
    else this.node.removeAttribute("aria-activedescendant");
  }
}
