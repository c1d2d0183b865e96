// The row of links to a page's exhibits says which one is on the screen.
import { current } from "./keys_rules.js";

const LINE = 0.35; // of the screen: an exhibit whose head stands above it is the one that is looked at
let isAsked = false;

/** Mark the link of the exhibit that is on the screen, once a frame. */
function mark() {
  isAsked = false;
  /** @type {NodeListOf<HTMLElement>} */
  const found = document.querySelectorAll('.st-key-gf-contents a[href*="#"]');
  const links = [...found];
  const tops = links.map((link) => {
    const name = link.getAttribute("href").split("#")[1];
    return document.getElementById(name)?.getBoundingClientRect().top ?? Infinity;
  });
  const at = Math.max(0, current(tops, innerHeight * LINE));
  links.forEach((link, i) => {
    if (i !== at) link.removeAttribute("aria-current");
    else if (!link.hasAttribute("aria-current")) {
      link.setAttribute("aria-current", "true");
      const row = link.closest("ul");
      row.scrollTo({ left: link.offsetLeft - 40 }); // where the row is longer than the screen
    }
  });
}

/** Follow the scroll, from now on. */
export function markContents() {
  addEventListener(
    "scroll",
    () => {
      if (isAsked) return;
      isAsked = true;
      requestAnimationFrame(mark);
    },
    { capture: true, passive: true },
  );
}
