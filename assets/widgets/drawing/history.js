// One visit of a page, or one step of a lesson, is one entry of the browser's history: Back leads to where one was.
//
// Streamlit writes the addresses of a page that is left after the click that leaves it, and makes several entries of
// one visit. So of a page that is being left nothing is written any more.

import { place as entry } from "../page/place.js";
import { adopt as adoptChoices, isDeclared } from "../page/choices.js";
import { adopt, forget, PARAMETER, withView } from "../page/view.js";

const PATIENCE = 30_000; // ms; a click that has led nowhere by then is forgotten
export const LINK = "a[data-testid=stPageLink-NavLink]:not([disabled])";
let leaving = { path: null, at: 0 };
const isLeft = (url) =>
  leaving.path !== null && url.pathname !== leaving.path && performance.now() - leaving.at < PATIENCE;
// What a page is opened with, and not what is looked at.
const STAYS = ["lesson", "step", "lock", "hide", "note", "depth"];
let here; // the address last written or gone to, without its anchor

const plain = () => location.pathname + location.search;
let own;
if (globalThis.history) {
  own = Object.fromEntries(["pushState", "replaceState"].map((verb) => [verb, history[verb].bind(history)]));
  const entered = (verb) => (state, unused, address) => {
    if (address === undefined || address === null) return own[verb](state, unused);
    const url = new URL(address, location.href);
    if (isLeft(url)) return undefined;
    leaving.path = null;
    const isNew = verb === "pushState" && entry(url) !== entry(new URL(location.href));
    own[isNew ? "pushState" : "replaceState"](state, unused, withView(address));
    here = plain();
    return undefined;
  };
  for (const verb of Object.keys(own)) history[verb] = entered(verb);
  addEventListener(
    "click",
    (event) => {
      const link = /** @type {HTMLAnchorElement[]} */ (event.composedPath()).find((one) => one.matches?.(LINK));
      if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const { pathname } = new URL(link.href, document.baseURI);
      leaving = { path: pathname === location.pathname ? null : pathname, at: performance.now() };
    },
    true,
  );
  addEventListener(
    "popstate",
    () => {
      leaving.path = null;
      const before = here ?? plain();
      here = plain();
      if (here !== before && here.split("?")[0] === before.split("?")[0]) adopt();
    },
    true,
  );
  here = plain();
}

/** The page as it opens. What it was is the browser's last entry, so Back brings it back. */
export function startOver() {
  const url = new URL(location.href);
  const asked = url.searchParams;
  const fixed = ["lock", "hide"].flatMap((how) => (asked.get(how) ?? "").split(",")); // a link's own values
  const stays = (name) => STAYS.includes(name) || fixed.includes(name) || fixed.includes(name.split(".").at(-1));
  for (const name of [...asked.keys()]) if (!stays(name)) asked.delete(name);
  if (url.search === location.search) return;
  own.pushState(null, "", url.pathname + url.search);
  dispatchEvent(new PopStateEvent("popstate", { state: null }));
}

/** To another address of the app, as it says. What only chooses what to look at asks no server. */
export function goTo(url) {
  const now = new URL(location.href);
  if (url.pathname + url.search === plain()) return;
  const isHere = entry(url) === entry(now);
  const names = new Set([...url.searchParams.keys(), ...now.searchParams.keys()]);
  const said = (one, name) => one.searchParams.getAll(name).join("\n");
  const changed = [...names].filter((name) => said(url, name) !== said(now, name));
  if (!isHere) forget(url);
  own[isHere ? "replaceState" : "pushState"](history.state, "", url.pathname + url.search);
  if (isHere && changed.every((name) => name === PARAMETER || isDeclared(name))) {
    here = plain();
    if (changed.includes(PARAMETER)) adopt();
    else adoptChoices();
  } else dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
}
