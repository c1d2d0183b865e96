// Where a class's page holds the app in a frame (classroom/app_frame.js): go where it says, and tell it which exhibit
// is at the top of the screen. Only a page of this server is heard.
import { goTo } from "../drawing/history.js";
import { exhibits, place, show } from "./presenter.js";

const LOOK = 300; // ms
const PATIENCE = 6_000; // ms in which an exhibit may still be on its way

if (parent !== window) {
  let said = null;
  let wanted = null; // {at, until}
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || origin !== location.origin || typeof data?.follow !== "string") return;
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
