"""What the room of many scales says is so, computed from the record that ships and from the sizes shown."""

from itertools import pairwise

import numpy as np
import pytest

from core.data import images
from core.rooms.multiscale import reach, stages, training
from core.rooms.multiscale.compute import stages as sizes
from core.rooms.multiscale.experiments import scales as task
from core.train import experiment
from core.ui.training import live
from core.ui.training.trained_models import Trained, trained

EXAMPLE = experiment.EXAMPLES / "scales.safetensors"


@pytest.fixture(scope="module")
def models() -> Trained:
    found = live.example("scales")
    assert found is not None and found.options == vars(experiment.options_of("scales", {})) and found.is_done
    return trained(found)


def test_the_example_is_small_and_what_the_code_makes_now(models: Trained) -> None:
    assert EXAMPLE.stat().st_size < 400_000
    running = experiment.start("scales", {}, 0)
    while running.step < 10:
        running.advance()
    now = running.record()
    for name in training.TITLES:
        assert np.allclose(now[f"curve.{name}.accuracy"], models.record[f"curve.{name}.accuracy"][:2], atol=0.02)


def test_the_race(models: Trained) -> None:
    accuracy = {name: models.record[f"curve.{name}.accuracy"] for name in training.TITLES}
    seconds = {name: models.record[f"seconds.{name}"] for name in training.TITLES}
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
    totals = [total for _, total, _ in training.costs().values()]
    assert max(totals) / min(totals) < 1.05
    assert (task.CONFIGS["fine"].patch_size, task.CONFIGS["coarse"].patch_size) == (2, 4)


def test_what_stands_in_the_record_is_what_the_model_says(models: Trained) -> None:
    shown = reach.accuracy(models, True)
    assert shown == pytest.approx(float(models.record["curve.scales.accuracy"][-1]), abs=0.006)  # half precision
    assert all(key.startswith(("step", "curve.", "seconds.", "model.")) for key in models.record)
    assert 0.3 < reach.accuracy(models, False) < 0.7  # windows that no longer shift are another net


def test_the_stages() -> None:
    ladder = sizes.ladder(stages.SWIN_T, 3)
    inside, outside = ([stages._totals(one)[name] for one in ladder] for name in (stages.WINDOWS, stages.GLOBAL))
    assert [round(b / a, 1) for a, b in pairwise(inside)] == [4.0, 4.0]
    assert [round(b / a, 1) for a, b in pairwise(outside)] == [10.1, 13.6]
    assert [one.image_size for one in ladder] == [224, 448, 896]
    crossing = sizes.crossing(stages.SWIN_T)
    assert f"{crossing:.0f}" == "183"
    both = [float(np.polyval(sizes.by_area(f, stages.SWIN_T), crossing**2))
            for f in (sizes.plain_count, lambda one: sizes.count(one).total)]  # fmt: skip
    assert both[0] == pytest.approx(both[1])  # where the ring is drawn
    found = sizes.stages(stages.SWIN_T)
    numbers = [one.n_token * one.width for one in found]
    assert all(2 * b == a for a, b in pairwise(numbers))
    assert found[-1].n_window == 1 and found[-1].n_token == 49 and found[-1].shift == 0


def test_what_a_token_has_seen() -> None:
    def pixels(shifted: bool, patch: int) -> list[int]:
        return [4 * int(one.patches[reach.holder(one, patch)].sum()) for one in reach.known(shifted)]

    assert pixels(True, 27) == [4, 16, 64, 144, 256, 256] and pixels(False, 27) == [4, 16, 16, 64, 64, 256]
    for corner in (0, 7, 56, 63):
        assert pixels(True, corner) == [4, 16, 16, 144, 144, 256]
