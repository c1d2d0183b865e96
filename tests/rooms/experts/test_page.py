"""The room of experts, driven without a browser: nothing tells before a guess, and links open the same view."""

from functools import partial
from pathlib import Path

import pytest

from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "today" / "experts.py")
page = partial(linked, PAGE, open="all")


def test_a_router_left_alone_says_which_it_is() -> None:
    said = text_of(clean(page(flow_guess="Just show me", flow_mixture="experts, left alone", depth="numbers").run()))
    assert "experts, left alone" in said.replace("\\", "")
