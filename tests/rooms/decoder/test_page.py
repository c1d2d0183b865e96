"""The decoder room as a learner goes through it: a text of one's own, a run on its way, large models."""

from functools import partial
from pathlib import Path

import pytest

from core.rooms.decoder import inputs
from core.train import experiment
from core.ui.training import live_experiments
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "decoder.py")
page = partial(linked, PAGE, open="all")


def test_a_training_on_its_way_and_no_record_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {"norm": "post", "tied": False, "n_step": 60}
    running = experiment.make_experiment("lens", options, 1)
    for step in range(2):
        shown = live_experiments.ExperimentRun(running.record(), options, 1, step, 60, False, False)
        monkeypatch.setattr(live_experiments, "_shown", lambda name, run, shown=shown: shown)
        clean(page(row_model="a small one with tied weights").run())
        running.advance()
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page(row_model="a small one with tied weights").run()))


def test_models_too_large_to_train_here_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "MAX_WEIGHTS", 10)
    told = text_of(clean(page(text="Mia had a red ball.").run()))  # of which nothing is kept from before
    assert "Choose a smaller one" in told and "untrained copy is drawn only for models of at most 10" in told
