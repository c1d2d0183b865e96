// Whether something on the page can be seen: a picture, or a text of its own.

const APART = '[class*="st-key-gf-panel-"], .gf-error, .gf-head, .gf-live, style, script';
const PICTURES = "canvas, svg, img, video, iframe, input, select, textarea, button";
const FOLDED = 'details:not([open]), [hidden], [aria-hidden="true"], [inert]';
const LEAST = 8; // css pixels

/** Whether it was folded away on purpose, by a person or by its exhibit. */
export const isAway = (/** @type {Element} */ node) => !!node.parentElement?.closest(FOLDED);

/** All elements below a node, through shadows as well. */
function* below(node) {
  for (const one of node.children) {
    if (one.matches(APART)) continue;
    yield one;
    if (one.shadowRoot) yield* below(one.shadowRoot);
    yield* below(one);
  }
}

/** Whether something is still to come: a script, a chart, a picture that waits for its numbers. */
export function isWaiting(/** @type {Element} */ node) {
  for (const one of below(node)) {
    if (one.matches('.gf-wait, figure.gf:not([data-drawn]), [data-testid="stSkeleton"]')) return true;
  }
  return false;
}

const hasText = (node) => [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());

function isSeen(node) {
  const { width, height } = node.getBoundingClientRect();
  return width >= LEAST && height >= LEAST && (node.checkVisibility?.({ visibilityProperty: true }) ?? true);
}

/** Whether a person sees anything in it besides the tools of an exhibit. */
export function shows(/** @type {Element} */ node) {
  for (const one of below(node)) if ((one.matches(PICTURES) || hasText(one)) && isSeen(one)) return true;
  return false;
}
