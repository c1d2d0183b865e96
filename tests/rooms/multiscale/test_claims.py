"""What the room of many scales says is so, computed from the record that ships and from the sizes shown."""

from itertools import pairwise

import numpy as np
import pytest

from core.rooms.multiscale import reach, stages
from core.train import experiment
from core.train.experiments.experiment_run_state import ExperimentRun


@pytest.fixture(scope="module")
def run() -> ExperimentRun:
    return experiment.run_experiment("scales")


def test_the_example_is_what_the_code_makes_now(run: ExperimentRun) -> None:
    assert run.is_done
    running = experiment.make_experiment("scales", {}, 0)
    while running.step < 10:
        running.advance()
    now = running.record()
    assert np.allclose(now["curve.scales.accuracy"], run.record["curve.scales.accuracy"][:2], atol=0.02)


def test_what_stands_in_the_record_is_what_the_model_says(run: ExperimentRun) -> None:
    shown = reach.held_out_accuracy(run, True)
    assert shown == pytest.approx(float(run.record["curve.scales.accuracy"][-1]), abs=0.006)  # half precision
    assert all(key.startswith(("step", "curve.", "seconds.", "model.")) for key in run.record)
    assert 0.3 < reach.held_out_accuracy(run, False) < 0.7  # windows that no longer shift are another net


def test_the_stages() -> None:
    found = [stages.compute(stages.Inputs(size=size)) for size in (1, 2, 4)]
    assert [one.config.image_size for one in found] == [224, 448, 896]
    assert [round(b.inside.total / a.inside.total, 1) for a, b in pairwise(found)] == [4.0, 4.0]
    assert [round(b.everywhere.total / a.everywhere.total, 1) for a, b in pairwise(found)] == [10.1, 13.6]
    crossing = found[0].crossing
    assert f"{crossing:.0f}" == "183"
    inside, plain = (np.polyval(stages.fit_by_area(stages.COST_FUNCTIONS[name], stages.SWIN_T), crossing**2)
                     for name in ("windows", "plain"))  # fmt: skip
    assert inside == pytest.approx(plain)  # where the lines cross
    first = found[0].stages
    assert all(2 * b.n_token * b.width == a.n_token * a.width for a, b in pairwise(first))
    assert first[-1].n_window == 1 and first[-1].n_token == 49 and first[-1].shift == 0


def test_what_a_token_has_seen(run: ExperimentRun) -> None:
    def path(shift: bool, row: int, column: int) -> str:
        return reach.compute(reach.Inputs(shift=shift, row=row, column=column), run).path

    assert path(True, 3, 3) == "4 → 16 → 64 → 144 → 256 → 256" and path(False, 3, 3) == "4 → 16 → 16 → 64 → 64 → 256"
    for row, column in ((0, 0), (0, 7), (7, 0), (7, 7)):
        assert path(True, row, column) == "4 → 16 → 16 → 144 → 144 → 256"
