// Where a class's page holds the app in a frame (classroom/app_frame.js): go where it says, and tell it which exhibit
// is at the top of the screen; to who leads the class, what stands there. Only a page of this server is heard.
import { goTo } from "../drawing/history.js";
import { exhibits, place, show } from "./presenter.js";

const LOOK = 300; // ms
const LATEST = 3_000; // ms after which a page counts as the new one though no script was seen to run
const SETTLING = 60; // ms between two looks whether all is drawn
const PATIENCE = 6_000; // ms in which an exhibit may still be on its way

if (parent !== window) {
  let said = null;
  let wanted = null; // {at, until}
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || origin !== location.origin) return;
    if (data?.leads) lead();
    if (typeof data?.follow !== "string") return;
    const url = new URL(data.follow);
    if (url.origin !== location.origin) return;
    goTo(url);
    wanted = { at: data.exhibit, until: performance.now() + PATIENCE };
  });
  setInterval(() => {
    const at = place();
    if (wanted && (wanted.at === at || performance.now() > wanted.until)) wanted = null;
    else if (wanted && exhibits().length > wanted.at) show(wanted.at);
    if (at === said) return;
    said = at;
    parent.postMessage({ exhibit: at }, location.origin);
  }, LOOK);
}

let leads = false;
/** Tell the class's page what stands here, each time that it has changed and is drawn. */
async function lead() {
  if (leads) return;
  leads = true;
  const { board, isSettled } = await import("./board.js");
  const app = /** @type {HTMLElement} */ (document.querySelector('[data-testid="stApp"]'));
  const isRunning = () => app.dataset.testScriptState === "running";
  let told = "";
  let here = "";
  let before = "";
  let since = 0; // when the address became another one; what stands here is still the page before
  let hasRun = false; // since then
  new MutationObserver(() => {
    hasRun ||= isRunning();
  }).observe(app, { attributes: true, attributeFilter: ["data-test-script-state"] });
  setInterval(() => {
    const asked = new URLSearchParams(location.search);
    const where = `${location.pathname} ${asked.get("lesson")} ${asked.get("step")}`; // what moves in it moves fast
    if (where !== here) [here, since, hasRun] = [where, performance.now(), isRunning()];
    const isNew = hasRun || performance.now() - since > LATEST;
    if (where === told || !isNew || !isSettled()) return (before = "");
    if (where !== before) return (before = where); // pictures are drawn in the frame after their message
    told = where;
    parent.postMessage({ board: board(), at: location.href, exhibit: place() }, location.origin);
  }, SETTLING);
}
