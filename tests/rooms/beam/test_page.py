"""The room of beam search, driven without a browser: every control to both ends, links, any text, other models."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms.beam import ROOM, truth
from core.ui.text import escape_markdown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
PAGE = str(ROOT / "pages" / "generate" / "beam.py")
page = partial(linked, PAGE)


def test_every_control_goes_to_both_ends() -> None:
    test = clean(page().run())
    titles = [one.value for one in test.subheader]
    assert titles == [escape_markdown(one.exhibit().title) for one in ROOM.exhibits]
    assert not test.warning
    for low in (True, False):
        for name in ("beam_b", "beam_steps", "beam_penalty", "truth_penalty", "short_b"):
            slider = test.slider(key=name)
            slider.set_value(slider.min if low else slider.max)
        test.toggle(key="short_ends").set_value(low)
        test.toggle(key="truth_change").set_value(True)
        test.button_group(key="beam_end").set_value("none" if low else "line")
        test.button_group(key="beam_rule").set_value("full" if low else "never")
        test.number_input(key="short_seed").set_value(0 if low else 2**31 - 1)
        test.number_input(key="truth_seed").set_value(0 if low else 2**31 - 1)
        clean(test.run())
        assert "1 step asked the model about 1 text and" in text_of(test) if low else "12 steps" in text_of(test)
    assert "The settings have changed since this was trained" in text_of(test)


def test_one_probability_is_changed_for_every_word_and_put_back() -> None:
    test = page().run()
    before = text_of(test)
    test.toggle(key="truth_change").set_value(True)
    clean(test.run())
    for start, word, p in (
        (list(truth.STARTS)[-1], "the", 1.0),
        (list(truth.STARTS)[4], ".", 0.0),
        ("a", "sings", 1.0),
    ):
        test.selectbox(key="truth_after").set_value(start)
        test.selectbox(key="truth_word").set_value(word)
        test.slider(key="truth_p").set_value(p)
        clean(test.run())
    assert text_of(test) != before
    test.toggle(key="truth_change").set_value(False)
    assert text_of(clean(test.run())) == before


@pytest.mark.parametrize(
    "address",
    [
        {"beam_b": "99", "beam_steps": "-1", "beam_penalty": "nan", "beam_end": "<b>", "beam_rule": ""},
        {"truth_seed": "1e309", "truth_penalty": "x", "truth_change": "true", "truth_p": "7", "truth_after": "zzz"},
        {"truth_change": "true", "truth_word": "../x", "short_b": "0", "short_seed": "-1", "short_ends": "maybe"},
    ],
)
def test_hostile_links_are_refused_in_words_and_the_page_goes_on(address: dict[str, str]) -> None:
    test = clean(page(**address).run())
    assert test.warning
    assert "Of **19,608** texts" in text_of(test)


def test_any_text() -> None:
    test = page().run()
    for text in ("🦎 \u202e$x$ <b>|", "Tom " * 250, "."):
        test.text_area(key="text").set_value(text)
        clean(test.run())
        assert "candidates; greedy" in text_of(test)
    test.text_area(key="text").set_value("")
    assert "The text is empty" in text_of(clean(test.run()))


def test_every_link_opens_on_what_it_names() -> None:
    test = clean(page(beam_b="5", beam_steps="3", truth_penalty="1.0", short_b="2").run())
    assert (test.slider(key="beam_b").value, test.slider(key="beam_steps").value) == (5, 3)
    assert "3 steps asked" in text_of(test)
    assert "| B | without an end token | with one |" in text_of(test)
    assert "**2**" in text_of(test)
