"""The room of beam search, driven without a browser: one probability changed."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms.beam import truth
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "generate" / "beam.py")
page = partial(linked, PAGE)


def test_one_probability_is_changed_for_every_word_and_put_back() -> None:
    test = page().run()
    before = text_of(test)
    test.toggle(key="truth_change").set_value(True)
    clean(test.run())
    for start, word, p in (
        (list(truth.PREFIXES)[-1], "the", 1.0),
        (list(truth.PREFIXES)[4], ".", 0.0),
        ("a", "sings", 1.0),
    ):
        test.selectbox(key="truth_after").set_value(start)
        test.selectbox(key="truth_word").set_value(word)
        test.slider(key="truth_p").set_value(p)
        clean(test.run())
    assert text_of(test) != before
    test.toggle(key="truth_change").set_value(False)
    assert text_of(clean(test.run())) == before
