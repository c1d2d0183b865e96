// Two bars in one cell of a table: outlined what the model said, filled what is left of it.
import { el } from "../drawing/elements.js";

export function doubleBar() {
  const was = el("i", { class: "was" });
  const is = el("i", { class: "is" });
  return {
    cell: el("td", { class: "bar" }, el("div", {}, is, was)),
    /** `full` is as long as the cell. */
    show(before, after, full) {
      was.style.width = `${(before / full) * 100}%`;
      is.style.width = `${(after / full) * 100}%`;
    },
  };
}
