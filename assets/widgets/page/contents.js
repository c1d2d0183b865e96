// The row of links to a page's exhibits says which one is on the screen.
import { current } from "./keys_rules.js";

const LINE = 0.35; // of the screen: an exhibit whose head stands above it is the one that is looked at
const LOADING = 20_000; // ms in which a page has drawn its exhibits
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

/** Open an exhibit, where it is folded to one line; false if it isn't. */
export function unfold(name) {
  /** @type {HTMLButtonElement} */
  const button = document.querySelector(`.st-key-gf-open-${CSS.escape(name)} button`);
  button?.click();
  return button !== null;
}

/** The exhibit that the address names after its #, as links from other pages do: it comes after the page itself. */
function unfoldLinked() {
  const name = decodeURIComponent(location.hash.slice(1));
  if (!name || unfold(name)) return;
  const observer = new MutationObserver(() => {
    if (!unfold(name)) return;
    observer.disconnect();
    document.getElementById(name)?.scrollIntoView({ block: "start" });
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), LOADING);
}

/** Follow the scroll and the address, from now on. */
export function markContents() {
  unfoldLinked();
  addEventListener("hashchange", unfoldLinked);
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
