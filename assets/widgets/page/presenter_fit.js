// A slide shows its picture whole, and as large as the screen leaves room for: charts take what height there is, all
// else is made smaller or larger, all of it alike.
import { chartsOf, enlarge, heighten, rowsOf, spread, uncut, withoutCharts } from "./presenter_charts.js";

const LEAST = 0.3;
const MOST = 1.8;
const SPARE = 6; // px: letters reach a little over the edges of their charts
const CLOSE = 1.03; // a factor that fits and one that doesn't, so close to each other, need no look between them
const MOVES = 30; // of a pane within
const PAUSE = 10_000; // ms; then it is left as it is
const PANES = '.gf-present [class*="st-key-gf-pane-"]';
const READINGS = '.gf-present [class*="st-key-gf-rail-"] > :has(> [class*="st-key-gf-read-"])';

/** Find for each exhibit by how much, from the heights of its parts; whether something is still changing. */
export function fit() {
  const unit = Math.min(innerWidth / 1024, innerHeight / 704); // u of presenter.css
  const isMoving = [...document.querySelectorAll(PANES)].map((pane) => fitPane(pane, unit)).includes(true);
  /** @type {NodeListOf<HTMLElement>} */
  const readings = document.querySelectorAll(READINGS);
  for (const one of readings) {
    one.tabIndex = one.scrollHeight > one.clientHeight ? 0 : -1; // keys scroll it, too
    one.classList.toggle("gf-more", one.scrollHeight - one.scrollTop > one.clientHeight + 16);
  }
  return isMoving;
}

function fitPane(pane, unit) {
  refresh(pane);
  const least = enlarge(pane, unit);
  for (const svg of pane.querySelectorAll('[data-testid="stVegaLiteChart"] svg.marks')) uncut(svg);
  // What is hidden takes no room; what is only empty still has a gap before it.
  const shown = [...pane.children].filter((one) => one.getClientRects().length);
  const gaps = (shown.length - 1) * parseFloat(getComputedStyle(pane).rowGap);
  const room = pane.clientHeight - gaps - SPARE;
  if (!shown.length || room <= 0) return false;
  const now = parseFloat(pane.style.getPropertyValue("--gf-fit")) || 1;
  const below = (one) => now * Math.max(0, parseFloat(getComputedStyle(one).marginBottom)); // uncut()
  const heightOf = () => shown.reduce((sum, one) => sum + one.getBoundingClientRect().height + below(one), 0);
  const place = `${pane.clientWidth} ${room} ${shown.length}`;
  if (found.get(pane)?.place !== place) found.set(pane, { place, fits: 0, tooLarge: Infinity, moved: [] });
  const known = found.get(pane);
  if (known.moved.length === MOVES && performance.now() - known.moved[0] < PAUSE) return false;
  const state = `${heightOf().toFixed()} ${least.toFixed()}`;
  if (known.rest === state) return false;
  const isMoving = fitParts(pane, known, { heightOf, room, now, least });
  known.rest = isMoving ? null : state;
  if (isMoving) known.moved = [...known.moved, performance.now()].slice(-MOVES);
  return isMoving;
}

/** Chromium keeps the height of a row from before a picture in it grew, until something else of the row changes. */
function refresh(pane) {
  const heightOf = (one) => one.getBoundingClientRect().height;
  for (const row of pane.querySelectorAll('[class*="st-key-gf-pair-"]')) {
    if (Math.max(...[...row.children].map(heightOf)) < heightOf(row) + 1) continue;
    row.style.paddingBottom = "1px";
    heightOf(row);
    row.style.paddingBottom = "";
  }
}

function fitParts(pane, known, { heightOf, room, now, least }) {
  const charts = chartsOf(pane);
  const height = heightOf();
  if (charts.length) {
    const rows = rowsOf(charts.map((one) => one.getBoundingClientRect()));
    const others = withoutCharts(charts, heightOf, rows, 2 * innerHeight);
    const tall = charts[0].getBoundingClientRect().height;
    const next = spread(known, { height, room, others, tall, now, rows, least });
    return [apply(pane, now, next.factor), heighten(charts, next.tall / next.factor)].includes(true);
  }
  const pictures = figuresOf(pane);
  const isWide = pictures.some((one) => [...one.querySelectorAll("*")].some(scrolls));
  const area = pictures.reduce((sum, one) => sum + areaOf(one), 0);
  const canGrow = pictures.length > 0 || pane.querySelector("table") !== null;
  return apply(pane, now, search(known, { height, room, now, isWide, canGrow, area }));
}

/** Smaller at once, larger only if it is worth it: so it comes to rest. */
function apply(pane, now, wanted) {
  const factor = Math.max(LEAST, wanted);
  if (factor > now - 0.001 && factor < now + 0.01) return false;
  pane.style.setProperty("--gf-fit", factor.toFixed(3));
  return true;
}

// Of a pane: its place, the largest factor that fits there, the smallest that doesn't, and when it moved.
const found = new WeakMap();

/**
 * The next factor to try. Above 1 parts are laid out in less width, and so may become higher than the factor says:
 * what was too large once isn't tried again.
 * @param {{fits: number, tooLarge: number, height?: number, area?: number, again?: boolean}} known
 */
export function search(known, { height, room, now, isWide, canGrow, area }) {
  const isOver = height > room || (isWide && now > 1);
  if (isOver && now <= known.fits) Object.assign(known, { fits: 0, tooLarge: Infinity }); // it shows something else now
  if (isOver) {
    known.tooLarge = Math.min(known.tooLarge, now);
    if (known.fits) return known.fits;
    return now > 1 ? Math.max(1, Math.min((now * room) / height, now / 1.1)) : (now * room) / height;
  }
  // What was too large was something else: it has changed since, or wasn't drawn yet.
  const isHalfEmpty = now < 1 && height < 0.85 * room && !known.again;
  const isNew = isHalfEmpty || (known.fits === now && Math.abs(height - known.height) > 0.05 * room);
  if (isHalfEmpty) known.again = true; // once: words may need fewer lines the smaller all is
  Object.assign(known, { fits: now, height, area, tooLarge: isNew ? Infinity : known.tooLarge });
  const larger = height ? (now * room) / height : 1;
  if (known.tooLarge < now * CLOSE || larger < now * CLOSE) return now;
  if (now < 1) return Math.min(1, larger, (now + known.tooLarge) / 2);
  if (!canGrow) return now;
  return Math.min(MOST, larger, Number.isFinite(known.tooLarge) ? Math.sqrt(now * known.tooLarge) : MOST);
}

/** The pictures of a pane, each in a shadow of its own. @returns {Element[]} */
function figuresOf(pane) {
  const roots = [pane, ...[...pane.querySelectorAll("*")].flatMap((one) => one.shadowRoot ?? [])];
  return roots.flatMap((root) => [...root.querySelectorAll("figure.gf")]);
}

/** What the pictures of a figure cover on the screen, in pixels; letters around them don't count. */
function areaOf(figure) {
  const boxes = [...figure.querySelectorAll("canvas:not(.gf-over), svg")].map((one) => one.getBoundingClientRect());
  return boxes.reduce((sum, { width, height }) => sum + width * height, 0);
}

const scrolls = (node) =>
  node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 40 && getComputedStyle(node).overflowX !== "visible";
