"""Under every picture of the rooms: link, code, numbers and download open without a fault and hold what is shown."""

import io
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data.csv_table import csv_text
from core.rooms import exhibits
from core.ui.frame import exhibit, panels

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[2]
EXHIBITS: dict[str, tuple[str, dict[str, str]]] = {
    "heads.all-heads": ("pages/attention/heads.py", {}),
    "heads.one-head": ("pages/attention/heads.py", {}),
    "heads.as-lines": ("pages/attention/heads.py", {}),
    "heads.coordinates": ("pages/attention/heads.py", {"pair": "3.1"}),
    "heads.attention-rollout": ("pages/attention/heads.py", {}),
    "heads.switch-off": ("pages/attention/heads.py", {"off": "0.1"}),
    "heads.set-a-row": ("pages/attention/heads.py", {"experiment": "Set a row of weights"}),
    "next-token.each-token": ("pages/generate/next_token.py", {}),
    "next-token.what-comes-next": ("pages/generate/next_token.py", {"temperature": "2"}),
    "next-token.write": ("pages/generate/next_token.py", {}),
    "home.sentence-through": ("app.py", {}),
}


@pytest.mark.parametrize("name", EXHIBITS)
def test_every_panel_opens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, exhibit.Shown] = {}
    plain = exhibit._footer

    def footer(piece: exhibit.Exhibit, shown: exhibit.Shown, key: str) -> None:
        kept[piece.name] = shown
        plain(piece, shown, key)

    monkeypatch.setattr(exhibit, "_footer", footer)
    (path, address), name = EXHIBITS[name], name.partition(".")[2]
    test = AppTest.from_file(str(ROOT / path), default_timeout=30)
    for key, value in address.items():
        test.query_params[key] = value
    test.run()
    for panel in ("Link", "Code", "Numbers", "Download"):
        test.button_group(key=f"panel-{name}").set_value(panel)
        test.run()
        assert not test.exception, panel
        assert not [error.value for error in test.error], panel
    shown = kept[name]
    table = panels.table_of(shown)
    assert table is not None
    assert len(table) > 0
    assert csv_text(panels.value(shown.numbers)).count("\n") > len(table)
    arrays = np.load(io.BytesIO(panels.arrays_as_npz(panels.value(shown.arrays))))
    assert len(arrays.files) >= 1


@pytest.mark.parametrize("name", EXHIBITS)
def test_every_exhibit_says_what_to_look_for_and_what_to_try(name: str) -> None:
    piece = exhibits()[name].exhibit()
    assert piece.look_for.endswith(".")
    assert 2 <= len(piece.try_this) <= 4 and any(len(one) == 2 or one[2] == "story" for one in piece.try_this), (
        "one of them for everybody"
    )
    assert all(do and expect.endswith(".") for do, expect, *_ in piece.try_this)
    assert all(panels.source_of(part)[1].startswith("core/") for part in piece.code)
