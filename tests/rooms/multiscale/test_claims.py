"""What the room of many scales says is so, computed from the record that ships and from the sizes shown."""

from itertools import pairwise

import numpy as np
import pytest

from core.data import images
from core.rooms.multiscale import reach, stages, training
from core.rooms.multiscale.experiments import scales as task
from core.train import experiment
from core.train.experiments.live import Live


@pytest.fixture(scope="module")
def run() -> Live:
    return experiment.run_of("scales")


def test_the_example_is_what_the_code_makes_now(run: Live) -> None:
    assert run.is_done
    running = experiment.start("scales", {}, 0)
    while running.step < 10:
        running.advance()
    now = running.record()
    for name in task.TITLES:
        assert np.allclose(now[f"curve.{name}.accuracy"], run.record[f"curve.{name}.accuracy"][:2], atol=0.02)


def test_the_race(run: Live) -> None:
    accuracy = {name: run.record[f"curve.{name}.accuracy"] for name in task.TITLES}
    seconds = {name: run.record[f"seconds.{name}"] for name in task.TITLES}
    ours, others = accuracy["scales"], np.stack([accuracy["fine"], accuracy["coarse"]])
    half = len(ours) // 2
    assert (ours[1:half] > others[:, 1:half]).mean() > 0.9  # ahead, step by step
    assert ours[-1] > others[:, -1].max() and others[:, -1].max() - others[:, -1].min() < 0.02
    # By the second the one with large patches catches up: it spends half as many, and is as good as ours at that time.
    assert seconds["coarse"][-1] < 0.6 * seconds["scales"][-1]
    then = np.interp(seconds["coarse"][-1], seconds["scales"], ours)
    assert accuracy["coarse"][-1] > then - 0.005
    assert (np.abs(accuracy["scales"] * 360 - np.round(accuracy["scales"] * 360)) < 1e-6).all()
    assert round(100 / training.N_HELD, 1) == 0.3 and len(images.held_out()) == training.N_HELD
    totals = [total for _, _, total, _ in training.costs().values()]
    assert max(totals) / min(totals) < 1.05
    assert (task.CONFIGS["fine"].patch_size, task.CONFIGS["coarse"].patch_size) == (2, 4)


def test_what_stands_in_the_record_is_what_the_model_says(run: Live) -> None:
    shown = reach.accuracy(run, True)
    assert shown == pytest.approx(float(run.record["curve.scales.accuracy"][-1]), abs=0.006)  # half precision
    assert all(key.startswith(("step", "curve.", "seconds.", "model.")) for key in run.record)
    assert 0.3 < reach.accuracy(run, False) < 0.7  # windows that no longer shift are another net


def test_the_stages() -> None:
    found = [stages.compute(stages.Inputs(size=size)) for size in (1, 2, 4)]
    assert [one.config.image_size for one in found] == [224, 448, 896]
    assert [round(b.inside.total / a.inside.total, 1) for a, b in pairwise(found)] == [4.0, 4.0]
    assert [round(b.everywhere.total / a.everywhere.total, 1) for a, b in pairwise(found)] == [10.1, 13.6]
    crossing = found[0].crossing
    assert f"{crossing:.0f}" == "183"
    inside, plain = (np.polyval(stages.by_area(stages.COUNTS[name], stages.SWIN_T), crossing**2)
                     for name in ("in windows", "plain ViT"))  # fmt: skip
    assert inside == pytest.approx(plain)  # where the lines cross
    first = found[0].stages
    assert all(2 * b.n_token * b.width == a.n_token * a.width for a, b in pairwise(first))
    assert first[-1].n_window == 1 and first[-1].n_token == 49 and first[-1].shift == 0


def test_what_a_token_has_seen(run: Live) -> None:
    def path(shift: bool, row: int, column: int) -> str:
        return reach.compute(reach.Inputs(shift=shift, row=row, column=column), run).path

    assert path(True, 3, 3) == "4 → 16 → 64 → 144 → 256 → 256" and path(False, 3, 3) == "4 → 16 → 16 → 64 → 64 → 256"
    for row, column in ((0, 0), (0, 7), (7, 0), (7, 7)):
        assert path(True, row, column) == "4 → 16 → 16 → 144 → 144 → 256"
