"""What the room of sizes says of its recorded runs is so. More of it is in test_page.py, test_isoflop.py and
test_learning.py."""

import pytest

from core.rooms.sizes import isoflop, scale
from core.rooms.sizes.compute.isoflop_runs import recorded, runs
from core.rooms.sizes.experiments import scaling


def test_some_runs_read_their_text_up_to_seven_times() -> None:
    n_read = [run.n_step * scaling.BATCH * scaling.CONTEXT / len(scaling.text().ids) for run in runs()]
    assert 6 < max(n_read) <= 7.5 and min(n_read) < 1


def test_small_models_lack_room_and_large_ones_steps() -> None:
    """“Read one budget from left to right”: the loss falls, and then rises."""
    losses = dict(zip(runs(), recorded(), strict=True))
    for budget in sorted({run.budget for run in runs()})[:-1]:
        mine = sorted((run.width, losses[run]) for run in runs() if run.budget == budget)
        lowest = min(range(len(mine)), key=lambda i: mine[i][1])
        assert 0 < lowest < len(mine) - 1, budget


def test_the_size_was_foretold_and_the_loss_came_out_higher() -> None:
    shown = isoflop.compute(isoflop.Inputs(guess="three"))
    assert shown.predicted is not None and shown.landed is not None
    assert shown.predicted[0].holds(shown.landed.size) and shown.landed.loss > shown.predicted[1].value


def test_the_first_model_fits_almost_a_million_times_into_gpt_3() -> None:
    times = scale.compute(scale.Inputs()).ratio("GPT-3 175B")
    assert 10**5.5 < times < 10**6
    assert times * 0.75 / 1000 == pytest.approx(410, abs=5)  # steps of 75 cm, in km
