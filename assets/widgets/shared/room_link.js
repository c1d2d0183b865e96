// Links from inside a picture to the rooms.

/** The address of a room, below whatever path the app lives. */
export const roomAddress = (room) => new URL(`../../${room}`, import.meta.url).href;

/** Go there by the link of the sidebar, which keeps the session; where there is none, as by any link. */
export function visit(event, room) {
  /** @type {HTMLElement} */
  const link = document.querySelector(`.st-key-navigation a:is([href="${room}"], [href$="/${room}"])`);
  if (!link || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  link.click();
}
