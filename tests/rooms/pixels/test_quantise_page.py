"""The photograph in few colors, driven without a browser: every control, links, pictures of any shape and color."""

from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.data import images
from core.inspect.reading.pictures import Picture, photograph
from core.rooms.pixels import quantise
from core.ui.widgets import picture
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ALONE = """
from core.rooms.pixels import ROOM
ROOM.show("quantise")
"""


@pytest.fixture
def page(tmp_path: Path) -> Any:
    file = tmp_path / "alone.py"
    file.write_text(ALONE)
    return partial(linked, str(file))


def test_opens_with_a_result_and_every_control_works_at_both_ends(page: Any) -> None:
    test = clean(page().run())
    told = text_of(test)
    assert "is off by **9.3** of 255" in told and "**4 bits** instead of 24" in told
    assert "10,880 together 43,520 instead of 261,120" in told and "16 × 24 = 384 bits, once" in told
    assert "reduced from 640 × 427" in told
    assert "**1,024 tokens and the start token**" in told and "16 + 1 = 17 different ids" in told
    assert "513 ids to read, 512 to write" in told and "3,072 tokens" in told
    for n_color, source in ((2, quantise.EVEN), (512, quantise.BOTH), (512, quantise.OTHER)):
        test.button_group(key="quantise_colors").set_value(n_color)
        test.button_group(key="quantise_from").set_value(source)
        clean(test.run())
        bits = {2: 1, 512: 9}[n_color]
        assert f"**{bits} bits** instead of 24" in text_of(test) and f"{n_color} + 1 = {n_color + 1}" in text_of(test)
    assert not test.warning


def test_links_are_checked(page: Any) -> None:
    test = clean(page(quantise_colors="511", quantise_from="everything", quantise_seed="-1").run())
    assert test.warning and "**4 bits** instead of 24" in text_of(test)


def of(pixels: Any) -> Picture:
    return Picture(f"test-{pixels.shape}-{int(pixels.sum())}", "upload", pixels, None)


ODD = {
    "one pixel": np.full((1, 1, 3), 7, np.uint8),
    "a line": np.arange(1024 * 3, dtype=np.uint32).astype(np.uint8).reshape(1, 1024, 3),
    "a post": np.arange(1024 * 3, dtype=np.uint32).astype(np.uint8).reshape(1024, 1, 3),
    "all white": np.full((300, 200, 3), 255, np.uint8),
    "pure red": np.broadcast_to(np.array([255, 0, 0], np.uint8), (40, 50, 3)),
    "five grays": np.repeat(np.arange(0, 250, 50, dtype=np.uint8), 60).reshape(10, 30, 1).repeat(3, 2),
}


@pytest.mark.parametrize("name", ODD)
def test_pictures_of_any_shape_and_color(page: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(picture, "ask_photograph", lambda **given: of(ODD[name]))
    told = text_of(clean(page().run()))
    n_distinct = len(np.unique(ODD[name].reshape(-1, 3), axis=0))
    if n_distinct <= 16:
        assert "Nothing is lost" in told
        assert f"It has only {n_distinct} color" in told
    assert "1,024 tokens" in told


def test_no_picture_no_result(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "ask_photograph", lambda **given: None)
    test = clean(page().run())
    assert "A channel (red, green or blue) is off" not in text_of(test) and not test.get("bidi_component")


# --- what the texts say ----------------------------------------------------------------------------------------------


def rounded(name: str, n_color: int = 16) -> quantise.Result:
    return quantise.compute(quantise.Inputs(picture=photograph(name), n_color=n_color))


@pytest.fixture(scope="module")
def roots() -> dict[str, dict[str, list[float]]]:
    """Photograph -> palette -> the error for each number of colors."""
    return {name: rounded(name).roots for name in images.PHOTOGRAPHS}


def test_what_a_doubling_takes_off(roots: dict[str, dict[str, list[float]]]) -> None:
    for name in images.PHOTOGRAPHS:
        own = roots[name][quantise.OWN]
        taken = [1 - after / before for before, after in pairwise(own)]
        assert taken[0] > 1 / 3  # "more than a third of the error at first"
        assert all(0.22 < one < 0.28 for one in taken[-4:])  # "later about a quarter"


def test_which_of_four_palettes_of_512_colors_is_best(roots: dict[str, dict[str, list[float]]]) -> None:
    for name in images.PHOTOGRAPHS:
        own, both, other, evenly = (roots[name][source][-1] for source in quantise.LABELS)
        assert own < both < 1.35 * own  # "comes close"
        assert evenly > 3 * both
        assert other > 1.3 * evenly  # "worse than colors that know nothing"


def test_the_red_of_the_columns_has_to_make_do_with_brown() -> None:
    few, many = rounded("china"), rounded("china", 512)
    before = few.small.pixels.astype(int)
    redness = before[..., 0] - before[..., 1:].max(-1)
    reddest = redness > 60
    assert reddest.mean() < 0.03

    def left(result: quantise.Result) -> float:
        after = result.chosen.pixels.astype(int)[reddest]
        return float((after[:, 0] - after[:, 1:].max(-1)).mean() / redness[reddest].mean())

    assert left(few) < 0.8 < 0.97 < left(many)
