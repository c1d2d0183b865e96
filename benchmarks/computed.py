"""The time from a change inside a model until its result is on screen, computed by the browser and by the server.

    python -m benchmarks.computed

Four exhibits at the depth Story; the server answers if the browser cannot have the weights.
"""

from statistics import median
from typing import Any

from benchmarks.server import READY, app_in_browser

REPEATS = 5
# Exhibit -> its room, and buttons that each change the answer.
ASKED = {
    "switch-off": ("heads", ("1.1", "0.0", "0.1", "1.2")),
    "set-a-row": ("heads", ("Evenly", "Only itself", "Only the first token")),
    "draw-your-own": ("masks", ("Full", "Causal", "None", "Window")),
    "hide": ("patches", ("Hide 3 most attended", "Show all", "Hide 3 least attended", "Hide 3 at random")),
}
PRESS = """([exhibit, name]) => new Promise(done => {
  const all = (root, found = []) => {
    for (const e of root.querySelectorAll('*')) { found.push(e); if (e.shadowRoot) all(e.shadowRoot, found); }
    return found;
  };
  const box = document.querySelector(`.st-key-gf-exhibit-${exhibit}`);
  const said = () => all(box).filter(e => e.matches('.gf-sentence, .gf-pairs, .gf-answers')).map(e => e.textContent);
  const before = String(said()), start = performance.now();
  all(box).find(e => e.tagName === 'BUTTON' && e.textContent.trim() === name).click();
  const look = () => String(said()) !== before ? done(performance.now() - start) : requestAnimationFrame(look);
  look();
})"""


def measure(browser: Any, url: str, exhibit: str, *, has_weights: bool) -> tuple[list[float], int]:
    """Return the milliseconds from each press to a new answer, and the number of messages to the server."""
    room, buttons = ASKED[exhibit]
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    sent: list[Any] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda one: sent.append(one)))
    if not has_weights:
        page.route("**/weights/*", lambda route: route.abort())
    page.goto(f"{url}/{room}?depth=story&open={exhibit}")
    page.wait_for_selector(READY)
    page.locator(f".st-key-gf-exhibit-{exhibit}").scroll_into_view_if_needed()
    page.wait_for_timeout(3000)
    sent.clear()
    times = []
    for name in buttons * REPEATS:
        times.append(page.evaluate(PRESS, [exhibit, name]))
        page.wait_for_timeout(400)
    page.context.close()
    return times, len(sent)


def main() -> None:
    """Print a line for each exhibit, for browser and server."""
    with app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        for who, has_weights in (("browser", True), ("server", False)):
            for exhibit in ASKED:
                times, n_sent = measure(browser, url, exhibit, has_weights=has_weights)
                said = f"median {median(times):.0f} ms, at most {max(times):.0f}; {n_sent} messages"
                print(f"{who:8} {exhibit:14} {len(times)} presses: {said}", flush=True)


if __name__ == "__main__":
    main()
