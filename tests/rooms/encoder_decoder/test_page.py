"""The room driven without a browser: its controls, any text, links, trainings that go on."""

from functools import partial
from pathlib import Path

import pytest

from core.train.experiment import run_experiment
from core.ui.training import live_experiments
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "encoder_decoder.py")
page = partial(linked, PAGE, open="all", depth="numbers")
TEXTS = ("back_text", "trans_text", "roles_text", "maps_text", "swap_first", "swap_second", "force_text", "beams_text")


def test_a_smaller_model_while_a_larger_ones_head_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    test = page(trans_film_head="7.7", force_set="x", apps_task="sing").run()
    assert len(clean(test).warning) == 3
    test = clean(page(trans_film_head="1.1", maps_head="1.1").run())
    begun = {"translation": run_experiment("translation", seed=1, until=2, n_layer=1, n_head=1)}
    shown = live_experiments._shown
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: begun.get(name) or shown(name, run))
    told = text_of(clean(test.run()))
    assert "0.0%" in [one.value for one in test.metric] and "Weight on the rings" not in told
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: None)
    assert "no trained model yet" in text_of(clean(page().run()))
