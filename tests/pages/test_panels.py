"""Under every picture of the rooms: link, code, numbers and download open without a fault and hold what is shown."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.rooms import all_exhibits
from core.ui.exhibit import exhibit_panels
from core.ui.exhibit.exhibit_drawing_state import ExhibitDrawing
from tests.pages.rooms import clean, linked

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[2]
EXHIBITS: dict[str, tuple[str, dict[str, str]]] = {
    "heads.one-head": ("pages/attention/heads.py", {"pair": "3.1", "open": "all"}),
    "heads.set-a-row": ("pages/attention/heads.py", {"open": "all"}),
    "next-token.what-comes-next": ("pages/generate/next_token.py", {"temperature": "2"}),
    "home.sentence-through": ("app.py", {}),
}


@pytest.mark.parametrize("name", EXHIBITS)
def test_every_panel_opens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, ExhibitDrawing] = {}
    plain = exhibit_panels.show_code_and_download_panels

    def footer(title: str, code: Any, drawn: ExhibitDrawing, key: str) -> None:
        kept[key] = drawn
        plain(title, code, drawn, key)

    monkeypatch.setattr(exhibit_panels, "show_code_and_download_panels", footer)
    (path, address), name = EXHIBITS[name], name.partition(".")[2]
    test = linked(str(ROOT / path), **address).run()
    for panel in ("link", "code", "numbers", "download"):
        test.button_group(key=f"gf-panel-{name}").set_value(panel)
        clean(test.run())
    table = kept[name].table()
    assert table is not None and len(next(iter(table.values()))) > 0
    assert np.load(io.BytesIO(exhibit_panels._to_npz(kept[name].arrays()))).files


def test_the_first_tab_of_code_is_the_model_in_one_file() -> None:
    """Catch a learner who opens Code in a GPT's room and finds only what today's models need."""
    test = linked(str(ROOT / "pages/families/decoder.py")).run()
    test.button_group(key="gf-panel-lens-film").set_value("code")
    shown = [tab.code[0].value for tab in clean(test.run()).tabs if tab.label.startswith(("A GPT", "The code"))]
    assert "class MinimalGPT" in shown[0] and "def compute" in shown[1]


@pytest.mark.parametrize("name", all_exhibits())
def test_every_exhibit_says_what_to_look_for_and_what_to_try(name: str) -> None:
    exhibit = all_exhibits()[name].exhibit()
    assert exhibit.text.look_for.endswith((".", "?"))
    assert 1 <= len(exhibit.text.try_chips) <= 4 and any(one.depth == "story" for one in exhibit.text.try_chips)
    assert all(one.action and one.expectation for one in exhibit.text.try_chips)
    assert all(
        exhibit_panels.source_of(part)[1].startswith("core/") for parts in exhibit.code.values() for part in parts
    )
