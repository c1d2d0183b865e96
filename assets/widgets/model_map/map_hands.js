// What pointer, wheel and keys do on the map.
import { clamp } from "../drawing/elements.js";
import { pointer } from "../drawing/input.js";
import { keys, zooms } from "./map_gestures.js";
import { crumbs, outer } from "./map_places.js";
import { pointed } from "./map_way.js";

/** @param {any} map its nodes and what it does; `place()` is where one is */
export function hands({ stage, box, canvas, panel, state, view, player, readout, ...acts }) {
  const { place, go, follow, undo, leaveOut, choose, notes } = acts;
  /** One place nearer to what is under the pointer, or one back. */
  zooms(stage, (isIn, event) => {
    const region = isIn && panel.node.hidden && !state.frame ? view.under(event) : null;
    const next = isIn ? region?.place && crumbs(region.place)[crumbs(place()).length]?.place : outer(place());
    if (next) go(next);
  });
  const goOut = (to) => (outer(place()) ? go(to()) : false);
  const followBy = (n) => panel.node.hidden && follow(clamp(state.focus + n, 0, state.pass.nToken - 1));
  keys(
    box,
    {
      undo,
      Escape: () => goOut(() => outer(place())),
      Home: () => goOut(() => ({})),
      ArrowUp: () => followBy(-1),
      ArrowDown: () => followBy(1),
      Delete: () => panel.node.hidden && leaveOut(),
    },
    (event) => panel.node.hidden && !state.frame && player.key(event),
  );
  const point = (event) => {
    if (!state.pass) return;
    const region = view.under(event);
    canvas.style.cursor = region ? "pointer" : "default";
    view.point(region?.head === undefined ? null : region.place);
    readout.replaceChildren(...(region && !(state.frame && !region.isToken) ? pointed(region, state) : [notes()]));
  };
  pointer(canvas, point, () => {
    if (!state.pass) return;
    view.point(null);
    readout.replaceChildren(notes());
  });
  canvas.addEventListener("click", (event) => state.pass && choose(view.under(event)));
}
