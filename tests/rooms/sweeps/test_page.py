"""The page of sweeps: what is asked for is what is queued, whatever is typed; others' sweeps can only be looked at."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.jobs.sweeps.sweep_store import SweepStore
from core.rooms.sweeps.space import SWEEP_KIND, SweepRequest, queue_sweep
from core.ui.training.choices_to_recipe import TrainingChoices
from tests.rooms.run_pages import OWNER, checked, keys, opener, texts

REQUEST = SweepRequest(
    base=TrainingChoices(corpus="bottle-and-cup", tokenizer="word", d_model=16, n_head=1, n_layer=1, context_length=16),
    values={"d_model": (8, 16), "seed": (0, 1)},
)


@pytest.fixture
def sweeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SweepStore:
    monkeypatch.setenv("GLASSFORMER_DATA", str(tmp_path))
    return SweepStore()


@pytest.fixture
def page(sweeps: SweepStore) -> Callable[..., AppTest]:
    return opener("pages/train/sweeps.py")


def test_a_click_queues_what_was_asked_for_and_a_double_click_is_one_wish(
    page: Callable[..., AppTest], sweeps: SweepStore
) -> None:
    app = page(steps="160", stop_early="a quarter goes on")
    assert "Best of 48" in texts(app), "the recorded one stands there"
    assert "All 15 train 40 steps; then the best 4 to 160." in texts(app)
    checked(app.button(key="sweep-start").click().run())
    checked(app.button(key="sweep-start").click().run())
    (sweep,) = sweeps.sweeps(OWNER, SWEEP_KIND)
    runs = sweeps.runs_of(sweep.id)
    assert app.query_params["sweep"] == sweep.id and sweep.rungs == ((40, 15), (160, 4))
    assert {(run.recipe["learning_rate"], run.recipe["model"]["d_model"]) for run in runs} == {
        (rate, width) for rate in (0.003, 0.01, 0.03, 0.1, 0.3) for width in (16, 32, 64)
    }
    assert "No run is done yet" in texts(app) and {"sweep-pause", "sweep-delete"} <= keys(app)
    checked(app.button(key="sweep-pause").click().run())
    assert {run.state for run in sweeps.runs_of(sweep.id)} == {"paused"}
    checked(app.button(key="sweep-on").click().run())
    assert {run.state for run in sweeps.runs_of(sweep.id)} == {"queued"}
    checked(app.button(key="sweep-delete").click().run())
    assert sweeps.sweeps(OWNER, SWEEP_KIND) == [] and "Best of 48" in texts(app)


def test_what_cannot_be_is_refused_in_words_and_nothing_is_lost(
    page: Callable[..., AppTest], sweeps: SweepStore
) -> None:
    app = page()
    for typed, why in (("0.1", "2 to 12 different values"), ("0.1, <b>x", "is no number"), ("", "2 to 12")):
        checked(app.text_input(key="learning_rate_values").set_value(typed).run())
        assert why in texts(app) and app.button(key="sweep-start").disabled
        assert app.text_input(key="learning_rate_values").value == typed
    many = ", ".join(str(n / 100) for n in range(1, 13))
    checked(app.text_input(key="learning_rate_values").set_value(many).run())
    app = page(vary=["learning_rate", "d_model", "n_layer"], learning_rate_values=many,
               d_model_values="4, 8, 12, 16, 20, 24, 28, 32", n_layer_values="1, 2, 3, 4, 5, 6")  # fmt: skip
    assert "576 combinations" in texts(app) and app.button(key="sweep-start").disabled
    app = page(vary=["n_head", "n_layer"], n_head_values="5, 7", size="Tiny")
    assert "must divide the width" in texts(app)
    assert sweeps.sweeps(OWNER, SWEEP_KIND) == []


def test_somebody_elses_sweep_can_be_looked_at_alone(page: Callable[..., AppTest], sweeps: SweepStore) -> None:
    sweep_id = queue_sweep(sweeps, "f" * 32, REQUEST, "Bottle", 30)
    app = page(sweep=sweep_id)
    assert "No run is done yet" in texts(app)
    assert not {"sweep-pause", "sweep-delete"} & keys(app)
    for wrong in ("0" * 16, "../..", "<b>"):
        assert "The sweep in this link is not here" in texts(page(sweep=wrong))


def test_a_task_varies_its_length_and_no_context(page: Callable[..., AppTest], sweeps: SweepStore) -> None:
    """What a context of its own, or a text's steps and batches, would change."""
    app = page(corpus="Task: Reverse", vary=["kind", "length"], length_values="2, 3")
    offered = app.button_group(key="vary").options
    assert "Length of a question" in offered and "Context" not in offered
    checked(app.button(key="sweep-start").click().run())
    (sweep,) = sweeps.sweeps(OWNER, SWEEP_KIND)
    recipes = [run.recipe for run in sweeps.runs_of(sweep.id)]
    assert sorted(one["task"]["length"] for one in recipes) == [2, 2, 2, 3, 3, 3]
    assert {(one["n_step"], one["batch_size"]) for one in recipes} == {(400, 64)}
    app = page(corpus="Task: Elman's grammar", vary=["d_model", "learning_rate"])
    assert "Length of a question" not in app.button_group(key="vary").options
