"""The small scaling law over seeds: the straight line says too little, the parabola's interval holds what comes."""

import numpy as np
import pytest

from core.rooms.sizes.compute.power_law import fit
from core.rooms.sizes.experiments import scaling
from tests.library.learning.once import ran, trained


@pytest.mark.full
@pytest.mark.parametrize(("seed", "line_holds"), [(0, True), (1, False), (2, False)])
def test_the_next_width_lands_on_the_parabola(seed: int, line_holds: bool) -> None:
    record = trained("scaling", seed)
    losses = [float(record[f"curve.{width}"][-1]) for width in record["widths"]]
    assert losses[:-1] == sorted(losses[:-1], reverse=True)  # up to here, larger is better
    line, bend = (
        fit(record["parameters"][:-1], losses[:-1], degree).predict(record["parameters"][-1]) for degree in (1, 2)
    )
    assert line.value < losses[-1] and line.holds(losses[-1]) == line_holds
    assert bend.holds(losses[-1]) and abs(bend.value - losses[-1]) < abs(line.value - losses[-1])


def test_the_next_width_learns_when_the_others_are_done() -> None:
    record = ran("scaling", 3, n_step=7)
    np.testing.assert_array_equal(record["steps"], record["goals"])
    np.testing.assert_array_equal(record["step"], [0, 6, 7])
    late = record["curve.48"]
    assert late[0] == late[1] > late[2]
    early = record["curve.8"]
    assert early[0] > early[1] == early[2]


def test_equal_time_means_fewer_steps_for_wide_models() -> None:
    steps = [scaling.n_training_step(width) for width in (*scaling.WIDTHS, scaling.NEXT)]
    assert steps == sorted(steps, reverse=True) and steps[0] > 2 * steps[-1]
