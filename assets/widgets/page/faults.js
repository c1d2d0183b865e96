// Nothing may be empty without anyone noticing. Where a picture throws, draws nothing or is hidden, plain words with an
// id stand in its place, and the server writes the same id to its log. What is sent holds no text of the person: names
// of scripts and places in them, no message of an error, for such a message may quote what was typed.
import { fault, faultId } from "../drawing/fault.js";
import { isPresenting } from "./presenter.js";
import { isAway, isWaiting, shows } from "./panes.js";

const MOST = 20; // reports of one page
const LOOK = 1000; // ms between two looks at the panes
const SURE = 8; // looks in a row that find one empty
const PATIENT = 60; // the same while something is still awaited
const PLACE = /(widgets\/[\w/]+\.js)(?:\?[^:\s)]*)?:(\d+):(\d+)/g;
const PANES = '[data-testid="stMain"] [class*="st-key-gf-pane-"]';
// What an exhibit draws itself has a key of its own; the frame's messengers are never seen.
const PICTURES = '[class*="st-key-"]:not([class*="st-key-gf-"]):has(> .stBidiComponent)';

const sent = new Set();
const looks = new WeakMap(); // element -> how often in a row it was found empty
const messages = new Map(); // element -> the message that stands for it

/** Where in our scripts it happened: "widgets/shared/matrix.js:12:3". */
const places = (error) =>
  [...String(error?.stack ?? "").matchAll(PLACE)].slice(0, 5).map((one) => one.slice(1).join(":"));

const named = (node, prefix) => node?.className?.match?.(new RegExp(`st-key-${prefix}(\\S+)`))?.[1] ?? "";

/** The exhibit in which an element stands, also one in a shadow. */
function exhibitOf(node) {
  const host = node?.getRootNode().host ?? node;
  return named(host?.closest?.('[class*="st-key-gf-exhibit-"]'), "gf-exhibit-");
}

function send(id, kind, node, widget, error) {
  const told = { kind, exhibit: exhibitOf(node), widget, error: error?.name ?? "", at: places(error) };
  const same = JSON.stringify(told);
  if (sent.size >= MOST || (kind === "script" && sent.has(same))) return;
  sent.add(kind === "script" ? same : id);
  fetch(new URL("../../fault", import.meta.url), {
    method: "POST",
    headers: { "content-type": "application/json", "x-fault": "1" },
    body: JSON.stringify({ id, ...told }),
    keepalive: true,
  }).catch(() => {}); // without a server there is nobody to tell
}

document.addEventListener("gf-fault", (event) => {
  const { id, kind = "threw", node, widget, error } = /** @type {CustomEvent} */ (event).detail;
  if (id) send(id, kind, node, widget, error);
  else node.replaceChildren(fault("threw", node, widget, error)); // of a script that could not even begin
});

/** What nobody has caught: of our own scripts only. */
function uncaught(error) {
  if (places(error).length) send(faultId(), "script", null, "", error);
}
addEventListener("error", (event) => uncaught(event.error));
addEventListener("unhandledrejection", (event) => uncaught(event.reason));

/** Say that an element is empty once that is sure, and take it back if something comes after all. */
function judge(node, isFull) {
  if (isFull) {
    looks.delete(node);
    messages.get(node)?.remove();
    messages.delete(node);
    return;
  }
  const times = (looks.get(node) ?? 0) + 1;
  looks.set(node, times);
  if (messages.get(node)?.isConnected || times < (isWaiting(node) ? PATIENT : SURE)) return;
  let place = node; // the nearest that is seen: what is to be told may be hidden with all around it
  while (place && !place.getClientRects().length) place = place.parentElement;
  if (!place) return;
  const isDrawn = !!node.querySelector('[data-testid^="stBidiComponent"], [data-testid="stVegaLiteChart"]');
  const message = fault(isDrawn ? "hidden" : "empty", node, named(node, ""));
  messages.set(node, message);
  if (place === node && !node.matches(PANES)) place.after(message);
  else place.append(message);
}

function look() {
  const app = /** @type {HTMLElement} */ (document.querySelector('[data-testid="stApp"]'));
  if (document.hidden || isPresenting() || app?.dataset.testScriptState !== "notRunning") return;
  for (const [node, message] of messages) {
    if (node.isConnected) continue;
    message.remove();
    messages.delete(node);
  }
  for (const pane of document.querySelectorAll(PANES)) {
    if (isAway(pane)) continue;
    const isFull = shows(pane);
    judge(pane, isFull);
    if (!isFull) continue;
    for (const picture of pane.querySelectorAll(PICTURES)) if (!isAway(picture)) judge(picture, shows(picture));
  }
}

// On a busy machine a chart comes late: what is looked for only when nothing else is to be done has had its turn.
setInterval(() => (globalThis.requestIdleCallback ? requestIdleCallback(look) : look()), LOOK);
