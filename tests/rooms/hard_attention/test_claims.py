"""What the room says of estimates is so for the models that ship. More is in test_page.py and test_learning.py."""

import numpy as np

from core.rooms.hard_attention import gradients, three_ways
from core.train.experiment import run_experiment


def test_four_times_as_many_draws_halve_the_error() -> None:
    found = gradients.compute(gradients.Inputs(), run_experiment("choosing"))
    for errors in found.measured.values():
        by_four = np.array(errors[1:]) / np.array(errors[:-1])
        assert len(errors) == len(gradients.DRAW_COUNTS) and abs(np.exp(np.log(by_four).mean()) - 0.5) < 0.05


def test_argmax_has_a_gradient_of_exactly_0_everywhere() -> None:
    found = gradients.compute(gradients.Inputs(variant="argmax"), run_experiment("choosing"))
    assert not any(one.argmax.any() for one in found.every)
    assert all(one.soft.any() for one in found.every)


def test_reading_one_card_saves_little() -> None:
    """“Every card must be scored first”."""
    cost = three_ways.compute(three_ways.Inputs(guess="both"), run_experiment("choosing")).cost
    assert 0 < cost["mixing"] < cost["scoring"]
