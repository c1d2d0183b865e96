"""axe-core finds no serious fault on any page, light on a desk, dark on a phone; and no page is wider than a phone."""

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.rooms import styled

pytestmark = [pytest.mark.browser, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
PAGES = [
    "" if "default=True" in line else path.stem
    for line in (ROOT / "app.py").read_text().splitlines()
    for path in [Path(found[1]) for found in re.finditer(r'st\.Page\("([^"]+)"', line)]
]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}


@pytest.fixture(scope="module")
def url(serve: Callable[..., str]) -> str:
    return serve(ROOT / "app.py", GLASSFORMER_TRAINING="off")


@pytest.fixture(scope="module")
def axe() -> str:
    package = importlib.util.find_spec("axe_playwright_python")
    assert package is not None and package.origin is not None
    return Path(package.origin).with_name("axe.min.js").read_text()


def test_every_page_is_looked_at() -> None:
    assert len(PAGES) == len(set(PAGES)) == len(list((ROOT / "pages").glob("*/*.py")))


@pytest.mark.parametrize("path", PAGES)
def test_axe_finds_no_serious_fault(path: str, url: str, axe: str, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{url}/{path}")
    settle(page)
    assert not serious_faults(page, axe)


@pytest.mark.parametrize("path", PAGES)
def test_a_dark_phone_shows_all_of_it(path: str, url: str, axe: str, open_page: Callable[..., Any]) -> None:
    page = open_page(f"{url}/{path}", width=390, dark=True)
    settle(page)
    wide = page.evaluate(
        """() => { const main = document.querySelector('[data-testid=stMain]');
                   return [main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - 390]; }"""
    )
    assert max(wide) <= 0
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.katex-display')].filter(e => e.scrollWidth > e.clientWidth + 2)
                 .map(e => [e.textContent.slice(0, 80), e.scrollWidth, e.clientWidth])"""
    )
    assert not cut, f"formulas wider than the page: {cut}"
    assert not serious_faults(page, axe)


def serious_faults(page: Any, axe: str) -> str:
    """What axe-core calls serious or critical, a line for each."""
    page.evaluate(axe)
    found = page.evaluate("rules => axe.run(document, rules)", RULES)
    return "\n".join(
        f"{one['id']} ({one['impact']}): {node['target']} {node['html'][:160]} {node.get('failureSummary', '')[:300]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    )


def settle(page: Any) -> None:
    """Wait until every picture has been drawn: until then it has no name for a screen reader."""
    styled(page)
    page.wait_for_selector(".gf-wait", state="detached", timeout=60_000)
    page.wait_for_timeout(500)
    page.wait_for_selector("figure.gf:not([data-drawn])", state="detached", timeout=60_000)
    page.wait_for_selector('figure.gf [role="img"]:not([aria-label]):visible', state="detached", timeout=20_000)
