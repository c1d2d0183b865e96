// Scrolls the page to its top when what it shows has changed. It draws nothing and tells the server nothing.
import { readHeader } from "../drawing/frame.js";

let before = null;

export default ({ data, parentElement }) => {
  for (const held of parentElement.querySelectorAll(".gf-wait")) held.remove();
  const [{ what }] = readHeader(data);
  if (before !== null && what !== before) {
    document.querySelector('[data-testid="stMain"]')?.scrollTo({ top: 0, behavior: "instant" });
    // A reader of the screen goes on from the top too, and not from the button that is gone.
    /** @type {HTMLElement} */
    const title = document.querySelector('.st-key-gf-lesson-head h1, [data-testid="stMain"] h1');
    title?.setAttribute("tabindex", "-1");
    title?.focus({ preventScroll: true });
  }
  before = what;
};
