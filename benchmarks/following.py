"""A teacher goes from room to room: how long until sixty learners see it.

    python -m benchmarks.following [--learners 60]

The projector and one learner's phone are real (Chromium); the other learners are what a phone is: a line to the class,
the page that stands on the projector, and, each at another moment, the app in its frame. The clock begins at the click
on the projector. Figures are seconds: until the projector itself shows the room; until the phone shows what stands on
the projector, or its own; until all others have that page; until all have the room itself.
"""

import argparse
import asyncio
import json
import threading
import time
from collections import defaultdict
from typing import Any

import httpx
from websockets.asyncio.client import connect
from websockets.typing import Origin

from benchmarks.classroom import Frame, tell
from benchmarks.server import app_in_browser

SECTION = "Look inside"
ROOMS = ("Masks", "Attention heads", "Positions", "Embeddings", "The block", "Masks", "Positions", "Attention heads")
REST = 14.0  # seconds that the teacher stays in a room
# Notes when a page's frame stands in a room, drawn, or its board lies over it.
WATCH = """
window.there = {};
setInterval(() => {
  const frame = document.querySelector("iframe.app");
  const app = frame?.contentDocument?.querySelector('[data-testid="stApp"]');
  const board = document.querySelector(".as-shown");
  const page = frame?.contentWindow.location.pathname.slice(1) ?? "";
  const exhibit = frame?.contentDocument?.querySelector('[class*="st-key-exhibit-"]');
  const isThere = app?.dataset.testScriptState === "notRunning" && exhibit && !exhibit.querySelector(".gf-wait");
  if (isThere) window.there[page] ??= Date.now();
  if (board && !board.hidden) window.there.board ??= Date.now();
}, 20);
"""


class Learner:
    """One of those who are simulated; `times`: room -> what -> when each had it."""

    def __init__(self, url: str, code: str, n_learner: int, times: dict[str, dict[str, list[float]]]) -> None:
        self.url, self.code, self.n_learner, self.times = url, code, n_learner, times
        self.going = set[asyncio.Task[None]]()

    async def live(self) -> None:
        """Join, and go along for ever."""
        async with httpx.AsyncClient(base_url=self.url, timeout=120) as client:
            await client.get("/join")
            headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in client.cookies.items())}
            line = await connect(
                f"{self.url.replace('http', 'ws')}/classroom/line", origin=Origin(self.url),
                additional_headers=headers, ping_interval=None,
            )  # fmt: skip
            await line.send(json.dumps({"code": self.code, "role": "learner", "is_new": True}))
            frame, address, board = Frame(self.url, headers, self.n_learner), "", ""
            await frame.go("")
            while True:
                told = json.loads(await line.recv()).get("told")
                if told is None:
                    continue
                if told["view"]["address"] != address:
                    address = told["view"]["address"]
                    self.going.add(asyncio.create_task(self.go(frame, address)))
                if told["board"]["key"] != board and told["board"]["address"] == address:
                    board = told["board"]["key"]
                    page = await client.get("/classroom/board", params={"of": self.code, "key": board})
                    self.times[address]["board"].append(time.time() if page.is_success else float("nan"))

    async def go(self, frame: Frame, address: str) -> None:
        """Open the room itself."""
        if await frame.go(address) is not None:
            self.times[address]["app"].append(time.time())


def main() -> None:
    """Start a server, a projector, a phone, and all others; go through the rooms."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--learners", type=int, default=60)
    n_learner = parser.parse_args().learners
    times: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        begun = httpx.post(f"{url}/classroom/start", headers={"origin": url}).json()
        wall = browser.new_context(viewport={"width": 1024, "height": 768}).new_page()
        wall.goto(f"{url}/projector#{begun['code']}.{begun['key']}")
        wall.get_by_role("button", name="Begin").click()
        phone = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        phone.goto(f"{url}/join#{begun['code']}")
        phone.get_by_role("button", name="Join").click()
        for page in (wall, phone):
            page.evaluate(WATCH)

        async def all_others() -> None:
            await asyncio.gather(*(Learner(url, begun["code"], n_learner, times).live() for _ in range(n_learner - 1)))

        threading.Thread(target=asyncio.run, args=(all_others(),), daemon=True).start()
        wall.wait_for_timeout(1000 * (5 + 0.3 * n_learner))
        frame = wall.frame_locator("iframe.app")
        frame.locator(".st-key-navigation summary", has_text=SECTION).click()
        walls, phones, boards, after, apps = ([] for _ in range(5))
        for room in ROOMS:
            for page in (wall, phone):
                page.evaluate("window.there = {}")
            times.clear()
            link = frame.locator(".st-key-navigation a", has_text=room).first
            address = (link.get_attribute("href") or "").rpartition("/")[2]
            link.hover()
            start = time.time()
            link.click()
            wall.wait_for_timeout(1000 * REST)
            found: dict[str, float] = wall.evaluate("window.there")
            walls.append(found.get(address, float("inf")) / 1000 - start)
            there: dict[str, Any] = phone.evaluate("window.there")
            phones.append(min(there.get("board", float("inf")), there.get(address, float("inf"))) / 1000 - start)
            after += [when - start - walls[-1] for when in times[address]["board"]]
            boards += [when - start for when in times[address]["board"]]
            apps += [when - start for when in times[address]["app"]]
            last = max([when - start for when in times[address]["board"]], default=float("nan"))
            now = f"projector {walls[-1]:.2f}, phone {phones[-1]:.2f}, the last of the others {last:.2f}"
            print(f"{room}: {now}", flush=True)
        tell("the projector shows the room", walls)
        tell("the phone shows it", phones)
        tell(f"what stands on the projector is there ({len(boards)} of {len(ROOMS) * (n_learner - 1)})", boards)
        tell("  the same, after the projector shows it", after)
        tell(f"the room itself is there ({len(apps)} of {len(ROOMS) * (n_learner - 1)})", apps)


if __name__ == "__main__":
    main()
