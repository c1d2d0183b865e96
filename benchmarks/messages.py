"""The messages and bytes that the server sends after a move of a control: each room's sliders, toggles and choices.

    python -m benchmarks.messages [room ...]

A real Chromium moves each control once, as `benchmarks.answers` does; what arrives on the page's WebSocket is counted.
A move that only chooses what to look at sends nothing. `?open=all` opens the folded exhibits.
"""

import statistics
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from benchmarks.answers import addresses, controls
from benchmarks.server import READY, app_in_browser


@dataclass
class Traffic:
    """The lengths of the messages since the last call."""

    lengths: list[int] = field(default_factory=list)

    def listen(self, socket: Any) -> None:
        """Count the messages that a WebSocket of the page receives."""
        socket.on("framereceived", lambda data: self.lengths.append(len(data)))

    def take(self) -> tuple[int, int]:
        """Return (messages, bytes) since the last call."""
        taken = (len(self.lengths), sum(self.lengths))
        self.lengths.clear()
        return taken


def moves(page: Any, traffic: Traffic) -> dict[str, tuple[int, int]]:
    """Return control -> (messages, bytes) of one of its moves."""
    found = {}
    for name, there, back in controls(page):
        traffic.take()
        with suppress(Exception):  # a control that was removed by another one
            for act in (there, back):
                act()
                page.wait_for_timeout(300)
                page.wait_for_selector(READY, timeout=30_000)
                page.wait_for_timeout(300)
                if act is there:
                    found[name] = traffic.take()
    return found


def main() -> None:
    """Measure the named rooms, or all."""
    every: list[tuple[int, int]] = []
    with app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        for room in sys.argv[1:] or addresses():
            context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-US")
            page, traffic = context.new_page(), Traffic()
            page.on("websocket", traffic.listen)
            page.goto(f"{url}/{room}?open=all")
            page.wait_for_selector(READY, timeout=60_000)
            page.wait_for_timeout(2_500)
            n_opening, n_byte = traffic.take()
            found = moves(page, traffic)
            every += found.values()
            told = ", ".join(f"{name} {n} ({size / 1000:.0f} kB)" for name, (n, size) in found.items())
            print(f"{room:<16} opening {n_opening} messages, {n_byte / 1000:.0f} kB; {told}", flush=True)
            context.close()
    if every:
        n, size = (statistics.median(one) for one in zip(*every, strict=True))
        print(f"median of {len(every)} moves: {n:.0f} messages, {size / 1000:.1f} kB")


if __name__ == "__main__":
    main()
