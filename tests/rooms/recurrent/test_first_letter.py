"""What is left of the first letter: probes and looks against independent sums, and what is said of the nets that ship.

What this catches: a probe tested on what it was fitted on, a step or a sequence taken for another, and sentences that
no longer hold for the nets.
"""

import numpy as np
import pytest
import torch

from core.nn.tap import Trace
from core.rooms.recurrent import first_letter
from core.rooms.recurrent.compute import first_letter as computing
from core.rooms.recurrent.experiments import remember as task
from core.train import experiment
from core.ui.training.live_experiments import example_run


def test_a_probe_is_least_squares_on_other_sequences() -> None:
    generator = np.random.default_rng(0)
    fitted, states = generator.normal(size=(200, 3, 5)), generator.normal(size=(60, 3, 5))
    asked, answers = generator.integers(0, 4, 200), generator.integers(0, 4, 60)
    fitted[np.arange(200), 1, asked] += 1.5  # only after the second token can it be read
    states[np.arange(60), 1, answers] += 1.5
    found = computing.readable_share(*map(torch.from_numpy, (fitted, asked, states, answers)), n_answer=4)
    for t in range(3):
        x, y = (np.hstack([one[:, t], np.ones((len(one), 1))]) for one in (fitted, states))
        weights, *_ = np.linalg.lstsq(x, np.eye(4)[asked], rcond=None)
        assert found[t] == pytest.approx(((y @ weights).argmax(1) == answers).mean(), abs=1e-12)
    assert found[1] > 0.6 and max(found[0], found[2]) < 0.5


def test_a_letter_is_lost_where_the_share_stays_low() -> None:
    assert computing.lost_after(np.array([1.0, 0.1, 0.5, 0.1, 0.1]), 0.2) == 3
    assert computing.lost_after(np.array([1.0, 0.1, 0.5]), 0.2) is None


@pytest.fixture(scope="module")
def measured() -> dict[int, first_letter.FirstLetter]:
    run = example_run("remember")
    assert run is not None
    return {d: first_letter.compute(first_letter.Inputs(distance=d), run) for d in task.DISTANCES}


def test_what_is_drawn_is_what_the_nets_do(measured: dict[int, first_letter.FirstLetter]) -> None:
    run = example_run("remember")
    assert run is not None
    for distance, found in measured.items():
        ids, answers = task.held_out_sequences(distance, run.seed)
        assert len(found.text) == distance + 2 and found.n_between == distance
        for variant in task.VARIANTS:
            name = task.record_name(variant, distance)
            model = experiment.rebuild_model(run.record, name, task.config(variant, distance))
            with torch.no_grad(), Trace(model) as trace:
                said = model(ids)[:, -1].argmax(-1)
            assert found.right[variant] == pytest.approx((said == answers).double().mean().item())
            assert found.answers[variant] == "ABCDEFGH?"[int(said[0])]
            if variant == "attention":
                rows = trace["blocks.0.attn.weights"][0, :, -1].double().numpy()
                np.testing.assert_allclose(found.weights, rows[rows[:, 0].argmax()])


def test_what_is_said_of_the_nets_that_ship(measured: dict[int, first_letter.FirstLetter]) -> None:
    for found in measured.values():
        assert found.right["attention"] == 1 and found.weights[0] > 0.95, "it looks straight back at the first letter"
        assert found.text[0] == found.answers["attention"]
        for share in found.shares.values():
            assert share[0] == 1, "the state has just read it"
    assert 0.2 < measured[5].right["rnn"] < 0.3, "about a quarter of the tries"
    twenty, forty = measured[20], measured[40]
    assert twenty.lost_after("rnn") == 5 and twenty.lost_after("gru") is None
    assert twenty.right["gru"] == 1 and twenty.shares["gru"].min() > 0.95, "the GRU keeps it to the end"
    assert forty.right["gru"] < 0.2 and forty.lost_after("gru") is not None, "and not over forty letters"
    assert "soon gone" in twenty.sentence("none") and "keep" in twenty.sentence("gru")
    assert "loses" in twenty.sentence("lstm") and "loses" in forty.sentence("gru")
