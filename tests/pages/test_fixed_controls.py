"""A link that locks or hides every control of a page: no button is left that does nothing, each lock has its reason."""

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.ui import state
from tests.pages.rooms import clean, linked

# Pages with buttons that move controls; the others have none today and run where all is tested.
WITH_BUTTONS = {"patches", "next_token", "encoder", "studio"}
PAGES = [
    pytest.param(str(page), id=page.stem, marks=[] if page.stem in WITH_BUTTONS else pytest.mark.full)
    for page in sorted((Path(__file__).resolve().parents[2] / "pages").glob("*/*.py"))
]


@pytest.fixture(autouse=True)
def _training_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_TRAINING", "off")


def drawn(page: AppTest) -> list[Any]:
    """All that the visitor sees, button presses apart."""
    return [(type(one).__name__, str(getattr(one, "proto", ""))) for one in page.main]


@pytest.mark.slow
@pytest.mark.parametrize("path", PAGES)
def test_no_button_does_nothing_when_the_controls_are_fixed(path: str) -> None:
    free = clean(linked(path).run())
    names = list(free.session_state[f"{state.PREFIX}asked"])
    for how in ("hide", "lock"):
        page = clean(linked(path, **{how: ",".join(names)}).run())
        if how == "lock":
            told = [one for one in page.caption if "Locked by the link" in one.value]
            assert len(told) == len([one for one in _controls(page) if one.disabled and one.key in names])
        for key in [one.key for one in page.button if one.key and not one.disabled]:
            before = drawn(page)
            clean(page.button(key=key).click().run())
            assert drawn(page) != before, f"with {how}=…, “{page.button(key=key).label}” ({key}) changes nothing"


def _controls(page: AppTest) -> list[Any]:
    kinds = ("slider", "selectbox", "number_input", "toggle", "text_input", "text_area", "button_group")
    return [one for kind in kinds for one in page.get(kind)]
