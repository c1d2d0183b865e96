"""What the room of experts says in words is true of the example that ships."""

import numpy as np

from core.rooms.experts import flow, same_work, trillion
from core.train.experiment import run_of
from tests.library.learning.once import remade

RUN = run_of("routing")


def test_experts_go_by_the_token_in_both_layers_and_both_mixtures() -> None:
    for mixture in ("balanced", "free"):
        found = flow.compute(flow.Inputs(guess="token", mixture=mixture), RUN)
        assert found.came and found.came.answer == "token"
        assert all(one.token > 2 * one.topic and one.token_more > 3 * one.topic_more for one in found.told)
        assert found.topic_more > found.by_chance  # "adds only", and not nothing


def test_sums_differ_most_of_all_topics() -> None:
    """The chip: of the four topics theirs is the flow that is the furthest from the mean of all."""
    counts = RUN.record["frames.balanced.topics"][-1].sum(0).astype(float)  # (topics, E)
    shares = counts / counts.sum(1, keepdims=True)
    assert np.abs(shares - shares.mean(0)).sum(1).argmax() == 3
    assert ((shares > 0.05).sum(1)[:3] >= 4).all()  # "each topic is spread over many experts"


def test_no_collapse_but_idle_experts_and_a_gain_at_the_same_work() -> None:
    found = same_work.compute(same_work.Inputs(guess="one"), RUN)
    assert found.came and found.came.answer == "some"
    assert found.used["balanced"] > 7 > 6.5 > found.used["free"] > 4
    assert found.starving["free"] > 0 == found.starving["balanced"]
    assert found.gain > 0.05 and 0 < found.by_balance < found.gain / 5
    assert len(set(found.work.values())) == 1


def test_a_trillion_parameters() -> None:
    found = trillion.compute(trillion.Inputs())
    assert found.came.answer == "gpt3" and found.gpt3.active / found.switch.active > 90
    assert found.of("This room’s model").total == same_work.compute(same_work.Inputs(), RUN).parameters["experts"][1]


def test_the_example_is_what_the_code_makes_now() -> None:
    remade("routing", 2)
