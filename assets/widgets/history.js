// One visit of a page, or one step of a lesson, is one entry of the browser's history: Back leads to where one was.
//
// Streamlit writes the addresses of a page that is left after the click that leaves it, and makes several entries of one
// visit. So of a page that is being left nothing is written any more.

import { withView } from "./view.js";

const PATIENCE = 30_000;  // ms; a click that has led nowhere by then is forgotten
const LINK = "a[data-testid=stPageLink-NavLink]:not([disabled])";
let leaving = { path: null, at: 0 };
const isLeft = (url) => leaving.path !== null && url.pathname !== leaving.path && performance.now() - leaving.at < PATIENCE;
const entry = (url) => ["lesson", "step"].map((name) => url.searchParams.get(name)).join("=") + url.pathname;

if (globalThis.history) {
  const own = Object.fromEntries(["pushState", "replaceState"].map((verb) => [verb, history[verb].bind(history)]));
  const entered = (verb) => (state, unused, address) => {
    if (address === undefined || address === null) return own[verb](state, unused);
    const url = new URL(address, location.href);
    if (isLeft(url)) return undefined;
    leaving.path = null;
    const isNew = verb === "pushState" && entry(url) !== entry(new URL(location.href));
    return own[isNew ? "pushState" : "replaceState"](state, unused, withView(address));
  };
  for (const verb of Object.keys(own)) history[verb] = entered(verb);
  addEventListener("click", (event) => {
    const link = event.composedPath().find((one) => one.matches?.(LINK));
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { pathname } = new URL(link.href, document.baseURI);
    leaving = { path: pathname === location.pathname ? null : pathname, at: performance.now() };
  }, true);
  addEventListener("popstate", () => { leaving.path = null; }, true);
}
