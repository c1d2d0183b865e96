"""What the browser tests of the rooms share: waiting until a page stands still, and finding its pictures."""

import importlib.util
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.chromium import LONGEST_WAIT

ROOT = Path(__file__).resolve().parents[2]
READY = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
QUIET_MS = 60
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}


def styled(page: Any) -> None:
    """Wait for the house's own style sheet: on a busy machine it comes seconds after the first texts."""
    until(page, "[...document.querySelectorAll('style')].some(one => one.textContent.includes('st-key-gf-exhibit-'))")


def idle(page: Any) -> None:
    """Wait until the browser has drawn what has come: on a busy machine it is seconds behind the server.

    Until then the page says that no script is running, because it has not read yet that one is.
    """
    page.evaluate("new Promise(done => requestIdleCallback(() => done(), {timeout: 5000}))")


def still(page: Any) -> None:
    """Wait until everything asked has been answered, nothing more comes, and every picture stands."""
    end = time.monotonic() + LONGEST_WAIT
    heard = (-1, -1)
    while heard != (heard := (len(page.sent), len(page.received))) or not is_answered(page):
        assert time.monotonic() < end, f"the page is not still after {LONGEST_WAIT} s"
        page.wait_for_timeout(QUIET_MS)
        idle(page)


def is_answered(page: Any) -> bool:
    """Whether the script has run for what was sent last, and no picture waits to be drawn."""
    is_heard = not page.sent or len(page.received) > page.asked_at
    waits = page.locator(".gf-wait, #gf-first").count()  # a picture, and the words that cover a page until it is there
    return bool(is_heard and page.locator(READY).count() and not waits)


def settle(page: Any) -> None:
    """Wait until the page has its style, its first picture, and stands still."""
    styled(page)
    page.locator("figure.gf[data-drawn], [data-testid=stPlotlyChart] .main-svg").first.wait_for()
    page.wait_for_timeout(250)  # a slider tells the server a moment after it was let go
    still(page)


def follow(sidebar: Any, name: str) -> None:
    """Click a link of the sidebar; its section is unfolded before."""
    link = sidebar.locator("a").filter(has_text=re.compile(rf"{re.escape(name)}$"))
    if not link.is_visible():
        link.locator("xpath=ancestor::details").locator("summary").click()
        before = None
        while before != (before := link.bounding_box()):  # it slides as its section unfolds, and a click would miss it
            link.page.wait_for_timeout(250)
    asked, end = len(link.page.sent), time.monotonic() + 10
    link.click()
    while len(link.page.sent) == asked and time.monotonic() < end:
        link.page.wait_for_timeout(50)
    if len(link.page.sent) == asked:  # it was drawn anew between press and release: a person clicks again
        link.click()


def click_through(page: Any, path: str) -> None:
    """Go to a page by its link in the sidebar, which is closed on a phone."""
    page.locator(f'.st-key-gf-navigation a[href="{path}"]').evaluate("link => link.click()")
    page.wait_for_selector(f'.st-key-gf-here a[href="{path}"]', state="attached")


def until(page: Any, script: str) -> None:
    """Wait until the script gives true. `wait_for_function` polls with `eval`, which the server's policy forbids."""
    end = time.monotonic() + LONGEST_WAIT
    while not page.evaluate(script):
        assert time.monotonic() < end, f"not within {LONGEST_WAIT} s: {script}"
        page.wait_for_timeout(100)


def address_has(page: Any, *parts: str) -> None:
    """Wait until the page's address holds each of these: it may follow what the page shows."""
    for part in parts:
        until(page, f"location.href.includes({json.dumps(part)})")


def address_has_no(page: Any, part: str) -> None:
    """Wait until the page's address does not hold this."""
    until(page, f"!location.href.includes({json.dumps(part)})")


def figure(page: Any, title: str) -> Any:
    """The picture with this title."""
    return page.locator("figure.gf", has=page.locator(".gf-title", has_text=title)).first


def exhibit(page: Any, name: str) -> Any:
    """The exhibit that is drawn under this name."""
    return page.locator(f".st-key-gf-exhibit-{name}")


def sheet(page: Any, name: str, tab: str) -> Any:
    """On a phone: the exhibit, with its sheet Set, Read or Try open."""
    found = exhibit(page, name)
    found.evaluate("exhibit => exhibit.scrollIntoView()")
    page.wait_for_timeout(600)  # the tabs follow what is on the screen
    page.get_by_role("group", name="Of this exhibit").get_by_role("button", name=tab).click()
    return found


# What stands in pictures, what they draw on a canvas (once more, to be overheard), and what they tell who points there
# or cannot see.
SAID = """() => {
  const roots = [document], said = [], canvas = CanvasRenderingContext2D.prototype, { fillText } = canvas;
  for (const root of roots) roots.push(...[...root.querySelectorAll('*')].flatMap(node => node.shadowRoot ?? []));
  const all = query => roots.flatMap(root => [...root.querySelectorAll(query)]);
  canvas.fillText = function (text, ...place) { said.push(text); return fillText.call(this, text, ...place); };
  document.dispatchEvent(new Event('gf-look'));
  canvas.fillText = fillText;
  for (const figure of all('figure.gf')) {
    said.push(...figure.innerText.split('\\n'));
    for (const node of figure.querySelectorAll('[title], [aria-label]')) {
      if (node.checkVisibility()) said.push(node.title ?? '', node.getAttribute('aria-label') ?? '');
    }
  }
  for (const text of all('[data-testid=stVegaLiteChart] text')) said.push(text.textContent);
  return [...new Set(said)];
}"""


def said_by_pictures(page: Any) -> list[str]:
    """All that the pictures of a page say, on the screen or to a screen reader."""
    said: list[str] = page.evaluate(SAID)
    return said


def too_wide(page: Any) -> int:
    """By how many pixels the page can be scrolled sideways, which nobody should have to."""
    main = "document.querySelector('[data-testid=stMain]')"
    return int(page.evaluate(f"{main}.scrollWidth - {main}.clientWidth"))


def cut_formulas(page: Any) -> list[Any]:
    """The formulas that are wider than their place, each with its width and that of the place in pixels."""
    found: list[Any] = page.evaluate(
        """() => [...document.querySelectorAll('.katex-display')].filter(e => e.scrollWidth > e.clientWidth + 2)
                 .map(e => [e.textContent.slice(0, 80), e.scrollWidth, e.clientWidth])"""
    )
    return found


def fits(page: Any, *widths: int) -> Iterator[int]:
    """Make the window so wide, one width after the other, and wait until nothing sticks out of it."""
    main = "document.querySelector('[data-testid=stMain]')"
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_timeout(600)  # the pictures are drawn anew
        until(page, f"{main}.scrollWidth <= {main}.clientWidth")
        yield width


def serious_faults(page: Any) -> str:
    """What axe-core calls serious or critical, a line for each."""
    package = importlib.util.find_spec("axe_playwright_python")
    assert package is not None and package.origin is not None
    page.evaluate(Path(package.origin).with_name("axe.min.js").read_text())
    found = page.evaluate("rules => axe.run(document, rules)", RULES)
    return "\n".join(
        f"{one['id']} ({one['impact']}): {node['target']} {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    )
