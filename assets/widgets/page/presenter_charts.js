// Charts on a slide: how much larger their letters stand, and the height that the screen leaves them.

const CHART = '[data-testid="stVegaLiteChart"]';
const TOLD = '[class*="role-legend"], [class*="role-title"]';
const ENLARGED = [1.3, 1.65]; // times u; below the first, letters can't be read from the last row
const WIDE = 400; // css pixels in which a chart still has room for two names side by side
const LEAST = 110; // css pixels of a plot, without the axes and names around it
const ASPECT = 1.25; // no chart is higher than so many times its width

/** The elements that hold a chart whose height may be chosen. @returns {HTMLElement[]} */
export const chartsOf = (pane) =>
  [...pane.querySelectorAll(`[data-testid="stElementContainer"][height$="px"]:has(${CHART})`)].filter(
    (one) => one.getClientRects().length,
  );

/** How high a chart must be at least, in its own pixels. */
function leastOf(chart) {
  const svg = chart.querySelector("svg.marks");
  const plot = svg?.querySelector(".role-frame .background");
  if (!plot) return 2 * LEAST;
  const [all, own] = [svg, plot].map((one) => one.getBoundingClientRect().height);
  return LEAST + ((all - own) / all) * parseFloat(svg.getAttribute("height"));
}

/** Letters as large as each chart's width allows; the least height of one, in pixels of the screen. `unit`: u in pixels. */
export function enlarge(pane, unit) {
  let least = 0;
  const now = parseFloat(pane.style.getPropertyValue("--gf-fit")) || 1;
  for (const chart of pane.querySelectorAll(CHART)) {
    const place = /** @type {HTMLElement} */ (chart.closest('[data-testid="stElementContainer"]'));
    const width = place.getBoundingClientRect().width / now;
    const times = Math.min(ENLARGED[1] * unit, Math.max(ENLARGED[0] * unit, width / WIDE));
    const zoom = times.toFixed(2);
    if (place.style.getPropertyValue("--gf-zoom") !== zoom) place.style.setProperty("--gf-zoom", zoom);
    least = Math.max(least, times * leastOf(chart));
  }
  return least;
}

/** The rows in which boxes of charts stand: of each its height and its charts' least width, in pixels. */
export function rowsOf(boxes) {
  const rows = [];
  boxes.sort((a, b) => a.top - b.top);
  for (const { top, bottom, height, width } of boxes) {
    const row = rows.at(-1);
    if (!row || top > row.bottom - 4) rows.push({ bottom, height, width });
    else Object.assign(row, { height: Math.max(row.height, height), width: Math.min(row.width, width) });
  }
  return rows;
}

/**
 * The factor for a pane with charts, and the height of each chart in pixels of the screen: charts give up height first,
 * then all becomes smaller.
 * height: of all parts, and room, for them; now: the factor in force; least: of a chart.
 */
export function spread({ height, room, now, rows, least }) {
  const ours = rows.reduce((sum, row) => sum + row.height, 0);
  const others = (height - ours) / now;
  let factor = Math.min(1, room / (others + rows.length * least));
  // What stands beside a chart may be taller than it.
  const isLeast = rows.every((row) => row.height <= least * now * 1.02);
  if (isLeast && height > room) factor = Math.min(factor, (now * room) / height);
  const tall = (room - others * factor) / rows.length;
  return { factor, tall: Math.min(Math.max(tall, least * factor), ASPECT * Math.min(...rows.map((row) => row.width))) };
}

/** Give charts their height, in their own pixels; whether it is another one. */
export function heighten(charts, height) {
  let isNew = false;
  for (const chart of charts) {
    const before = parseFloat(chart.style.getPropertyValue("--gf-tall")) || 0;
    if (Math.abs(before - height) < 3) continue;
    chart.style.setProperty("--gf-tall", `${Math.round(height)}px`);
    isNew = true;
  }
  return isNew;
}

/** Vega gives the names above a chart their room before it knows that of the axes: a row more stands over its edge. */
export function uncut(svg) {
  const box = svg.getBoundingClientRect();
  const tops = [...svg.querySelectorAll(TOLD)].map((one) => one.getBoundingClientRect().top);
  const over = (box.top - Math.min(box.top, ...tops)) / (box.width / parseFloat(svg.getAttribute("width")));
  svg.style.marginTop = over > 1 ? `${over.toFixed(1)}px` : "";
}
