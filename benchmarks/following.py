"""The time until sixty learners see the room to which a teacher goes.

    python -m benchmarks.following [--learners 60]

The projector and one learner's phone are real (Chromium); the other learners act like phones: a connection to the
class, the page on the projector, and, each at a different moment, the app in its frame. The clock starts at the click
on the projector. Figures are seconds until the projector itself shows the room; until the phone shows the projector's
page or its own; until all others have that page; and until all have the room itself.
"""

import argparse
import asyncio
import threading
import time
from typing import Any

import httpx

from benchmarks.classmates import Class, Learner
from benchmarks.classroom import tell
from benchmarks.server import app_in_browser
from core.classroom.codes import projector_key

SECTION = "Look inside"
ROOMS = ("Masks", "Attention heads", "Positions", "Embeddings", "The block", "Masks", "Positions", "Attention heads")
REST = 14.0  # seconds that the teacher stays in a room
# Records when a page's frame shows a drawn room, or its board covers it.
WATCH = """
window.there = {};
setInterval(() => {
  const frame = document.querySelector("iframe.app");
  const app = frame?.contentDocument?.querySelector('[data-testid="stApp"]');
  const board = document.querySelector(".as-shown");
  const page = frame?.contentWindow.location.pathname.slice(1) ?? "";
  const exhibit = frame?.contentDocument?.querySelector('[class*="st-key-gf-exhibit-"]');
  const isThere = app?.dataset.testScriptState === "notRunning" && exhibit && !exhibit.querySelector(".gf-wait");
  if (isThere) window.there[page] ??= Date.now();
  if (board && !board.hidden) window.there.board ??= Date.now();
}, 20);
"""


def main() -> None:
    """Start a server, a projector, a phone, and all others; go through the rooms."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--learners", type=int, default=60)
    n_learner = parser.parse_args().learners
    of = Class()
    of.n_learner = n_learner
    with app_in_browser(GLASSFORMER_TRAINING="off") as (url, browser):
        begun = httpx.post(f"{url}/classroom/start", headers={"origin": url}).json()
        of.url, of.code = url, begun["code"]
        wall = browser.new_context(viewport={"width": 1024, "height": 768}).new_page()
        wall.goto(f"{url}/projector#{begun['code']}.{projector_key(begun['key'])}")
        wall.get_by_role("button", name="Begin").click()
        phone = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        phone.goto(f"{url}/join#{begun['code']}")
        phone.get_by_role("button", name="Join").click()
        for page in (wall, phone):
            page.evaluate(WATCH)

        async def all_others() -> None:
            of.up.set()
            await asyncio.gather(*(Learner(of).live() for _ in range(n_learner - 1)))

        threading.Thread(target=asyncio.run, args=(all_others(),), daemon=True).start()
        wall.wait_for_timeout(1000 * (5 + 0.3 * n_learner))
        frame = wall.frame_locator("iframe.app")
        frame.get_by_role("button", name="Leave presenter mode").click()  # the sidebar is back
        frame.locator(".st-key-gf-navigation summary", has_text=SECTION).click()
        walls, phones, boards, after, apps = ([] for _ in range(5))
        for room in ROOMS:
            for page in (wall, phone):
                page.evaluate("window.there = {}")
            of.boards.clear()
            of.rooms.clear()
            link = frame.locator(".st-key-gf-navigation a", has_text=room).first
            address = (link.get_attribute("href") or "").rpartition("/")[2]
            link.hover()
            start, of.since = time.time(), time.perf_counter()
            link.click()
            wall.wait_for_timeout(1000 * REST)
            found: dict[str, float] = wall.evaluate("window.there")
            walls.append(found.get(address, float("inf")) / 1000 - start)
            there: dict[str, Any] = phone.evaluate("window.there")
            phones.append(min(there.get("board", float("inf")), there.get(address, float("inf"))) / 1000 - start)
            after += [one - walls[-1] for one in of.boards]
            boards += of.boards
            apps += of.rooms
            last = max(of.boards, default=float("nan"))
            now = f"projector {walls[-1]:.2f}, phone {phones[-1]:.2f}, the last of the others {last:.2f}"
            print(f"{room}: {now}", flush=True)
        tell("the projector shows the room", walls)
        tell("the phone shows it", phones)
        tell(f"the projector's page is shown ({len(boards)} of {len(ROOMS) * (n_learner - 1)})", boards)
        tell("  the same, after the projector shows it", after)
        tell(f"the room itself is there ({len(apps)} of {len(ROOMS) * (n_learner - 1)})", apps)


if __name__ == "__main__":
    main()
