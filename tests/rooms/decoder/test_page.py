"""The decoder room as a learner goes through it: a text of one's own, a run on its way, large models."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.rooms.decoder import inputs, leak, unembed
from core.train import experiment
from core.ui.training import experiments
from tests.pages.choices import sent, shown
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "decoder.py")
page = partial(linked, PAGE, open="all")


def test_a_text_of_ones_own() -> None:
    test = page(depth="numbers").run()
    for text, says in (
        ("Tom and", "Of the 0 positions"),
        ("Tom", "one token"),
        ("", "The text is empty"),
        ("a " * 500, "last 14 are used"),
    ):
        test.text_area(key="text").set_value(text)
        assert says in text_of(clean(test.run()))
    test = page(depth="numbers", leak_place="13").run()
    test.selectbox(key="adam_weight").set_value("tok_emb.weight")
    for word in ("bench", " bench", "Ben"):  # the stories model knows “bench” only with the space before it
        test.text_input(key="leak_into").set_value(word)
        told = text_of(clean(test.run()))
        assert f"becomes “{word.strip()}”" in told
    assert "Of the 13 positions before it, **0** notice with the mask, and **13** without" in told


def test_each_position_has_its_own_row_and_each_changed_token_its_own_leak() -> None:
    """All positions are sent at once: where the choices stand, the pictures must show what the exhibits compute."""
    for place in (4, 13):
        test = clean(page(depth="numbers", row_place=str(place), leak_place=str(place)).run())
        read = unembed.compute(unembed.Inputs(place=place))
        header, arrays = shown(sent(test, "unembed"), test)
        assert header["tokens"] == [read.words[i] for i in read.row.shown] and header["truth"] == read.came
        rows = arrays["rows"][: len(header["tokens"])] @ arrays["hidden"] + arrays["biases"][: len(header["tokens"])]
        np.testing.assert_allclose(rows, read.row.logits[read.row.shown], atol=1e-4)
        assert ("is what came next" in text_of(test)) == (place < 13)
        found = leak.compute(leak.Inputs(place=place))
        assert f"**0** notice with the mask, and **{found.leaks[False].n_noticed[place]}** without" in text_of(test)
        assert f"becomes “{found.put_in[place].strip()}”. Of the {place} positions before it" in text_of(test)


def test_the_small_model_goes_on_with_any_text() -> None:
    test = page(depth="numbers").run()
    for text, says in (
        ("", "at least one word"),
        ("🙂 zebra <b>*x*", "t know “🙂”"),
        ("Tom", "The example that ships"),
    ):
        test.text_input(key="tell_text").set_value(text)
        for when in ("before", "after"):
            test.button_group(key="tell_model").set_value(when)
            assert says in text_of(clean(test.run()))


def test_a_training_on_its_way_and_no_record_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"norm": "post", "tied": False, "n_step": 60}
    running = experiment.start("lens", options, 1)
    for step in range(2):
        shown = experiments.Live(running.record(), options, 1, step, 60, False, False)
        monkeypatch.setattr(experiments, "_shown", lambda name, run, shown=shown: shown)
        clean(page(row_model="a small one with tied weights").run())
        running.advance()
    monkeypatch.setattr(experiments, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page(row_model="a small one with tied weights").run()))


def test_models_too_large_to_train_here_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MOST_WEIGHTS", 10)
    told = text_of(clean(page(text="Mia had a red ball.").run()))  # of which nothing is kept from before
    assert "Choose a smaller one" in told and "untrained copy is drawn only for models of at most 10" in told
