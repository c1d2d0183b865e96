"""The room of many scales, driven without a browser: controls, a training that has just begun."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms.multiscale import ROOM
from core.ui.text import escape_markdown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "images" / "scales.py")
page = partial(linked, PAGE)
TITLES = [escape_markdown(entry.exhibit().title) for entry in ROOM.exhibits]


def test_opens_with_a_result_and_follows_its_controls() -> None:
    test = clean(page().run())
    assert [one.value for one in test.subheader if one.value in TITLES] == TITLES
    assert not test.warning
    told = text_of(test)
    assert "**4.49 billion** multiply-adds" in told
    assert "**4 → 16 → 64 → 144 → 256 → 256 of 256 pixels**" in told and "at exactly these pixels" in told
    for name in ("reach_row", "reach_column"):
        test.slider(key=name).set_value(7)
    test.session_state["reach_draw"], test.session_state["stage_model"] = "gradient", "ours"
    told = text_of(clean(test.run()))
    assert "at exactly these pixels" in told and "cheaper at every size" in told
    assert "4 → 16 → 16 → 144 → 144 → 256" in told
    test.session_state["stage_model"] = "own"
    clean(test.run())
    for name in ("stage_patch", "stage_width", "stage_window", "stage_stages", "stage_size"):
        box = test.selectbox(key=name)
        box.select_index(len(box.options) - 1)
    assert "12,288 × 12,288 pixels" in text_of(clean(test.run()))
