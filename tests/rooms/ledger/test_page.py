"""The ledger's room as a learner goes through it: examples, guesses, sentences of every kind."""

from functools import partial
from pathlib import Path

import pytest

from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "before" / "ledger.py")
page = partial(linked, PAGE)


def test_opens_with_its_examples_and_keeps_what_is_to_be_guessed() -> None:
    test = clean(page().run())
    told = text_of(test)
    assert "the loss of the 5-gram is" in told and "once you've made your guess" in told
    assert "does not pass it" not in told
    assert [button.label for button in test.button] == ["Train both nets", "Train the nets"]
    test.button_group(key="budget_guess_real").set_value("never")
    assert "does not pass it" in text_of(clean(test.run()))
    test.button_group(key="budget_axis").set_value("seconds")
    assert "counting all five takes" in text_of(clean(test.run()))
    test.button_group(key="budget_text").set_value("stories")
    clean(test.run()).button_group(key="budget_guess_stories").set_value("every")
    assert "You guessed: at every amount. The answer: at every amount." in text_of(clean(test.run()))


def test_sentences_of_ones_own() -> None:
    test = clean(page(ledger_sentence="your own", ledger_smoothing="none").run())
    assert "settings have changed" not in text_of(test)
    for sentence, says in (
        ("", "is empty"),
        ("I saw a dog.", "“saw”, “a”, “dog”"),
        ("word " * 30, "t know “word”. Each"),  # with and without the space: one word to a reader
        ("it " * 60, "lines of 20. Its last 20 are used"),
        ("q w r t y p s d", "“y” and 3 more. Each"),
    ):
        test.text_input(key="ledger_own_water").set_value(sentence)
        assert says in text_of(clean(test.run())).replace("\\", "")
    test.button_group(key="ledger_steps_water").set_value(1_500)
    assert "settings have changed" in text_of(clean(test.run()))
    test.button_group(key="ledger_source").set_value("topics")
    clean(test.run()).text_input(key="ledger_own_topics").set_value("word " * 39)
    told = text_of(clean(test.run())).replace("\\", "")
    assert "more than 48 columns cannot be read. Its last 48 are used" in told
