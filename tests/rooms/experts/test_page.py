"""The room of experts, driven without a browser: nothing tells before a guess, and links open the same view."""

from functools import partial
from pathlib import Path

import pytest

from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "today" / "experts.py")
page = partial(linked, PAGE, open="all")


def test_nothing_tells_before_a_guess_and_all_does_after() -> None:
    said = text_of(clean(page().run()))
    assert "the router before training" in said and "the router without a balancing loss appears" in said
    for words in ("of what there is to know", "experts in use", "active per token"):
        assert words not in said
    said = text_of(clean(page(flow_guess="by topic", work_guess="Just show me", size_of_guess="Just show me").run()))
    assert "You guessed: by topic. The answer: by kind of token." in said
    for words in ("of what there is to know", "experts in use", "active per token"):
        assert words in said


def test_a_router_left_alone_says_which_it_is() -> None:
    said = text_of(clean(page(flow_guess="Just show me", flow_mixture="experts, left alone", depth="numbers").run()))
    assert "experts, left alone" in said.replace("\\", "")
