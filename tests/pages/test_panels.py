"""Under every picture of the rooms: link, code, numbers and download open without a fault and hold what is shown."""

import io
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.data.csv_table import csv_text
from core.rooms.heads import all_heads, as_lines, attention_rollout, coordinates, one_head, set_a_row, switch_off
from core.rooms.home import sentence
from core.rooms.next_token import distributions, write
from core.ui.frame import exhibit, panels

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[2]
EXHIBITS = {
    all_heads.all_heads: ("pages/attention/heads.py", {}),
    one_head.one_head: ("pages/attention/heads.py", {}),
    as_lines.as_lines: ("pages/attention/heads.py", {}),
    coordinates.coordinates: ("pages/attention/heads.py", {"pair": "3.1"}),
    attention_rollout.attention_rollout: ("pages/attention/heads.py", {}),
    switch_off.switch_off: ("pages/attention/heads.py", {"off": "0.1"}),
    set_a_row.set_a_row: ("pages/attention/heads.py", {"experiment": "Set a row of weights"}),
    distributions.each_token: ("pages/generate/next_token.py", {}),
    distributions.what_comes_next: ("pages/generate/next_token.py", {"temperature": "2"}),
    write.write: ("pages/generate/next_token.py", {}),
    sentence.sentence_through: ("app.py", {}),
}
NAMES = {piece.name: piece for piece in EXHIBITS}


@pytest.mark.parametrize("name", NAMES)
def test_every_panel_opens(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, exhibit.Shown] = {}
    plain = exhibit._footer

    def footer(piece: exhibit.Exhibit, shown: exhibit.Shown, key: str) -> None:
        kept[piece.name] = shown
        plain(piece, shown, key)

    monkeypatch.setattr(exhibit, "_footer", footer)
    path, address = EXHIBITS[NAMES[name]]
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


@pytest.mark.parametrize("name", NAMES)
def test_every_exhibit_says_what_to_look_for_and_what_to_try(name: str) -> None:
    piece = NAMES[name]
    assert piece.look_for.endswith(".")
    assert 2 <= len(piece.try_this) <= 4 and any(len(one) == 2 for one in piece.try_this), "one of them for everybody"
    assert all(do and expect.endswith(".") for do, expect, *_ in piece.try_this)
    assert all(panels.source_of(part)[1].startswith("core/") for part in piece.code)
