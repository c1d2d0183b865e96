// On a narrow screen Streamlit lays the sidebar over the page: a link in it closes it, or nothing seems to happen.
const NARROW = 768; // below this Streamlit does so

export function closeAfterLink(event) {
  if (innerWidth >= NARROW || !event.target.closest?.('[data-testid="stSidebar"] a[href]')) return;
  /** @type {HTMLElement} */ (document.querySelector('[data-testid="stSidebarCollapseButton"] button'))?.click();
}
