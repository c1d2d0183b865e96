"""The room of the next token, driven without a browser."""

from functools import partial
from pathlib import Path

from tests.pages.rooms import clean, linked, text_of

page = partial(linked, str(Path(__file__).resolve().parents[3] / "pages" / "generate" / "next_token.py"))


def test_one_more_forty_more_and_again() -> None:
    test = page().run()
    before = test.slider(key="written").value
    for button, number in (("write-one", before + 1), ("write-reset", 0), ("write-one", 1), ("write-many", 41)):
        clean(test.button(key=button).click().run())
        assert test.slider(key="written").value == number
        assert ("Nothing is written yet" in text_of(test)) == (number == 0)
