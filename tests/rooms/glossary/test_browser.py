"""The glossary in a browser: it searches as one types, without the server; keys and addresses open entries."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.rooms import until


@pytest.fixture(scope="module")
def url(url_of_tiny_model: str) -> str:
    return url_of_tiny_model


@pytest.fixture
def glossary(open_page: Callable[..., Any], url: str) -> Callable[..., Any]:
    def start(query: str = "", **how: Any) -> Any:
        page = open_page(f"{url}/glossary{query}", **how)
        page.locator(".gf-words summary").first.wait_for()
        until(page, "document.querySelectorAll('.st-key-gf-glossary blockquote').length > 100")
        return page

    return start


def names(page: Any) -> list[str]:
    return page.locator(".gf-words summary b").all_inner_texts()


def test_the_field_searches_as_one_types_and_says_when_nothing_matches(glossary: Callable[..., Any]) -> None:
    page = glossary()
    assert page.locator(".gf-words .tile svg").count() == 20
    assert len(names(page)) > 150 and page.locator(".gf-words details[open]").count() == 0
    page.sent.clear()
    field = page.get_by_role("searchbox")
    for asked, first in {"n_embd": "d_model", "bigrams": "n-gram", "past_key_values": "KV cache"}.items():
        field.fill(asked)
        assert names(page)[0] == first, asked
    field.fill("<b>xyzzy")
    assert page.get_by_role("status").filter(has_text="No match for “<b>xyzzy”").is_visible()
    assert names(page) == []
    field.press("Escape")
    assert len(names(page)) > 150 and page.locator(".gf-words .tile").first.is_visible()
    assert page.sent == []


def test_keys_open_an_entry_and_its_address_brings_it_back(glossary: Callable[..., Any]) -> None:
    page = glossary(width=390)
    field = page.get_by_role("searchbox")
    field.fill("softma")
    field.press("ArrowDown")
    page.keyboard.press("Enter")
    entry = page.locator(".gf-words details[open]")
    entry.locator("figure [role=img]").wait_for()
    entry.locator(".more .katex").first.wait_for()
    assert entry.get_by_role("link").first.get_attribute("href").startswith("next_token#")
    until(page, "location.search === '?term=softma'")
    again = glossary("?term=softmax")
    again.locator(".gf-words details[open] .more").wait_for()
    assert names(again)[0] == "softmax"


def test_a_picture_opens_its_entry_and_paper_shows_all(glossary: Callable[..., Any]) -> None:
    page = glossary()
    page.get_by_role("button", name="cross-attention").click()
    assert page.locator(".gf-words details[open] summary b").all_inner_texts() == ["cross-attention"]
    page.get_by_role("searchbox").fill("")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(".gf-words details[open] .more").count() == len(names(page))
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(".gf-words details[open]").count() == 0
