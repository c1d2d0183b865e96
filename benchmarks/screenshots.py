"""The screenshots of the README, taken from the running app.

    python -m benchmarks.screenshots [name ...]

Each shows a page as a visitor finds it, or after the clicks named here; nothing is edited afterwards. They are
written to `assets/screenshots/`, with at most 256 colors to keep the repository small.
"""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.server import READY, ROOT, app_in_browser

FOLDER = ROOT / "assets" / "screenshots"


@dataclass(frozen=True)
class Shot:
    """A page to capture.

    Attributes:
        path: of the page, with its state.
        exhibit: scrolled to the top, if there is one.
        width, height: of the window.
        act: the clicks before the capture.
    """

    path: str
    exhibit: str = ""
    width: int = 1280
    height: int = 800
    dark: bool = False
    act: Callable[[Any], None] | None = None


def predict(page: Any) -> None:
    """Commit the first answer of a lesson's question."""
    page.locator("[role=radiogroup] label").first.click()
    page.get_by_role("button", name="Commit").first.click()
    page.get_by_role("button", name="Try again").wait_for()


SHOTS = {
    "home": Shot(""),
    "lesson": Shot("lessons?lesson=three-switches&step=3", act=predict),
    "heads": Shot("heads", "all-heads"),
    "walk": Shot("steps", "whole-walk"),
    "patches": Shot("patches", "attention", dark=True),
    "presenter": Shot("heads?present=true", "all-heads", width=1024, height=768),
}


def take(browser: Any, url: str, shot: Shot) -> bytes:
    """Take a PNG of the page."""
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.dark else "light",
        reduced_motion="reduce",
        locale="en-US",
    )
    page = context.new_page()
    page.goto(f"{url}/{shot.path}")
    settle(page)
    if shot.act is not None:
        shot.act(page)
        settle(page)
    if shot.exhibit:
        page.locator(f".st-key-gf-exhibit-{shot.exhibit}").evaluate("one => one.scrollIntoView()")
        page.mouse.move(shot.width - 5, shot.height - 5)
        settle(page)
    taken: bytes = page.screenshot()
    context.close()
    return taken


def settle(page: Any) -> None:
    """Wait until the page no longer changes."""
    page.wait_for_timeout(400)
    page.wait_for_selector(READY, timeout=60_000)
    page.wait_for_selector(".gf-wait", state="detached", timeout=60_000)
    page.wait_for_timeout(600)


def main() -> None:
    """Take the named screenshots, or all."""
    from PIL import Image

    FOLDER.mkdir(exist_ok=True)
    with app_in_browser(GLASSFORMER_TRAINING="on") as (url, browser):
        for name in sys.argv[1:] or SHOTS:
            picture = Image.open(io.BytesIO(take(browser, url, SHOTS[name]))).convert("RGB")
            path = FOLDER / f"{name}.png"
            picture.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
            print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
