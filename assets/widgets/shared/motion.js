// Elements that were drawn anew move from how they were to how they are, in 240 ms. Where less motion is wanted, they
// switch.
const DURATION = 240; // ms

/** The colors of these elements fade from those of the same places in the drawing before. */
export function fadeColors(node, query) {
  const parts = [...node.querySelectorAll(query)];
  const colors = parts.map((one) => one.style.background);
  const before = node.shownColors;
  node.shownColors = colors;
  if (before?.length !== colors.length || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  parts.forEach((one, i) => {
    if (before[i] !== colors[i]) one.animate([{ background: before[i] }, {}], { duration: DURATION });
  });
}
