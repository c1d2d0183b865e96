"""What Home says of its sentences is so: the model that ships finds what somebody had."""

import re

import pytest

from core.rooms.home import sentence
from core.ui.exhibit.exhibit_text import load_exhibit_markdown


def likeliest(text: str) -> tuple[str, float]:
    found = sentence.compute(sentence.Inputs(text=text))
    p = found.record.probabilities[-1]
    return found.given.vocabulary[int(p.argmax())].strip(), float(p.max())


def texts() -> list[str]:
    tries = load_exhibit_markdown("home", "sentence").try_chips
    return [one.settings["text"][0] for one in tries if "text" in one.settings]


@pytest.mark.parametrize("thing", ["kite", "hat"])
def test_the_model_is_nearly_certain_and_follows_the_word(thing: str) -> None:
    (text,) = [one for one in texts() if re.search(rf"\b{thing}\b", one)]
    assert text.endswith("It took the")
    word, p = likeliest(text)
    assert word == thing and p > 0.9


def test_the_last_words_alone_do_not_tell_them_apart() -> None:
    """“Counting the last few words could never tell it that”: they are the same in both."""
    kite, hat = ([word for word in text.split() if word not in ("kite", "hat")] for text in texts()[:2])
    assert kite == hat
    assert texts()[0].split()[-8:] == texts()[1].split()[-8:]


def test_the_text_that_it_opens_with_leaves_more_open() -> None:
    assert likeliest(sentence.OPENING)[1] < likeliest(texts()[0])[1]
