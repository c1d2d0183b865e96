"""The room of positions, driven without a browser: any sentence, orders by hand, links, models of every scheme."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.browser.message_packing import unpack_message
from core.nn.positions import sinusoidal
from core.ui.models import model_folders
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "attention" / "positions.py"))


def test_a_link_moves_the_clock_and_the_pair() -> None:
    test = clean(page(clock="12.3.1", rotary="20.11").run())
    formulas = " ".join(one.value for one in test.latex)
    assert r"\frac{12}{10000^{2/16}}" in formulas
    assert "score}(20, 11)" in formulas
    sent = [unpack_message(one.proto.bytes) for one in test.get("bidi_component") if one.proto.bytes]
    header, arrays = next(one for one in sent if one[0].get("widget") == "clock")
    np.testing.assert_array_equal(arrays["table"], sinusoidal(64, 16).numpy())
    assert (header["n_position"], header["width"]) == (64, 16)
    assert header["at"] == {"position": 12, "distance": 3, "pair": 1}


def test_without_the_example_another_model_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model_folders, "SHIPPED_MODELS", tmp_path)
    model_folders.shipped_model_titles.clear()  # type: ignore[attr-defined]
    assert "Mean cosine of two neighbors" in text_of(clean(page(open="all").run()))  # the tests' own learned them
    model_folders.shipped_model_titles.clear()  # type: ignore[attr-defined]
