// Where an address leads: a page, or a step of a lesson.

/** @param {URL | Location} url */
export function place(url) {
  const asked = new URLSearchParams(url.search);
  return ["lesson", "step"].map((name) => asked.get(name)).join("=") + url.pathname;
}
