// Links from inside a picture to the rooms.
import { bring } from "../page/choices.js";

/** The address of a room, below whatever path the app lives; null in a page that is one file. */
export const roomAddress = (room) =>
  /\.js(\?|$)/.test(import.meta.url) ? new URL(`../../${room}`, import.meta.url).href : null;

/**
 * Go there by the link of the sidebar, which keeps the session; where there is none, as by any link.
 *
 * @param {MouseEvent} event
 * @param {string} room
 * @param {Object<string, string>} choices that the room is to begin with
 */
export function visit(event, room, choices = {}) {
  /** @type {HTMLElement} */
  const link = document.querySelector(`.st-key-gf-navigation a:is([href="${room}"], [href$="/${room}"])`);
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  if (Object.keys(choices).length) bring(new URL(roomAddress(room)), choices);
  link.click();
}
