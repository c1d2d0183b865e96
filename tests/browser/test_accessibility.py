"""axe-core finds no serious fault on any page, light on a desk, dark on a phone; and no page is wider than a phone."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rooms import ROOT, serious_faults, styled, too_wide

pytestmark = [pytest.mark.browser, pytest.mark.slow]
PAGES = [
    "" if "default=True" in line else path.stem
    for line in (ROOT / "app.py").read_text().splitlines()
    for path in [Path(found[1]) for found in re.finditer(r'st\.Page\("([^"]+)"', line)]
]


def test_every_page_is_looked_at() -> None:
    assert len(PAGES) == len(set(PAGES)) == len(list((ROOT / "pages").glob("*/*.py")))


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_serious_fault(path: str, url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{url}/{path}")
    settle(page)
    assert not serious_faults(page)


@pytest.mark.parametrize("path", PAGES)
def test_a_dark_phone_shows_all_of_it(path: str, url: str, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{url}/{path}", width=390, dark=True)
    settle(page)
    assert too_wide(page) <= 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.katex-display')].filter(e => e.scrollWidth > e.clientWidth + 2)
                 .map(e => [e.textContent.slice(0, 80), e.scrollWidth, e.clientWidth])"""
    )
    assert not cut, f"formulas wider than the page: {cut}"
    assert not serious_faults(page)


def settle(page: Any) -> None:
    """Wait until every picture has been drawn: until then it has no name for a screen reader."""
    styled(page)
    page.wait_for_selector(".gf-wait", state="detached", timeout=60_000)
    page.wait_for_timeout(500)
    page.wait_for_selector("figure.gf:not([data-drawn])", state="detached", timeout=60_000)
    page.wait_for_selector('figure.gf [role="img"]:not([aria-label]):visible', state="detached", timeout=20_000)
