"""Training, completing and the two orders in the room of the pixels, driven without a browser."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms.pixels import ROOM
from core.ui.text import escape_markdown
from core.ui.training import live
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "images" / "pixels.py")
page = partial(linked, PAGE)


def test_opens_with_a_result_and_every_control_works_at_both_ends() -> None:
    test = clean(page().run())
    titles = [escape_markdown(ROOM[name].exhibit().title) for name in ("training", "complete", "orders")]
    assert [one.value for one in test.subheader if one.value in titles] == titles
    told = text_of(test)
    assert "bits** per pixel row by row" in told and "Over **all 360** held-out digits" in told
    assert escape_markdown("Guess first; then you'll see what was measured.") in told and "A whole picture:" not in told
    test.segmented_control(key="orders_guess").set_value("ngram")
    clean(test.run())
    assert "You guessed: the n-grams more." in text_of(test) and "A whole picture:" in text_of(test)
    for low in (True, False):
        for name in ("fill_rows", "fill_temperature", "fill_top_k", "orders_columns", "orders_temperature"):
            slider = test.slider(key=name)
            slider.set_value(slider.min if low else slider.max)
        for name in ("fill_seed", "orders_seed"):
            test.number_input(key=name).set_value(0 if low else 2**31 - 1)
        clean(test.run())
        assert ("top-k 16 cuts nothing" in text_of(test)) is not low
    assert "Over **all 360**" not in text_of(test)
    test.toggle(key="fill_measure").set_value(True)
    clean(test.run())
    assert "one completion of each from the upper 7 rows" in text_of(test)


def test_a_link_opens_as_it_says_and_a_wrong_one_falls_back() -> None:
    test = clean(page(fill_rows="0", fill_temperature="0", orders_guess="Just show me", fill_digit="350").run())
    assert test.slider(key="fill_rows").value == 0 and "A whole picture:" in text_of(test)
    assert "recognized as" in text_of(test)
    test = clean(
        page(fill_rows="9", fill_temperature="-1", orders_guess="<b>", train_levels="17", fill_top_k="x").run()
    )
    assert test.slider(key="fill_rows").value == 4 and len(test.warning) == 5


def test_without_trained_models_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = live.current
    for gone, told in (
        ("pixels", "There is no trained model yet"),
        ("digits", "Nothing here can recognize the digits"),
    ):
        monkeypatch.setattr(live, "current", lambda name, gone=gone: None if name == gone else real(name))
        assert text_of(clean(page().run())).count(told) >= 2
