// Where a class's page holds the app in a frame (classroom/app_frame.js): go where it says, and tell it which exhibit
// is at the top of the screen; to who leads the class, what stands there. Only a page of this server is heard.
import { goTo } from "../drawing/history.js";
import { exhibits, place, present, show } from "./presenter.js";
import { labels } from "./labels.js";

const LOOK = 300; // ms
const LATEST = 3_000; // ms after which a page counts as the new one though it has no mark of it
const SETTLING = 60; // ms between two looks whether all is drawn
const PATIENCE = 6_000; // ms in which an exhibit may still be on its way

if (parent !== window) {
  let said = null;
  let wanted = null; // {at, until}
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || origin !== location.origin) return;
    if (data?.leads) lead();
    if (typeof data?.closes === "string") close(data.closes);
    if (data?.presents) present(true, false); // the teacher's other pages stay as they are
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

const closing = document.createElement("style");
/** Close the question that the class is being asked, "masks/1/2" or "masks.train-without/guess"; "" opens all. */
function close(source) {
  const [place, ...rest] = source.split("/");
  const key = source.split("/").join("-");
  const boxes = source.includes("/guess") ? [`exhibit-${place.split(".")[1]}`] : [`predict-${key}`, `check-${key}`];
  const box = `:is(${boxes.map((one) => `.st-key-gf-${one}`)})`;
  document.head.append(closing);
  const before = closing.textContent;
  closing.textContent =
    source && rest.length
      ? `${box} > * { display: none } ${box}::after { content: ${JSON.stringify(labels("asked_by_teacher"))}; padding: 12px }`
      : "";
  // The class's answer counts here, so the page is drawn anew.
  if (before && !closing.textContent) dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
}

/** Whether what stands here is drawn for this address: the navigation knows the page, its key the step of a lesson. */
function isDrawn(lesson, step) {
  const link = /** @type {HTMLAnchorElement} */ (document.querySelector(".st-key-gf-here a"));
  if (link?.pathname !== location.pathname) return false;
  const key = document.querySelector('[class*="st-key-gf-lesson-step-"]')?.className;
  return lesson ? `${key} `.includes(`-step-${lesson}-${step ? `${step} ` : ""}`) : !key;
}

let leads = false;
/** Tell the class's page what stands here, each time that it has changed and is drawn. */
async function lead() {
  if (leads) return;
  leads = true;
  const { board, isSettled } = await import("./board.js");
  loadParts();
  let told = "";
  let here = "";
  let before = "";
  let since = 0; // when the address became another one; what stands here may still be the page before
  setInterval(() => {
    const asked = new URLSearchParams(location.search);
    const [lesson, step] = [asked.get("lesson"), asked.get("step")];
    const where = `${location.pathname} ${lesson} ${step}`; // what moves in it moves fast
    if (where !== here) [here, since] = [where, performance.now()];
    const isNew = isDrawn(lesson, step) || performance.now() - since > LATEST;
    if (where === told || !isNew || !isSettled()) return (before = "");
    if (where !== before) return (before = where); // pictures are drawn in the frame after their message
    told = where;
    parent.postMessage({ board: board(), at: location.href, exhibit: place() }, location.origin);
  }, SETTLING);
}

const PARTS = /(ArrowVegaLiteChart|PlotlyChart|Selectbox|Slider|NumberInput|TextArea|StreamlitSyntax\w+)\.[\w-]+\.js/g;
/** Load what Streamlit loads where it is first used (8 MB) while the way in is still shown: no room waits for it. */
async function loadParts() {
  const { src } = /** @type {HTMLScriptElement} */ (document.querySelector('script[src*="static/js/"]'));
  const names = (await (await fetch(src)).text()).match(PARTS);
  for (const name of new Set(names)) await import(new URL(name, src).href);
}
