"""The room driven without a browser: what is to be guessed, a row set by hand, any text, links, unfinished runs."""

from functools import partial
from pathlib import Path

import pytest

from core.train.experiment import run_experiment
from core.ui.training import live_experiments
from tests.pages.choices import headers
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "before" / "seq2seq.py")
page = partial(linked, PAGE, open="all", depth="numbers")


def test_a_row_of_weights_is_set_and_undone() -> None:
    test = page(align_task="a date", over_task="a date", force_model="without attention").run()
    assert "1987\\-06\\-23" in text_of(clean(test))
    test.slider(key="over_step").set_value(10)
    test.selectbox(key="over_source").set_value(23)
    clean(test.run())
    next(button for button in test.button if button.label == "Evenly").click()
    assert "Step 10 puts 4%" in text_of(clean(test.run()))
    test.slider(key="over_step").set_value(0)
    clean(test.run())
    next(button for button in test.button if button.label == "Undo").click()
    assert "Nothing is set" in text_of(clean(test.run()))


def test_a_text_that_is_too_long_is_cut_in_its_field() -> None:
    test = clean(clean(page(align_reversal="x" * 1000, align_cell="99.99").run()).run())
    assert len(test.text_input(key="align_reversal").value) == 40


def test_what_follows_from_a_row_set_by_hand_is_compared_with_no_second_pass() -> None:
    for link, is_on, row in (({}, False, None), ({"over_row": "3:1" + ",0" * 8}, True, 3)):
        found = [one["edited"] for name, one in headers(clean(page(**link).run())) if name == "matrix"]
        (edited,) = [one for one in found if one]
        assert (edited["is_on"], edited["row"]) == (is_on, row) and "your edit" in edited["why_not"]


def test_an_unfinished_training_and_one_without_attention(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the live view shows after two steps, and dates of a model that has no alignment."""
    asked = {"bottleneck": {"n_step": 100, "d_model": 16}, "dates": {"attention": "none"}}
    begun = {name: run_experiment(name, seed=1, until=2, **options) for name, options in asked.items()}
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: begun[name])
    test = clean(page(race_guess="Just show me", align_task="a date", over_task="a date").run())
    assert "trained without attention" in text_of(test)
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page().run()))
