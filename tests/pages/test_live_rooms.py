"""The contest and the cheating model on their pages: the guess first."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.rooms import clean, text_of

ROOT = Path(__file__).resolve().parents[2]
CONTEST = """
from core.rooms.positions import ROOM
from core.ui.training import experiments
ROOM.show("contest")
"""
CHEATING = """
from core.rooms.masks import ROOM
from core.ui.training import experiments
ROOM.show("train-without")
"""


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))


def opened(script: str, **address: str) -> AppTest:
    test = AppTest.from_string(script, default_timeout=30)
    for name, value in address.items():
        test.query_params[name] = value
    return clean(test.run())


def test_the_contest_asks_before_it_tells() -> None:
    test = opened(CONTEST)
    assert "Make your guess" in text_of(test) and "no such position" not in text_of(test)
    clean(test.button_group(key="contest_guess").set_value("rotary").run())
    assert "You guessed: rotary. The answer: relative (T5), with 99%." in text_of(test)
    assert "no such position" in text_of(test)
    clean(test.button_group(key="contest_guess").set_value("show").run())
    assert "Best beyond the trained length: relative (T5)" in text_of(test)


def test_cheating_asks_before_it_tells() -> None:
    test = opened(CHEATING)
    assert "made your guess" in text_of(test) and test.code[1].value == "?"
    test.button_group(key="gf-panel-train-without").set_value("Numbers")
    assert not clean(test.run()).dataframe
    clean(test.button_group(key="cheat_guess").set_value("higher").run())
    assert "You guessed: higher. The answer: much lower." in text_of(test)
    assert test.code[1].value != "?"
    assert "without the mask" in test.dataframe[0].value
    clean(test.button_group(key="cheat_view").set_value("heads").run())
    assert len([one for one in test.get("bidi_component") if one.key.startswith("cheat.")]) == 2
