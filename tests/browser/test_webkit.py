"""Every page in Safari's engine: it opens, draws its first picture, and complains of nothing; a long text is whole."""

import pytest

from tests.browser.test_firefox import ALL, DRAWN, IDLE, NO_PICTURE, PAGES
from tests.browser.webkit import WebKit

FAULTS = "all('[data-testid=stAlert][kind=error], [data-testid=stException], .gf-error').length"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_and_draws(webkit: WebKit, url: str, path: str) -> None:
    webkit.open(f"{url}/{'' if path == 'home' else path}")
    webkit.run(ALL)
    webkit.until(IDLE)
    if path not in NO_PICTURE:
        webkit.until(DRAWN)
    assert webkit.evaluate(FAULTS) == 0
    assert webkit.evaluate("complaints") == []


def test_a_text_of_three_lines_is_whole(webkit: WebKit, url: str) -> None:
    """Where no browser sizes a field by its content, the page does."""
    text = "+".join(["Sam+had+his+kite+and+Anna+had+her+hat."] * 4)
    webkit.open(f"{url}/?text={text}", width=420)
    webkit.run(ALL)
    webkit.until(IDLE)
    webkit.until(DRAWN)
    field = "all('.gf-choice textarea')[0]"
    webkit.until(f"{field}.value.length > 100 && {field}.clientHeight + 2 >= Math.min({field}.scrollHeight, 160)")
