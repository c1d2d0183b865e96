"""The duration of the first visit of Home on a slow phone: until the first text, the app's title, the picture,
and the weights.

    python -m benchmarks.slow_phone [address in the app ...]

A Chromium as a phone (390 x 844, touch) at 400 kbit/s and 400 ms latency, with an empty cache, against a server that is
warm and has had one visitor. The first text counts when the page paints any text, the title when the app has drawn its
heading, the picture when the first widget is drawn. Then the fetched files are listed, the largest first.
"""

import os
import sys
import time
from typing import Any
from urllib.parse import urlsplit

from benchmarks.server import app_in_browser

KILOBITS, LATENCY = 400, 400  # per second; milliseconds
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "locale": "en-US"}
LONGEST = 180_000  # milliseconds
PICTURE = "figure.gf[data-drawn]:not(:has(.gf-sheets)), figure.gf[data-text]"  # Home's names its text
N_LISTED = 12


def slow(page: Any) -> list[tuple[str, int]]:
    """Make the page's network slow; return a list that collects each answer's path and size in bytes."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("Network.enable")
    speed = 1000 * KILOBITS / 8
    conditions = {"offline": False, "latency": LATENCY, "downloadThroughput": speed, "uploadThroughput": speed}
    cdp.send("Network.emulateNetworkConditions", conditions)
    paths: dict[str, str] = {}
    fetched: list[tuple[str, int]] = []
    cdp.on("Network.responseReceived", lambda told: paths.update({told["requestId"]: told["response"]["url"]}))
    cdp.on(
        "Network.loadingFinished",
        lambda told: fetched.append((urlsplit(paths.get(told["requestId"], "?")).path, int(told["encodedDataLength"]))),
    )
    return fetched


def visit(browser: Any, url: str) -> tuple[dict[str, float], list[tuple[str, int]]]:
    """Return the seconds until each milestone, and the files fetched until the picture."""
    context = browser.new_context(**PHONE)
    page = context.new_page()
    fetched = slow(page)
    began = time.perf_counter()
    page.goto(url, wait_until="commit", timeout=LONGEST)
    took = {}
    page.wait_for_selector("[data-testid=stMain] h1", timeout=LONGEST)
    took["title of the app"] = time.perf_counter() - began
    page.wait_for_selector(PICTURE, timeout=LONGEST)
    took["picture"] = time.perf_counter() - began
    until_then = list(fetched)
    while not any(path.endswith(".safetensors") for path, _ in fetched) and time.perf_counter() - began < LONGEST / 1e3:
        page.wait_for_timeout(100)
    took["weights"] = time.perf_counter() - began
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime / 1000"
    took["first paint of words or pictures"] = page.evaluate(paint)
    context.close()
    return took, until_then


def main() -> None:
    """Print the figures of each address."""
    with app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        for address in sys.argv[1:] or [""]:
            visitor = browser.new_context()
            visitor.new_page().goto(f"{url}/{address}")  # the server has compressed its cached files
            time.sleep(5)
            visitor.close()
            took, fetched = visit(browser, f"{url}/{address}")
            print(f"/{address}: load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            for name, seconds in sorted(took.items(), key=lambda one: one[1]):
                print(f"  {name:<36} {seconds:6.1f} s")
            total = sum(size for _, size in fetched)
            print(f"  {len(fetched)} answers, {total / 1e6:.2f} MB until the picture; the largest:")
            for path, size in sorted(fetched, key=lambda one: -one[1])[:N_LISTED]:
                print(f"    {size / 1e3:7.0f} kB  {path.rpartition('/')[2] or path}")


if __name__ == "__main__":
    main()
