"""The time until a control's answer is drawn, for every control of every room: one visitor, a real Chromium.

    python -m benchmarks.answers [room ...]

Each slider is moved by one step and back, each toggle and segmented control is set and set back, by real keys and
clicks. The clock is the page's own. It runs from the message to the server (or, if the browser answers without one,
from the key or click) to the last change on screen, including canvas pictures; parts outside the screen may follow
later. It prints the median and the slowest control of each room, for both kinds. Training buttons are not pressed.
"""

import os
import statistics
import sys
from contextlib import suppress
from typing import Any

from benchmarks.server import READY, app_in_browser
from core.rooms import rooms

QUIET_MS = 350  # after this time without a change, the answer is complete
# Records when the first message is sent and when the page last changed, even inside the widgets' shadow trees.
WATCH = """
window.watch = { acted: 0, sent: 0, changed: 0 };
for (const what of ["keydown", "click", "change"]) {
  addEventListener(what, () => { window.watch.acted ||= performance.now(); }, true);
}
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (data) { window.watch.sent ||= performance.now(); return send.call(this, data); };
const observer = new MutationObserver((changes) => {
  requestAnimationFrame(() => {
    if (changes.some((one) => isOnScreen(one.target))) window.watch.changed = performance.now();
  });
  look(document);
});
function isOnScreen(node) {
  const shown = node.getRootNode().host ?? (node instanceof Element ? node : node.parentElement);
  const { top, bottom } = shown?.getBoundingClientRect() ?? { top: 0, bottom: 0 };
  return bottom > 0 && top < innerHeight;
}
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
    """Return the paths of all pages but Home and the studio, which trains and is measured by `benchmarks.load`."""
    every = [room.address for room in rooms()]
    return [one for one in every if one not in ("home", "studio")]


def measure(page: Any, act: Any) -> tuple[float | None, bool]:
    """Return the milliseconds from the message (or from the act) to the last change, and whether a message was sent."""
    page.evaluate("() => { Object.assign(window.watch, { acted: 0, sent: 0, changed: 0 }); }")
    act()
    page.wait_for_timeout(250)
    page.wait_for_selector(READY, timeout=30_000)
    page.wait_for_function(
        f"() => performance.now() - Math.max(window.watch.changed, window.watch.sent) > {QUIET_MS}", timeout=30_000
    )
    acted, sent, changed = page.evaluate("() => [window.watch.acted, window.watch.sent, window.watch.changed]")
    since = sent or acted
    return changed - since if since and changed > since else None, bool(sent)


def controls(page: Any) -> list[tuple[str, Any, Any]]:
    """Return (name, act, act back) of each slider, list of ours, toggle and unpressed segment on the page."""
    found: list[tuple[str, Any, Any]] = []
    for slider in page.locator(':is([data-testid="stSlider"], .gf-choice) input[type="range"]').all():
        name = slider.get_attribute("aria-label") or "slider"

        def step(key: str, slider: Any = slider) -> None:
            slider.focus()
            page.keyboard.press(key)

        at_end = slider.input_value() == slider.get_attribute("max")
        there, back = ("ArrowLeft", "ArrowRight") if at_end else ("ArrowRight", "ArrowLeft")
        found.append((name, lambda step=step, key=there: step(key), lambda step=step, key=back: step(key)))
    for lists in page.locator(".gf-choice select").all():
        now = lists.evaluate("one => one.selectedIndex")
        name = lists.get_attribute("aria-label") or "list"
        there, back = (lambda to=to, lists=lists: lists.select_option(index=to) for to in (int(now == 0), now))
        found.append((name, there, back))
    for toggle in page.locator('[data-testid="stCheckbox"] label').all():
        name = toggle.inner_text()
        found.append((name, lambda toggle=toggle: toggle.click(), lambda toggle=toggle: toggle.click()))
    for group in page.locator('[data-testid="stButtonGroup"], .gf-choice:has(.gf-pills)').all():
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
    """Measure the named rooms, or all."""
    asked = sys.argv[1:] or addresses()
    with app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds")
        every: dict[bool, list[float]] = {True: [], False: []}
        for room in asked:
            for kind, answers in report(browser, f"{url}/{room}", room).items():
                every[kind] += answers
        for kind, answers in every.items():
            print_line("all rooms", kind, {"": answers} if answers else {})


def report(browser: Any, url: str, room: str) -> dict[bool, list[float]]:
    """Measure one room and print its lines; return its answers by the server (True) and by the browser."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", locale="en-US")
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(READY, timeout=60_000)
    page.wait_for_timeout(2_500)
    taken: dict[bool, dict[str, list[float]]] = {True: {}, False: {}}
    for name, there, back in controls(page):
        for act in (there, back, there, back):  # the first time is computed, later ones may be cached
            with suppress(Exception):  # a control that was removed by another one
                ms, is_asked = measure(page, act)
                if ms is not None:
                    taken[is_asked].setdefault(name, []).append(ms)
    context.close()
    for kind, found in taken.items():
        print_line(room, kind, found)
    return {kind: [ms for one in found.values() for ms in one] for kind, found in taken.items()}


def print_line(room: str, is_asked: bool, taken: dict[str, list[float]]) -> None:
    """Print one line of the report."""
    answers = [ms for one in taken.values() for ms in one]
    if answers:
        slow = max(taken, key=lambda name: max(taken[name]))
        late = sorted(name for name, ms in taken.items() if statistics.median(ms) > 200)
        print(
            f"{room:<14} {len(answers):>3} answers of the {'server' if is_asked else 'browser'}  "
            f"median {statistics.median(answers):6.0f}  "
            f"slowest {max(taken[slow]):6.0f} ({slow})" + (f"  median over 200: {', '.join(late)}" if late else ""),
            flush=True,
        )


if __name__ == "__main__":
    main()
