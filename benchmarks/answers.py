"""How long a control's answer takes to be drawn: one visitor, a real Chromium, every control of every room.

    python -m benchmarks.answers [room ...]

Each slider is moved by one step and back, each toggle and segmented control is set and set back, by real keys and
clicks. The clock is the page's own: from the message that leaves for the server to the last change on screen, canvas
pictures included. Prints the median and the slowest control of each room. What a click trains is not pressed.
"""

import os
import statistics
import sys
from contextlib import suppress
from typing import Any

from benchmarks.server import READY, app_in_browser
from core.rooms import rooms

QUIET_MS = 350  # without a change for so long, the answer is complete
# Notes when the first message leaves and when the page last changed, inside the widgets' shadow trees too.
WATCH = """
window.watch = { sent: 0, changed: 0 };
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) { window.watch.sent ||= performance.now(); return send.call(this, data); };
const observer = new MutationObserver(() => {
  requestAnimationFrame(() => { window.watch.changed = performance.now(); });
  look(document);
});
const seen = new WeakSet();
function look(root) {
  for (const node of root.querySelectorAll("*")) {
    if (node.shadowRoot && !seen.has(node.shadowRoot)) { seen.add(node.shadowRoot); watchRoot(node.shadowRoot); }
  }
}
function watchRoot(root) {
  observer.observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
}
document.addEventListener("DOMContentLoaded", () => watchRoot(document));
"""


def addresses() -> list[str]:
    """The paths of all pages, as their rooms name them; the studio trains and is measured by `benchmarks.load`."""
    every = [room.address for room in rooms()]
    return [one for one in every if one not in ("home", "studio")]


def measure(page: Any, act: Any) -> float | None:
    """Milliseconds from the message to the last change; None where nothing was sent."""
    page.evaluate("() => { window.watch.sent = 0; window.watch.changed = 0; }")
    act()
    page.wait_for_timeout(250)
    page.wait_for_selector(READY, timeout=30_000)
    page.wait_for_function(
        f"() => performance.now() - Math.max(window.watch.changed, window.watch.sent) > {QUIET_MS}", timeout=30_000
    )
    sent, changed = page.evaluate("() => [window.watch.sent, window.watch.changed]")
    return changed - sent if sent and changed > sent else None


def controls(page: Any) -> list[tuple[str, Any, Any]]:
    """(name, act, act back) of each slider, toggle and unpressed segment on the page."""
    found: list[tuple[str, Any, Any]] = []
    for slider in page.locator('[data-testid="stSlider"] input[type="range"]').all():
        name = slider.get_attribute("aria-label") or "slider"

        def step(key: str, slider: Any = slider) -> None:
            slider.focus()
            page.keyboard.press(key)

        at_end = slider.input_value() == slider.get_attribute("max")
        there, back = ("ArrowLeft", "ArrowRight") if at_end else ("ArrowRight", "ArrowLeft")
        found.append((name, lambda step=step, key=there: step(key), lambda step=step, key=back: step(key)))
    for toggle in page.locator('[data-testid="stCheckbox"] label').all():
        name = toggle.inner_text()
        found.append((name, lambda toggle=toggle: toggle.click(), lambda toggle=toggle: toggle.click()))
    for group in page.locator('[data-testid="stButtonGroup"]').all():
        label = group.locator("label, p").first.inner_text() if group.locator("label, p").count() else "choice"
        if label.startswith("More about"):
            continue
        buttons = group.get_by_role("radio").all()
        pressed = [b for b in buttons if b.get_attribute("aria-checked") == "true"]
        others = [b for b in buttons if b.get_attribute("aria-checked") != "true"]
        if pressed and others:
            found.append((label, lambda b=others[0]: b.click(), lambda b=pressed[0]: b.click()))
    return found


def main() -> None:
    """Measure the rooms that are named, or all."""
    asked = sys.argv[1:] or addresses()
    with app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds")
        every: list[float] = []
        for room in asked:
            every += report(browser, f"{url}/{room}", room)
        print(f"{'all rooms':<14} {len(every):>3} answers  median {statistics.median(every):6.0f}")


def report(browser: Any, url: str, room: str) -> list[float]:
    """Measure one room, print its line, return all its answers."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", locale="en-US")
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(READY, timeout=60_000)
    page.wait_for_timeout(2_500)
    taken: dict[str, list[float]] = {}
    for name, there, back in controls(page):
        for act in (there, back, there, back):  # the first time there is computed, later ones may be kept
            with suppress(Exception):  # a control that another one has taken away
                if (ms := measure(page, act)) is not None:
                    taken.setdefault(name, []).append(ms)
    context.close()
    answers = [ms for one in taken.values() for ms in one]
    if answers:
        slow = max(taken, key=lambda name: max(taken[name]))
        late = sorted(name for name, ms in taken.items() if statistics.median(ms) > 200)
        print(
            f"{room:<14} {len(answers):>3} answers  median {statistics.median(answers):6.0f}  "
            f"slowest {max(taken[slow]):6.0f} ({slow})" + (f"  median over 200: {', '.join(late)}" if late else ""),
            flush=True,
        )
    return answers


if __name__ == "__main__":
    main()
