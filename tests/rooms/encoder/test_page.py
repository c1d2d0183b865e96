"""The room driven without a browser: what it tells at first, any text, links, trainings that go on."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core.exhibit import MAX_SEED
from core.rooms.encoder import inputs
from core.train.experiment import run_experiment
from core.ui.training import live_experiments
from tests.pages.rooms import clean, linked, text_of

pytestmark = pytest.mark.usefixtures("data")

PAGE = str(Path(__file__).resolve().parents[3] / "pages" / "families" / "encoder.py")
page = partial(linked, PAGE, open="all", depth="numbers")
GAP_TEXTS, OWN_TEXTS = ("gap_text", "two_text", "dir_text"), ("tune_text", "class_text", "entity_text")
OWN = dict.fromkeys(("tune_review", "class_review", "entity_sentence"), inputs.OWN_REVIEW_CHOICE)


def test_after_the_largest_seed_comes_the_first() -> None:
    test = clean(page().run())
    for seed, rolled in ((0, 1), (MAX_SEED, 0)):
        test.number_input(key="lab_seed").set_value(seed)
        next(button for button in clean(test.run()).button if button.label == "Roll again").click()
        assert clean(test.run()).number_input(key="lab_seed").value == rolled


@pytest.mark.parametrize("n", [1, 3])
def test_trainings_that_have_just_begun(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {name: run_experiment(name, seed=1, until=n, n_step=4) for name in ("finetune", "entities")}
    runs["masked"] = run_experiment("masked", seed=3, until=0)
    real = live_experiments._shown
    for name, run in runs.items():
        runs[name] = replace(run, is_running=True)
    monkeypatch.setattr(live_experiments, "_shown", lambda name, run: runs.get(name) or real(name, run))
    told = text_of(clean(page().run()))
    assert "At step 0: a loss of 5." in told
    assert ("The labels come after" in told) == (n < 2) == ("tuned model yet" in told)
