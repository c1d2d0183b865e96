"""The ViT reads held-out digits, with three seeds; honestly beside what is simpler; and what the page promises."""

from collections.abc import Mapping
from typing import Any

import pytest
from numpy.typing import NDArray

from core.data import images
from core.rooms.patches.experiments import digits as task
from core.train import experiment
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained

LABELS = images.held_out_digits().labels


def alone(monkeypatch: pytest.MonkeyPatch, seed: int, **options: Any) -> experiment.Record:
    """Without the plain classifiers: the ViT learns the same."""
    monkeypatch.setattr(task, "PLAIN_CLASSIFIERS", {})
    return ran("digits", seed, **options)


def accuracy(record: Mapping[str, NDArray[Any]], name: str) -> float:
    said = record[f"p.{name}"].argmax(-1) if f"p.{name}" in record else record[f"said.{name}"]
    return float((said == LABELS).mean())


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_the_accuracy_is_that_of_the_last_step(seed: int) -> None:
    record = trained("digits", seed)
    assert record["step"][-1] == task.Options().n_step  # the last step, not the best one
    assert record["curve.vit.accuracy"][-1] == pytest.approx(accuracy(record, "vit"))


def test_the_shipped_record_bears_what_the_page_says_of_it() -> None:
    record = trained("digits", 0)
    assert accuracy(record, "logistic") < accuracy(record, "vit") <= accuracy(record, "vectors")
    assert record["seconds.vectors"] < 1 < record["seconds.vit"][-1]  # "in a fraction of a second"
    size = (experiment.EXAMPLE_FOLDER / "digits.safetensors").stat().st_size
    assert size < 400_000


@pytest.mark.full
def test_what_the_page_says_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    large = ran("digits", 0, patch_size=4, n_step=400)
    assert accuracy(large, "vit") > 0.96  # "about as good"
    assert accuracy(large, "bag") > 0.9  # "even the twin without positions reads nearly all"
    shipped = trained("digits", 0)
    plain = alone(monkeypatch, 0, warped=False, n_step=400)
    assert plain["curve.vit.known"][-1] == 1 and plain["curve.vit.known_loss"][-1] < 0.01  # "known by heart"
    assert plain["curve.vit.loss"][-1] > 3 * shipped["curve.vit.loss"][-1]  # "several times what it was"
    assert plain["curve.vit.accuracy"][-1] < shipped["curve.vit.accuracy"][-1]  # "more of them are wrong"
