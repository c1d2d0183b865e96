"""The server's cost when sixty visitors type on Home at once, while their browsers run the model.

    python -m benchmarks.typists [--visitors 60]

All are visitors in one Chromium; each types a sentence of 39 letters, four per second. Compare the server's CPU seconds
with those of an equal time without typing.
"""

import argparse
import os
import time
from typing import Any

from benchmarks.load import below
from benchmarks.server import ROOT, chromium, streamlit, wait_until_warm

TYPE = """() => {
  const roots = [document], text = 'Tom and Mia had a red ball. They played';
  for (const root of roots) roots.push(...[...root.querySelectorAll('*')].flatMap(node => node.shadowRoot ?? []));
  const field = roots.flatMap(root => [...root.querySelectorAll('textarea')])[0];
  globalThis.typed = 0;
  const timer = setInterval(() => {
    field.value = text.slice(0, ++typed);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    if (typed === text.length) clearInterval(timer);
  }, 250);
}"""
N_LETTER = 39


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process and its descendants so far."""
    ticks = 0
    for one in below(pid) | {pid}:
        with open(f"/proc/{one}/stat") as stat:
            ticks += sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def visit(browser: Any, url: str, heard: list[int]) -> Any:
    """Open a page as a new visitor, whose messages to the server are counted."""
    page = browser.new_context().new_page()
    page.on("websocket", lambda socket: socket.on("framesent", lambda _: heard.append(1)))
    page.goto(url)
    page.locator(".gf-expects").first.wait_for(timeout=60_000)
    return page


def main() -> None:
    """Open the pages, wait, then type."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visitors", type=int, default=60)
    n_visitor = parser.parse_args().visitors
    heard: list[int] = []
    with streamlit(ROOT / "app.py") as (url, server), chromium() as browser:
        wait_until_warm(f"{url}/api/ready")
        pages = [visit(browser, url, heard) for _ in range(n_visitor)]
        time.sleep(10)
        for what in ("nobody types", f"{n_visitor} type"):
            began, cpu, n_heard = time.monotonic(), cpu_seconds(server.pid), len(heard)
            if what == "nobody types":
                time.sleep(60)
            else:
                for page in pages:
                    page.evaluate(TYPE)
                while min(page.evaluate("typed") for page in pages) < N_LETTER:
                    time.sleep(1)
            seconds = time.monotonic() - began
            used = 60 * (cpu_seconds(server.pid) - cpu) / seconds
            print(f"{what}: {len(heard) - n_heard} messages in {seconds:.0f} s; {used:.1f} CPU seconds a minute")


if __name__ == "__main__":
    main()
