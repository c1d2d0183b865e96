// A slide shows its picture whole: what is taller than the screen leaves is made smaller, all of it alike.

const LEAST = 0.3;
const TOLD = '[class*="role-legend"], [class*="role-title"]';

/** Find for each exhibit by how much, from the heights that its parts have at their own size. */
export function fit() {
  for (const svg of document.querySelectorAll('.gf-present [data-testid="stVegaLiteChart"] svg.marks')) uncut(svg);
  /** @type {NodeListOf<HTMLElement>} */
  const panes = document.querySelectorAll('.gf-present [class*="st-key-gf-pane-"]');
  for (const pane of panes) {
    // What is hidden takes no room; what is only empty still has a gap before it.
    const shown = [...pane.children].filter((one) => one.getClientRects().length);
    const parts = shown.map((one) => one.getBoundingClientRect().height);
    const gaps = (parts.length - 1) * parseFloat(getComputedStyle(pane).rowGap);
    const now = parseFloat(pane.style.getPropertyValue("--gf-fit")) || 1;
    const wanted = shrink(
      parts.map((height) => height / now),
      pane.clientHeight - gaps - 2,
    );
    // Smaller at once, larger only if it is worth it: so it comes to rest.
    if (wanted < now - 0.001 || wanted > now + 0.01) pane.style.setProperty("--gf-fit", wanted.toFixed(3));
  }
  /** @type {NodeListOf<HTMLElement>} */
  const readings = document.querySelectorAll(
    '.gf-present [class*="st-key-gf-rail-"] > :has(> [class*="st-key-gf-read-"])',
  );
  for (const one of readings) {
    one.tabIndex = one.scrollHeight > one.clientHeight ? 0 : -1; // keys scroll it, too
    one.classList.toggle("gf-more", one.scrollHeight - one.scrollTop > one.clientHeight + 16);
  }
}

/** Vega gives the names above a chart their room before it knows that of the axes: a row more stands over its edge. */
function uncut(svg) {
  const box = svg.getBoundingClientRect();
  const tops = [...svg.querySelectorAll(TOLD)].map((one) => one.getBoundingClientRect().top);
  const over = (box.top - Math.min(box.top, ...tops)) / (box.width / parseFloat(svg.getAttribute("width")));
  svg.style.marginTop = over > 1 ? `${over.toFixed(1)}px` : "";
}

/** The factor that lets parts of these heights stand in so much room. */
export function shrink(heights, room) {
  const needed = heights.reduce((sum, one) => sum + one, 0);
  return needed > room && needed > 0 ? Math.max(LEAST, room / needed) : 1;
}
