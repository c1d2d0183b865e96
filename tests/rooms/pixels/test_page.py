"""The room Pixels, driven without a browser: its exhibits answer their controls and say what they lack."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.costs.layer_cost import LayerTiming
from core.inspect.model_inputs.input_pictures import InputPicture
from core.rooms.pixels.quadratic import patch_tokens, picture_cost, pixel_tokens
from core.ui.training import layer_timer, live_experiments
from core.ui.widgets import picture_inputs
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")
PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "images" / "pixels.py")


def shown(name: str) -> AppTest:
    """One exhibit without the rest of the room."""
    return clean(
        AppTest.from_string(f'from core.rooms.pixels import ROOM\nROOM["{name}"].show()', default_timeout=60).run()
    )


@pytest.mark.parametrize(
    ("gone", "told"), [("pixels", "There is no trained model yet"), ("digits", "Nothing here can recognize the digits")]
)
def test_without_trained_models_it_says_so(gone: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = live_experiments._shown
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: None if name == gone else real(name, run))
    assert text_of(clean(linked(PAGE, open="all").run())).count(told) >= 2


def test_n_squared_in_numbers() -> None:
    test = shown("quadratic")
    test.selectbox(key="quad_width").set_value("large")
    test.button_group(key="quad_count").set_value("bytes")
    told = text_of(clean(test.run()))
    for side, size in ((48, "340 MB"), (64, "1.07 GB"), (224, "161 GB")):
        assert f"| {side} × {side} | {pixel_tokens(side):,} | {size} |" in told
    for patch_size, side in ((4, 16), (16, 512)):
        test.button_group(key="quad_patch").set_value(patch_size)
        test.selectbox(key="quad_side").set_value(side)
        told = text_of(clean(test.run()))
        assert f"{patch_tokens(side, patch_size):,} tokens" in told
        assert f"{picture_cost(pixel_tokens(side), 8, 1).pairs:,} pairs" in told


def test_a_measurement_is_carried_on_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = [LayerTiming(n, 1e-4 + 1e-6 * n + 1e-8 * n**2, 3) for n in (64, 197, 256, 400, 900, 1_600, 1_936)]
    flat = [LayerTiming(n, 1e-6 * n, 1) for n in (64, 144, 256)]
    test = shown("quadratic")
    for timed, words in (
        (exact, ("Measured, one block 64 wide", "is the median of 3 passes", "40.3 GB",
                 "**25.2 s** in each block, 26 times beyond",
                 "197 tokens, it takes 0.685 ms, measured: some 40,000 times less")),
        (flat, ("nothing to carry on",)),
    ):  # fmt: skip
        monkeypatch.setattr(layer_timer, "time_layer_with_bar", lambda *sizes, timed=timed, **how: timed)
        test.button(key="quad-measure").click()
        told = text_of(clean(test.run())).replace("\\", "")
        assert all(one in told for one in words)


@pytest.mark.parametrize(
    "pixels",
    [
        np.full((1, 1, 3), 7, np.uint8),
        np.arange(1024 * 3, dtype=np.uint32).astype(np.uint8).reshape(1024, 1, 3),
        np.repeat(np.arange(0, 250, 50, dtype=np.uint8), 60).reshape(10, 30, 1).repeat(3, 2),
        None,
    ],
    ids=["one pixel", "a post", "five grays", "no picture"],
)
def test_pictures_of_any_shape_and_color(pixels: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    found = None if pixels is None else InputPicture(f"test-{pixels.shape}", "upload", pixels, None)
    monkeypatch.setattr(picture_inputs, "pick_photograph", lambda **given: found)
    test = shown("quantise")
    told = text_of(test)
    assert ("1,024 tokens" in told) == bool(test.get("bidi_component")) == (pixels is not None)
    n_distinct = 0 if pixels is None else len(np.unique(pixels.reshape(-1, 3), axis=0))
    assert ("Nothing is lost" in told) == (f"It has only {n_distinct} color" in told) == (0 < n_distinct <= 16)
