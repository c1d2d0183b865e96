"""One budget, many sizes: equal work for all, the law through the best, and one's own runs."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from core.inspect.costs import model_cost
from core.jobs.sweeps.store import Sweeps
from core.rooms.sizes import isoflop
from core.rooms.sizes.compute.isoflop import BUDGETS, NEXT, profile
from core.rooms.sizes.compute.isoflop_runs import KIND, recorded, runs
from core.rooms.sizes.experiments import scaling
from core.train.recipes import Recipe
from core.train.run import TrainRun

ROOT = Path(__file__).resolve().parents[3]
SECRET = "0" * 32
OWNER = hashlib.sha256(b"glassformer owner " + SECRET.encode()).hexdigest()[:32]


def test_all_runs_of_a_budget_have_equally_much_work() -> None:
    vocab_size = scaling.text().tokenizer.vocab_size
    for run in runs():
        per_step = model_cost.training(scaling.config(run.width, vocab_size), scaling.CONTEXT).total * scaling.BATCH
        assert run.n_step * per_step == pytest.approx(run.budget, abs=per_step)


def test_a_profile_finds_the_lowest_point_of_a_parabola_and_none_at_an_end() -> None:
    sizes = np.geomspace(1e3, 1e5, 7)
    losses = np.exp(0.4 + 0.05 * np.log(sizes / 12_000) ** 2)
    law = profile(sizes, losses)
    assert law is not None and law.lowest == pytest.approx(12_000, rel=1e-6)
    assert profile(sizes, np.sort(losses)) is None, "it only rises: the best may be smaller than all"
    assert profile(sizes[:3], losses[:3]) is None


def test_a_recorded_run_is_what_its_code_gives() -> None:
    i = next(i for i, run in enumerate(runs()) if run.budget == 4e9 and run.width == 48)
    run = TrainRun(Recipe.from_dict(runs()[i].recipe()), 0, device="cpu")
    run.advance()
    assert run.final_val_loss == pytest.approx(recorded()[i], abs=0.03)


def test_what_the_words_say_of_the_recorded_runs() -> None:
    shown = isoflop.compute(isoflop.Inputs(guess="three"))
    assert shown.predicted is not None and shown.landed is not None and shown.exponent is not None
    assert 0.5 < shown.exponent < 0.73, "between Hoffmann's and Kaplan's"
    assert shown.predicted[0].holds(shown.landed.size)
    assert shown.landed.loss > shown.predicted[1].high, "no text can be guessed without any surprise"
    assert shown.guess_result.endswith("The answer: about three times as large.")
    hidden = isoflop.compute(isoflop.Inputs())
    assert hidden.landed is None and hidden.guess_result == "" and NEXT not in hidden.table()["multiply-adds"]


def test_while_runs_come_in_what_is_there_is_shown() -> None:
    for n in range(len(runs()) + 1):
        some = isoflop.compute(isoflop.Inputs(guess="show", losses=recorded()[:n] + (None,) * (len(runs()) - n)))
        assert len(some.dots) == n and len(some.best) <= len(BUDGETS) + 1
        assert (some.laws is None) == (len([one for one in some.best if one.budget != NEXT]) < 3)


def test_the_button_queues_all_and_one_goes_back_to_the_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.session_state["_owner_of_this_session"] = SECRET
    app.run()
    app.switch_page("pages/families/sizes.py")
    app.query_params["only"] = "isoflop"
    app.run()
    app.button(key="isoflop-train").click().run()
    assert not app.exception
    (sweep,) = Sweeps().sweeps(OWNER, KIND)
    assert [run.n_step for run in Sweeps().runs_of(sweep.id)] == [run.n_step for run in runs()]
    app.button(key="isoflop-back").click().run()
    assert not app.exception and Sweeps().sweeps(OWNER, KIND) == []
    assert "isoflop-train" in {one.key for one in app.button}, "the example stands there again"
