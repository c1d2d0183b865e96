// Charts on a slide: how much larger their letters stand, and the height that the screen leaves them.

const CHART = '[data-testid="stVegaLiteChart"]';
const TOLD = '[class*="role-legend"], [class*="role-title"]';
const ENLARGED = [1.3, 1.65]; // times u; below the first, letters can't be read from the last row
const WIDE = 400; // css pixels in which a chart still has room for two names side by side
const LEAST = 110; // css pixels of a plot, without the axes and names around it
const CLOSE = 3; // px: heights that count as the same
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

/**
 * Letters as large as each chart's width allows. Gives the least height of a chart, in pixels of the screen.
 * unit: u in pixels.
 */
export function enlarge(pane, unit) {
  let least = 0;
  const now = parseFloat(pane.style.getPropertyValue("--gf-fit")) || 1;
  for (const chart of pane.querySelectorAll(CHART)) {
    const place = /** @type {HTMLElement} */ (chart.closest('[data-testid="stElementContainer"]'));
    const part = [...pane.children].find((one) => one.contains(chart));
    const factor = part.querySelector('[data-testid^="stBidiComponent"]') ? Math.min(1, now) : 1; // presenter.css
    const width = place.getBoundingClientRect().width / factor;
    const times = Math.min(ENLARGED[1] * unit, Math.max(ENLARGED[0] * unit, width / WIDE));
    const zoom = times.toFixed(2);
    if (place.style.getPropertyValue("--gf-zoom") !== zoom) place.style.setProperty("--gf-zoom", zoom);
    least = Math.max(least, times * leastOf(chart));
  }
  return least;
}

/** In how many rows boxes of charts stand, and the least width of one, in pixels. */
export function rowsOf(boxes) {
  let [n, end] = [0, -Infinity];
  for (const { top, bottom } of [...boxes].sort((a, b) => a.top - b.top)) {
    if (top > end - 4) [n, end] = [n + 1, bottom];
  }
  return { n, width: Math.min(...boxes.map((one) => one.width)) };
}

/** The height in pixels of what is no chart, found with charts so high that nothing beside them counts. */
export function withoutCharts(charts, heightOf, rows, high) {
  const before = charts.map((one) => one.style.getPropertyValue("--gf-tall"));
  for (const one of charts) one.style.setProperty("--gf-tall", `${high}px`);
  const height = heightOf() - rows.n * charts[0].getBoundingClientRect().height;
  charts.forEach((one, i) => one.style.setProperty("--gf-tall", before[i]));
  return height;
}

/**
 * The factor for a pane with charts, and the height of each chart in pixels of the screen: charts give up height first,
 * then all becomes smaller.
 * height: of all parts; room: for them; others: height of what is no chart; tall, least: of a chart, as it is and at
 *  least; now: the factor in force.
 * @param {{tooLarge: number}} known the smallest factor that was too large
 */
export function spread(known, { height, room, others, tall, now, rows, least }) {
  const tallAt = (factor) =>
    Math.min(Math.max((room - others * (factor / now)) / rows.n, least * factor), ASPECT * rows.width);
  let factor = Math.min(1, room / (others / now + rows.n * least));
  if (height > room + CLOSE && Math.abs(tall - tallAt(now)) < CLOSE) {
    known.tooLarge = Math.min(known.tooLarge, now); // what stands beside a chart is taller than it
    factor = Math.min(factor, (now * room) / height);
  } else if (factor >= known.tooLarge) factor = now;
  return { factor, tall: tallAt(factor) };
}

/** Give charts their height, in their own pixels; whether it is another one. */
export function heighten(charts, height) {
  let isNew = false;
  for (const chart of charts) {
    const before = parseFloat(chart.style.getPropertyValue("--gf-tall")) || 0;
    if (Math.abs(before - height) < CLOSE) continue;
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
  const place = svg.closest('[data-testid="stElementContainer"]');
  place.style.setProperty("--gf-over", over > 1 ? over.toFixed(1) : "0"); // presenter.css moves the drawing down by it
}
