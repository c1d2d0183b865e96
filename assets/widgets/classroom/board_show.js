// On a learner's screen: what stands on the projector, as it stood there, until the learner's own app has come so far.
// A frame without scripts holds it: whoever made it, nothing of it runs.
import { el } from "../drawing/elements.js";
import { pageOf } from "./app_frame.js";
import { root } from "./line.js";
import { labels } from "./labels.js";

const LOOK = 100; // ms
const REST = 400; // ms after the last touch in which nothing lies down under a finger

/** @param {any} app the learner's own, in its frame */
export function boardLayer(app) {
  const page = /** @type {HTMLIFrameElement} */ (el("iframe", { title: labels("board"), sandbox: "" }));
  const layer = el("section", { class: "as-shown", hidden: true }, page, el("p", { text: labels("board_waits") }));
  let wanted = null; // {key, address}, while the class is there
  let shown = ""; // by their keys
  let asked = "";

  async function fetchPage(code, key) {
    asked = key;
    try {
      const answer = await fetch(`${root}classroom/board?of=${code}&key=${key}`);
      const text = answer.ok ? await answer.text() : "";
      if (asked !== key || !text) return;
      page.srcdoc = `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>${STYLE}</style>${text}`;
      shown = key;
    } catch {
      /* the line says that it is lost */
    }
  }

  setInterval(() => {
    const isNeeded = wanted && shown === wanted.key && !app.isAt(wanted.address);
    if (!isNeeded) {
      if (!layer.hidden) layer.hidden = true;
    } else if (layer.hidden && app.rest() > REST) {
      layer.style.top = `${app.frame.offsetTop}px`;
      layer.hidden = false;
    }
    if (wanted && app.isAt(wanted.address)) wanted = null;
  }, LOOK);

  return {
    layer,
    /** The class is at an address, and this is what stands there; of another address, nothing is known yet. */
    hear(code, view, board) {
      if (wanted && pageOf(wanted.address) !== pageOf(view.address)) wanted = null;
      const isThere = board.key && pageOf(board.address) === pageOf(view.address);
      if (!isThere || board.key === shown || app.isAt(view.address)) return;
      wanted = { key: board.key, address: view.address };
      if (asked !== board.key) fetchPage(code, board.key);
    },
    /** Nobody is led any more. */
    fold() {
      wanted = null;
      layer.hidden = true;
    },
  };
}

const STYLE =
  "body{font:15px/1.5 system-ui,sans-serif;margin:12px 16px 60px;background:Canvas;color:CanvasText}" +
  "figure{margin:12px 0}svg{max-width:100%;height:auto}table{border-collapse:collapse}td,th{padding:2px 8px}" +
  "h1,h2,h3{line-height:1.25;margin:10px 0}pre{overflow:auto}";
