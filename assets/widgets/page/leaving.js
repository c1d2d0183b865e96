// Tells the server what was typed in this browser alone, once, when a page is left: the text goes along to the next
// room. It draws nothing. `core/ui/controls/page_restoration.py` is the other half.
import { LINK } from "../drawing/history.js";
import { untold } from "./choices.js";

let tell = null;

/** Before Streamlit hears of the click: the message of the new page then holds what was told. */
function leave(event) {
  const link = event.composedPath().find((one) => one.matches?.(LINK));
  const texts = link ? untold() : {};
  if (tell && Object.keys(texts).length) tell("texts", JSON.stringify({ values: texts, at: Date.now() }));
}

globalThis.addEventListener?.("click", leave, true);

export default ({ parentElement, setStateValue }) => {
  for (const held of parentElement.querySelectorAll(".gf-wait")) held.remove();
  tell = setStateValue;
};
