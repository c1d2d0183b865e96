// What stands on this page now, as a page without scripts: its pictures and its words. In a class it is what all see
// until their own page is there (classroom/board_show.js).
import { exhibits, place } from "./presenter.js";
import { find } from "./saving_find.js";

const WORDS = '[data-testid="stMarkdownContainer"], .gf-sentence';
const NO_WORDS =
  'button, label, nav, summary, [data-testid="stWidgetLabel"], [data-testid="stPopover"], [class*="st-key-gf-rail-"] [class*="st-key-gf-try"]';
const MOST = 700_000; // letters of one picture; a larger one is left out

/** Whether everything of it is drawn: no picture waits, and the server is at rest. */
export function isSettled() {
  const app = document.querySelector('[data-testid="stApp"]');
  const isAtRest = /** @type {HTMLElement} */ (app)?.dataset.testScriptState === "notRunning";
  return isAtRest && !shownNow()?.querySelector(".gf-wait, [data-testid='stSkeleton'], [data-testid='stSpinner']");
}

/** The exhibit at the top of the screen; a step of a lesson; or all of the page. */
const shownNow = () =>
  document.querySelector('[class*="st-key-gf-lesson-step-"]') ??
  exhibits()[Math.max(0, place())] ??
  document.querySelector('[data-testid="stMain"]');

/** The page as HTML. */
export function board() {
  const shown = shownNow();
  const pictures = new Map(find(shown).map((one) => [one.node, one]));
  const parts = [];
  const walk = (node) => {
    const picture = pictures.get(node);
    if (picture) return parts.push(drawn(picture));
    if (node.matches(NO_WORDS) || getComputedStyle(node).display === "none") return;
    if (node.matches(WORDS)) return parts.push(words(node));
    for (const child of node.children) walk(child);
  };
  walk(shown);
  return parts.join("");
}

function drawn(picture) {
  const svg = picture.svg();
  return svg.length > MOST ? "" : `<figure>${svg}</figure>`;
}

/** A text without what only the app can do with it. */
function words(node) {
  const copy = node.cloneNode(true);
  for (const formula of copy.querySelectorAll(".katex")) formula.replaceWith(formula.querySelector("math") ?? "");
  for (const one of copy.querySelectorAll('script, style, svg, [data-testid="stIconMaterial"], button')) one.remove();
  for (const one of copy.querySelectorAll("*")) for (const { name } of [...one.attributes]) one.removeAttribute(name);
  const parts = [...copy.childNodes].map((one) => new XMLSerializer().serializeToString(one));
  return `<div>${parts.join("")}</div>`;
}
