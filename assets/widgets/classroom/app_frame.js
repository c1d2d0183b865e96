// The app in a frame: a class's page says where it goes, and hears where its owner has gone. Both are of one origin, so
// the page reads the frame's address; it asks nobody.
import { el } from "../drawing/elements.js";
import { root } from "./line.js";

const LOOK = 50; // ms between two looks at the address
const REST = 400; // ms after the last touch in which nothing moves under a finger
const AGAIN = 4_000; // ms after which a frame that is still elsewhere is told once more, and
const TRIES = 3; // times in all: what is not there has another address
const INPUT = ["pointerdown", "pointerup", "keydown", "input", "wheel", "touchmove"];

/** What of an address is another page, and not another choice on the same one: room, lesson, step. */
export function pageOf(address) {
  const { pathname, searchParams } = new URL(address, root);
  return `${pathname} ${searchParams.get("lesson")} ${searchParams.get("step")}`;
}

/**
 * @param {(where: {address: string, exhibit: number}, isOwn: boolean) => void} moved the frame is elsewhere, by its
 *  owner or because it followed
 * @param {((page: string, address: string) => void) | null} shows of who leads: what stands there now. The frame then
 *  begins in presenter mode
 */
export function appFrame(moved, shows = null) {
  const frame = /** @type {HTMLIFrameElement} */ (el("iframe", { title: "Glassformer", class: "app" }));
  let wanted = null; // where the class is, until the frame is told
  let sent = null; // {view, at, n}: where it was told to go, when, and how often
  let touched = 0;
  let isDown = false;
  let hears = false; // whether the app's own script (page/follow.js) is there
  let own = false; // whether what moves next is moved by the owner
  let known = "";
  let exhibit = -1;
  let closed = ""; // the question that the class is asked, by its source

  const below = (now) => (now.startsWith(root) ? now.slice(root.length).split("#")[0] : "");
  const href = () => {
    try {
      return below(frame.contentWindow.location.href);
    } catch {
      return "";
    }
  };
  frame.addEventListener("load", () => {
    frame.contentWindow.addEventListener("pagehide", () => {
      hears = false;
    });
    for (const what of INPUT) {
      frame.contentWindow.addEventListener(
        what,
        () => {
          touched = performance.now();
          if (what === "pointerdown" || what === "pointerup") isDown = what === "pointerdown";
          if (what !== "wheel" && what !== "touchmove") own = true;
        },
        { capture: true, passive: true },
      );
    }
  });
  addEventListener("message", ({ source, origin, data }) => {
    if (source === frame.contentWindow && origin === location.origin && Number.isInteger(data?.exhibit)) {
      if (!hears && shows) frame.contentWindow.postMessage({ leads: true, presents: true }, location.origin);
      if (!hears) frame.contentWindow.postMessage({ closes: closed }, location.origin);
      hears = true;
      if (typeof data.board === "string") return shows?.(data.board, below(data.at));
      if (data.exhibit !== exhibit) moved({ address: href(), exhibit: data.exhibit }, own);
      exhibit = data.exhibit;
    }
  });
  /** Go where the class is, once no finger is on the screen. */
  function follow() {
    const isFree = !isDown && performance.now() - touched > REST;
    if (!wanted || !isFree || !hears) return;
    tell(wanted, 1);
    wanted = null;
  }
  function tell(view, n) {
    frame.contentWindow.postMessage({ follow: root + view.address, exhibit: view.exhibit }, location.origin);
    sent = { view, at: performance.now(), n };
    own = false;
  }
  /** A late word of the page before may have led it back. */
  function insist() {
    if (!sent || performance.now() - sent.at < AGAIN) return;
    const { view, n } = sent;
    sent = null;
    if (!own && !wanted && hears && n < TRIES && pageOf(href()) !== pageOf(view.address)) tell(view, n + 1);
  }
  setInterval(() => {
    const now = href();
    if (now !== known && now) {
      if (own && known && pageOf(now) !== pageOf(known)) wanted = null; // its owner has gone elsewhere meanwhile
      known = now;
      moved({ address: now, exhibit }, own);
    }
    follow();
    insist();
  }, LOOK);

  return {
    frame,
    /** Go there, unless a finger is on the screen; then as soon as it is not. */
    go(view) {
      const isThere = !frame.src && view.exhibit < 0; // once it has opened
      if (!frame.src) frame.src = root + view.address;
      wanted = isThere ? null : view;
      follow();
    },
    /** Close the page's own question: the class is being asked it now. "": none any more. */
    close(source) {
      if (source === closed) return;
      closed = source;
      if (hears) frame.contentWindow.postMessage({ closes: closed }, location.origin);
    },
    where: () => ({ address: href(), exhibit }),
    isOpen: () => Boolean(frame.src),
    /** Whether the app stands on the page of an address, drawn. */
    isAt(address) {
      const app = frame.contentDocument?.querySelector('[data-testid="stApp"]');
      const isDrawn = hears && app?.getAttribute("data-test-script-state") === "notRunning";
      return isDrawn && pageOf(href()) === pageOf(address);
    },
    /** Since when nobody has touched it, in ms. */
    rest: () => (isDown ? 0 : performance.now() - touched),
  };
}
