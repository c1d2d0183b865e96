"""The room driven without a browser: every cell, wide and deep nets, replaced words, settings, a growing run."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from core.inspect.model_inputs.model_and_text import load_model_and_text
from core.rooms.recurrent import unrolled
from core.rooms.recurrent.compute.recurrent import LETTER_MEANINGS
from core.train.experiment import run_experiment
from core.ui.training import live_experiments
from tests.pages.choices import sent, shown, told as choices_of
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

ROOT = Path(__file__).resolve().parents[3]
page = partial(linked, str(ROOT / "pages" / "before" / "recurrent.py"))
guessed = partial(page, remember_guess="Just show me")


@pytest.mark.parametrize(("cell", "parts"), [("rnn", ""), ("lstm", "cfigo"), ("gru", "rzn")])
def test_every_cell_shows_all_its_parts_and_a_step_that_is_the_models_own(cell: str, parts: str) -> None:
    test = clean(guessed(model=f"stories-{cell}").run())
    assert ("unroll_part" in choices_of(test)) == bool(parts)
    seen = unrolled.compute(
        unrolled.Inputs(given=load_model_and_text(f"stories-{cell}", unrolled.Inputs().given.encoded.text))
    ).seen
    for part in parts:  # all are sent at once: the map shows the one that is chosen
        at = clean(guessed(model=f"stories-{cell}", unroll_part=f"{part}: {LETTER_MEANINGS[part]}").run())
        header, arrays = shown(sent(at, "matrix"), at)
        np.testing.assert_array_equal(arrays["values"], seen.parts[part][-1][:, list(map(int, header["rows"]))].T)
        assert header["label"].startswith(f"{LETTER_MEANINGS[part].capitalize()} {part} of 12")
    test.slider(key="unroll_token").set_value(29)
    clean(test.slider(key="unroll_unit").set_value(47).run())
    told = text_of(test)
    assert "Unit 47 reads" in told and "the start, all zeros" not in told
    assert ("there is no second picture" in told) is (cell == "rnn")
    fresh = page(model=f"stories-{cell}", unroll_order="by number").run()
    clean(test.button_group(key="unroll_order").set_value("number").run())
    for control in ("unroll_unit", "unroll_token"):  # a link leaves out what is as at the start
        assert test.slider(key=control).value == fresh.slider(key=control).value


def test_a_record_that_is_still_growing_is_drawn_and_none_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (0, 7):
        begun = replace(run_experiment("remember", seed=3, until=step, furthest=10, n_step=20), is_running=True)
        for name in ("train_experiment_on_click", "shown_run"):
            monkeypatch.setattr(live_experiments, name, lambda *_, begun=begun, **__: begun)
        told = text_of(clean(page(remember_guess="both nets with gates", forget_models="Trained").run()))
        assert f"After step {step}" in told and "You guessed" not in told  # 20 was not trained
    for name in ("train_experiment_on_click", "shown_run"):
        monkeypatch.setattr(live_experiments, name, lambda *_, **__: None)
    assert "There is no trained model yet" in text_of(clean(page(forget_models="Trained").run()))
