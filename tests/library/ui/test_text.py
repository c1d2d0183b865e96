"""Escaping and cleaning: hostile text must come out as plain text."""

import re
import string

import pytest
from hypothesis import given, strategies as st

from core.data.localization.numbers import format_number
from core.ui.text_formatting import clean_text, escape_markdown, quote_briefly


def _unescape(text: str) -> str:
    """Return a CommonMark parser's result for backslash escapes, without our invisible marks."""
    return re.sub(r"[\u2060\u2068\u2069]", "", re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text))


@given(st.text(st.sampled_from(f"{string.punctuation} \t\naw1é語😀"), max_size=60))
def test_no_markdown_sign_survives_and_the_text_says_the_same(text: str) -> None:
    escaped = escape_markdown(text)
    assert not set(re.sub(r"\\[!-/:-@\[-`{-~]", "", escaped)) & set(string.punctuation)
    assert not re.search(r"^[ \t]", escaped, flags=re.MULTILINE)
    spaced = re.sub(r"^[ \t]+", lambda match: match[0].expandtabs(4), text, flags=re.MULTILINE)
    assert _unescape(escaped).replace("\u00a0", " ") == spaced


@pytest.mark.parametrize(
    ("text", "broken_up"),
    [
        (":smile:", r":[a-z]"),
        (":material/delete:", r":[a-z]"),
        ("a :+1: b", r":\+"),
        ("http://canary.example", "://"),
        ("WWW.canary.example", r"WWW\."),
        ("someone@canary.example", "@c"),
        ("a -> b <- c -- d >= e <= f ~= g", r"->|<-|--|>=|<=|~="),
    ],
)
def test_what_markdown_does_after_parsing_is_broken_up(text: str, broken_up: str) -> None:
    assert re.search(broken_up, text) is not None
    assert re.search(broken_up, escape_markdown(text).replace("\\", "")) is None


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("say שלום, 31", "say ⁨שלום⁩\\, 31"),  # without the marks the number would stand left of the word
        ("مرحبا (3) بك and ok", "⁨مرحبا \\(3\\) بك⁩ and ok"),  # a sentence stays one
        ("אב\nגד", "⁨אב⁩\n⁨גד⁩"),
        ("\u202eturned", "⁨\u202eturned⁩"),  # an order to turn that nobody takes back
        ("plain 東京", "plain 東京"),
    ],
)
def test_right_to_left_text_does_not_reorder_its_surroundings(text: str, apart: str) -> None:
    assert escape_markdown(text) == apart


def test_clean_text_says_what_it_changed() -> None:
    cleaned = clean_text("a\x00b\r\nc\ud800d", 100)
    assert cleaned.text == "ab\nc\ufffdd"
    assert cleaned.problems == (
        "1 control character was left out.",
        "1 broken character was replaced by \ufffd.",
    )


def test_a_long_text_is_cut_with_both_numbers_and_an_ordinary_one_left_alone() -> None:
    cleaned = clean_text("x" * 1_000_000, 1_000)
    assert len(cleaned.text) == 1_000
    assert cleaned.problems == ("The text has 1,000,000 characters; only the first 1,000 are used.",)
    text = "Zażółć gęślą jaźń\n\tδοκιμή 測試 👩‍👩‍👧"
    assert clean_text(text, 100).text == text and clean_text(text, 100).problems == ()


def test_quotes_are_short_and_printable() -> None:
    assert quote_briefly("x" * 100_000) == "“" + "x" * 40 + "…”"
    assert quote_briefly("a\x00b\u202ec") == "“a\ufffdb\ufffdc”"


@pytest.mark.parametrize(
    ("value", "spec", "text"),
    [(0.0, ".0%", "0%"), (0.003, ".0%", "<1%"), (9.6e-5, ".1%", "<0.1%"), (0.006, ".0%", "1%"), (1e-9, ".2f", "0.00")],
)
def test_a_share_that_is_not_0_is_never_shown_as_0(value: float, spec: str, text: str) -> None:
    """Fault: a token that was drawn has the probability 0%."""
    assert format_number(value, spec) == text
