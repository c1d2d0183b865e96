"""What the room of experts and its lesson say in words is true of three seeds; the first is the example that ships."""

from typing import Any

import numpy as np
import pytest

from core.rooms.experts import flow, same_work
from core.rooms.experts.experiments.routing import MIXTURES
from core.train.experiment import parse_experiment_options
from core.train.experiments.experiment_run_state import ExperimentRun
from tests.counts import rest_is_full
from tests.library.learning.once import trained

every_seed = pytest.mark.parametrize("seed", rest_is_full(0, 1, 2))


def run(seed: int, **options: Any) -> ExperimentRun:
    """The training of this seed, to its end."""
    asked = parse_experiment_options("routing", options)
    return ExperimentRun(
        trained("routing", seed, **options), vars(asked), seed, asked.n_step, asked.n_step, name="routing"
    )


@pytest.mark.measured("today/2-experts", "What will decide which of its eight experts")
@every_seed
@pytest.mark.parametrize("mixture", MIXTURES)
def test_experts_go_by_the_token_in_both_layers(seed: int, mixture: str) -> None:
    """Catches words that hold for one seed, one layer or one mixture alone."""
    found = flow.compute(flow.Inputs(guess="token", mixture=mixture), run(seed))
    assert found.outcome and found.outcome.answer == "token"
    assert all(one.token > 2 * one.topic and one.token_more > 3 * one.topic_more for one in found.told)
    assert found.topic_more > found.by_chance  # "adds only", and not nothing


@every_seed
def test_sums_differ_most_of_all_topics(seed: int) -> None:
    """The chip: of the four topics theirs is the flow that is the furthest from the mean of all."""
    counts = run(seed).record["frames.balanced.topics"][-1].sum(0).astype(float)  # (topics, E)
    shares = counts / counts.sum(1, keepdims=True)
    assert np.abs(shares - shares.mean(0)).sum(1).argmax() == 3
    assert ((shares > 0.05).sum(1)[:3] >= 4).all()  # "each topic is spread over many experts"


@pytest.mark.measured("today/2-experts", "If nothing balances it")
@pytest.mark.measured("today/2-experts", "After 250 steps, which model")
@every_seed
def test_no_collapse_but_idle_experts_and_a_gain_at_the_same_work(seed: int) -> None:
    """Catches a router that collapses from another seed, and a gain that was the first one's luck."""
    found = same_work.compute(same_work.Inputs(guess="one"), run(seed))
    assert found.outcome and found.outcome.answer == "some"
    assert found.used["balanced"] > 7 > 6.8 > found.used["free"] > 4
    assert found.starving["free"] > 0 == found.starving["balanced"]
    assert found.gain > 0.05
    assert abs(found.by_balance) < found.gain / 3, "balance changes the loss by little beside that"


@pytest.mark.measured("today/2-experts", "Will your experts still follow")
@pytest.mark.full
@pytest.mark.parametrize("options", [{"n_active": 2}, {"n_expert": 4}], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_with_other_numbers_of_experts_they_gain_and_go_by_the_token_too(seed: int, options: dict[str, Any]) -> None:
    work = same_work.compute(same_work.Inputs(guess="some"), run(seed, **options))
    assert work.gain > 0.02
    outcome = flow.compute(flow.Inputs(guess="token"), run(seed, **options)).outcome
    assert outcome and outcome.answer == "token"
