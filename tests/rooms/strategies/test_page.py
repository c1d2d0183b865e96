"""The room of strategies, driven without a browser: what the pictures send, and what it says."""

from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.rooms.strategies.side_by_side import DEFAULT_COLUMNS
from tests.pages.rooms import clean, linked, text_of, widget_key

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "generate" / "strategies.py"))


def ask(test: AppTest, text: object) -> AppTest:
    test.session_state[widget_key(test, "strategies.columns")] = {"columns": {"text": text, "given": str(text)[:50]}}
    return clean(test.run())


def asked(test: AppTest) -> str:
    return "".join(test.query_params.get("columns", [DEFAULT_COLUMNS]))


def test_columns_are_added_removed_and_reset_from_the_picture() -> None:
    test = clean(page(columns_n="5", columns="greedy~p0.9s3x").run())
    assert "2 columns were written in one batch" in text_of(test)
    ask(test, "greedy~p0.9s3x~beam2l0.5")
    assert asked(test) == "greedy~p0.9s3x~beam2l0.5"
    assert "Beam 2 ran on its own: 5 passes" in text_of(test)
    ask(test, "beam1")
    assert "written in" not in text_of(test)
    ask(test, "")
    assert asked(test) == DEFAULT_COLUMNS and "5 columns" in text_of(test)
    for forged in (None, 5, ["x"], "~" * 5000, "p9~t0", "<b>"):
        ask(test, forged)
    assert "5 columns" in text_of(test)
