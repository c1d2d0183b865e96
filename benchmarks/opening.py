"""Loading times (the first page after a start, a new tab, a click to each room) and the server's memory.

    python -m benchmarks.opening [room ...]

For comparison, a Streamlit page of one line is opened in the same way by the same browser. A page counts as visible
when its title is drawn, and as done when its script has ended, both since the navigation or the click; a room's first
picture counts when it is drawn. The first visit
is made as soon as the server answers at all. Each figure is the median of its repeats. The rooms are opened by the
sidebar, each twice; then the server's memory is read (Linux).
"""

import os
import statistics
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.answers import addresses
from benchmarks.server import READY, ROOT, chromium, streamlit, wait_until_warm
from core.rooms import rooms

EMPTY = "import streamlit as st\nst.title('Empty')\n"
N_START, N_TAB = 3, 5
WINDOW = {"width": 1440, "height": 900}


def open_tab(browser: Any, url: str) -> tuple[float, float]:
    """Return the milliseconds until a new visitor's page is visible, and until it is done."""
    context = browser.new_context(viewport=WINDOW, locale="en-US")
    page = context.new_page()
    began = time.perf_counter()
    page.goto(url, wait_until="commit")
    page.wait_for_selector("h1", timeout=60_000)
    there = time.perf_counter() - began
    page.wait_for_selector(READY, timeout=60_000)
    done = time.perf_counter() - began
    context.close()
    return 1e3 * there, 1e3 * done


def first_and_next(browser: Any, script: Path) -> dict[str, list[float]]:
    """Return the median milliseconds (visible, done) of the first tab after a start, and of later ones."""
    first, later = [], []
    for _ in range(N_START):
        with streamlit(script, GLASSFORMER_TRAINING="off") as (url, _):
            first.append(open_tab(browser, url))
            if script.name == "app.py":
                wait_until_warm(f"{url}/api/ready")
            later += [open_tab(browser, url) for _ in range(N_TAB)]
    return {
        name: [statistics.median(one) for one in zip(*taken, strict=True)]
        for name, taken in (("first tab after a start", first), ("another tab", later))
    }


# Clicks and waits in the page itself, so that no round trip of the measurement counts.
CLICK = """
async ([link, title, ready]) => {
  const began = performance.now();
  link.click();
  const at = () => [...document.querySelectorAll("h1")].some((one) => one.innerText.includes(title));
  while (!at()) await new Promise(requestAnimationFrame);
  const there = performance.now() - began;
  const pane = () => document.querySelector('[class*="st-key-gf-pane-"]');
  const isDrawn = (node) => node.matches(".main-svg") || node.shadowRoot?.querySelector("figure.gf[data-drawn]");
  while (pane() && ![...pane().querySelectorAll("*")].some(isDrawn)) await new Promise(requestAnimationFrame);
  const drawn = performance.now() - began;
  while (!document.querySelector(ready)) await new Promise(requestAnimationFrame);
  return [there, drawn, performance.now() - began];
}
"""


def click(page: Any, address: str, title: str) -> tuple[float, float, float]:
    """Return the milliseconds (visible, first picture drawn, done) of a click on the room's name in the sidebar."""
    link = page.locator(f'.st-key-gf-navigation a:is([href="{address}"], [href="/{address}"])')
    page.wait_for_timeout(500)  # the previous room's work is over
    there, drawn, done = page.evaluate(CLICK, [link.element_handle(), title, READY])
    return there, drawn, done


def memory(pid: int) -> int:
    """Return a process's private and shared megabytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def main() -> None:
    """Print the table."""
    asked = [room for room in rooms() if room.address in (sys.argv[1:] or addresses())]
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; milliseconds until there, and until done")
        empty = Path(folder) / "empty.py"
        empty.write_text(EMPTY)
        nothing, ours = first_and_next(browser, empty), first_and_next(browser, ROOT / "app.py")
        for name in ours:
            line = f"{name:<24} {ours[name][0]:6.0f} {ours[name][1]:6.0f}   an empty page {nothing[name][0]:6.0f}"
            print(f"{line} {nothing[name][1]:6.0f}   {ours[name][0] / nothing[name][0]:.2f} times", flush=True)
        with streamlit(ROOT / "app.py", GLASSFORMER_TRAINING="off") as (url, process):
            wait_until_warm(f"{url}/api/ready")
            page = browser.new_context(viewport=WINDOW, locale="en-US").new_page()
            page.goto(url)
            page.wait_for_selector(READY, timeout=60_000)
            for visit in ("first visits", "second visits"):
                took = {room.title: click(page, room.address, room.title) for room in asked}
                slow = max(took, key=lambda name: took[name][1])
                there, drawn, done = (statistics.median(one) for one in zip(*took.values(), strict=True))
                first = f"first picture {drawn:6.0f}, slowest {took[slow][1]:6.0f} ({slow})"
                print(f"{visit:<24} {there:6.0f} {done:6.0f}   {first}", flush=True)
            with suppress(OSError):
                print(f"memory after them: {memory(process.pid)} MB")


if __name__ == "__main__":
    main()
