"""The room of drafts, driven without a browser: it opens with its film, and guesses open the rest."""

from pathlib import Path

import pytest

from tests.pages.rooms import clean, linked, text_of

GUESSES = ("film_guess", "same_guess", "pays_guess", "draft_guess")
pytestmark = pytest.mark.usefixtures("data")
PAGE = str(Path(__file__).resolve().parents[3] / "pages/today/draft_and_verify.py")


def test_the_room_tells_nothing_before_the_guesses_and_all_after() -> None:
    test = clean(linked(PAGE, open="all").run())
    told = text_of(test)
    assert "The first 3 rounds" in told and "passes of the large model instead" not in told
    assert "Make your guess to see the draft's" in told and "A guess costs" not in told
    shown = linked(PAGE, open="all", **dict.fromkeys(GUESSES, "Just show me"))
    told = text_of(clean(shown.run()))
    assert "passes of the large model instead of 48" in told and "The same distribution" in told
    assert "A guess costs" in told and "Distilled" in told


def test_a_text_without_words_is_told() -> None:
    assert "Type at least one word" in text_of(clean(linked(PAGE, film_text="").run()))
