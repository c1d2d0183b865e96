"""Home on a slow connection: it says where one looks how much of the model has come, and then shows its title."""

import re
from typing import Any

from tests.browser.rooms import until
from tests.chromium import LONGEST_WAIT

SLOW = {"offline": False, "latency": 100, "uploadThroughput": -1, "downloadThroughput": 150_000}  # bytes a second
HEAR = """title => { window.heard = [title.textContent];
  new MutationObserver(() => heard.push(title.textContent)).observe(title, {childList: true}); }"""


def test_home_says_at_the_top_how_much_of_the_model_has_come(browser: Any, url: str) -> None:
    page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    page.set_default_timeout(LONGEST_WAIT * 1000)
    held: list[Any] = []
    page.route("**/weights/*", lambda route: held.append(route))  # Playwright takes no built-in
    page.goto(url)
    title = page.locator("figure.gf .gf-title", has_text="Fetching the model, 0%").first
    title.evaluate(HEAR)
    while not held:
        page.wait_for_timeout(100)
    box = page.locator("figure.gf .gf-title").first.bounding_box()
    assert box["y"] > 0 and box["y"] + box["height"] <= 844, "one sees it without scrolling"
    page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", SLOW)
    held.pop().continue_()
    until(page, "heard.length > 1 && !heard.at(-1).startsWith('Fetching')")
    *percents, _ = page.evaluate("heard")
    shares = [int(re.fullmatch(r"Fetching the model, (\d+)%", one)[1]) for one in percents]  # type: ignore[index]
    assert shares[0] == 0 and len(shares) > 5 and shares == sorted(shares) and shares[-1] < 100
    page.context.close()
