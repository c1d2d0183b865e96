// Walking with the keys: where an arrow leads, and what Enter and Escape do.
import { withModifier } from "../drawing/input.js";

const MOVES = { ArrowRight: [0, 1], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowUp: [-1, 0] };

/**
 * Where a key leads from a place of `count`, in lines of `across` (one line, or one column, is walked with all four
 * arrows): to the next one that is free; null if it is no such key.
 */
function next(key, place, { count, across = 0, isFree = (_) => true }) {
  const at = place !== null && place < count ? place : null;
  const [down, right] = MOVES[key] ?? [0, 0];
  const way = key === "Home" ? 1 : key === "End" ? -1 : down * (across || 1) + right;
  if (!way) return null;
  const line = across ? Math.floor((at ?? 0) / across) * across : 0; // Home and End stay in it
  const last = across ? Math.min(line + across, count) - 1 : count - 1;
  let to = key === "Home" ? line : key === "End" ? last : at === null ? 0 : at + way;
  if (at !== null && across && right && (to < line || to > last)) return at;
  while (to >= 0 && to < count && !isFree(to)) to += way;
  return to >= 0 && to < count ? to : at;
}

/**
 * Places that are walked: `go(place)`; Enter and Space choose unless the browser does it, Escape resets. A key of one's
 * own gives the place to go to, or acts and gives none; null leaves it to the player.
 */
export function keys(node, { at, walk, go, choose = null, reset, hears = () => true }) {
  node.addEventListener("keydown", (event) => {
    if (withModifier(event) || !hears()) return;
    const { own, canChoose, ...places } = walk();
    if (own?.[event.key] === null) return;
    const isOwn = Boolean(own?.[event.key]);
    const to = isOwn ? (own[event.key](at()) ?? null) : next(event.key, at(), places);
    if (isOwn && to === null) event.preventDefault();
    else if (to !== null) go(to);
    else if (choose && canChoose && at() !== null && (event.key === "Enter" || event.key === " ")) choose(at());
    else if (event.key !== "Escape" || reset() === false) return; // the key may mean something to the page
    event.preventDefault();
  });
}
