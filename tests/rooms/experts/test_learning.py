"""Experts against a dense model at the same work, with and without balance, on three seeds."""

from typing import Any

import pytest

from core.rooms.experts import flow, same_work
from core.train.experiment import options_of
from core.train.experiments.live import Live
from tests.counts import SEEDS
from tests.library.learning.once import trained


@pytest.mark.full
@pytest.mark.parametrize("options", [{}, {"n_active": 2}, {"n_expert": 4}], ids=str)
@pytest.mark.parametrize("seed", SEEDS)
def test_they_gain_and_go_by_the_token(seed: int, options: dict[str, Any]) -> None:
    asked = options_of("routing", options)
    run = Live(trained("routing", seed, **options), vars(asked), seed, asked.n_step, asked.n_step, name="routing")
    work = same_work.compute(same_work.Inputs(guess="some"), run)
    assert work.gain > 0.02
    assert work.used["balanced"] > 0.9 * work.n_expert > work.used["free"] or options
    came = flow.compute(flow.Inputs(guess="token"), run).came
    assert came and came.answer == "token"
