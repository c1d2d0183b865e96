// A web page in a frame. Whoever holds it, a notebook or a learning platform, hears how high it is, in LTI's words. Who
// asks, by choosing something or nothing, hears from then on what is chosen.
import * as choices from "./choices.js";

const DRAWN = 300; // ms after which the pictures stand
const outside = window.parent !== window;
let asked = null; // the origin of who asked
let values = {};

const say = (message, origin) => parent.postMessage(message, origin);

/** Something is committed in a picture. */
export function commit(part, value) {
  values = { ...values, [part]: value };
  tell();
}

function tell() {
  if (asked) say({ values: { ...values, ...choices.values() } }, asked);
}

/** Speak with whoever holds the page; nobody does where it is opened by itself. */
export function listen() {
  if (!outside) return;
  const sayHeight = () => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    say({ subject: "lti.frameResize", height }, "*");
  };
  setTimeout(sayHeight, DRAWN); // while nobody sees the frame, its observers are asleep
  new ResizeObserver(sayHeight).observe(document.documentElement);
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== parent || typeof data?.choose !== "object") return;
    asked = origin === "null" ? "*" : origin;
    choices.choose(data.choose ?? {});
    tell();
  });
  choices.follow(tell);
  say({ subject: "glassformer.ready" }, "*"); // what was asked before, nobody has heard
}
