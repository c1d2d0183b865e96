"""Attention opens the bottleneck and writes dates within seconds, whatever the seed; without it neither is learned."""

import pytest

from core.rooms.seq2seq.compute.alignment import weight_by_offset
from core.rooms.seq2seq.experiments.bottleneck import LENGTHS
from tests.counts import SEEDS
from tests.library.learning.once import trained

pytestmark = pytest.mark.full
AT_20, AT_30, AT_4 = LENGTHS.index(20), LENGTHS.index(30), LENGTHS.index(4)


@pytest.mark.parametrize("seed", SEEDS)
def test_attention_opens_the_bottleneck(seed: int) -> None:
    record = trained("bottleneck", seed)
    own, other = (record[f"curve.{v}.forced"][-1] for v in ("with", "without"))
    assert own[AT_20] > 0.9
    assert own[AT_20] - other[AT_20] > 0.3
    assert other[AT_4] > 0.7  # it does learn what fits through
    assert record["curve.with.exact"][-1][AT_20] > 0.4 and record["curve.without.exact"][-1][AT_20] == 0
    assert own[AT_30] < own[AT_20] - 0.1  # longer strings than in training are not solved by attention either
    film = record["frames.with.weights"] / 255
    assert film[0].max() < 0.2
    found = weight_by_offset(film[-1])
    assert found[0] + found[1] > 0.6 and found[1] > 0.25  # on the letter and on the one written before it


@pytest.mark.parametrize("seed", SEEDS)
def test_the_record_of_dates_is_small(seed: int) -> None:
    record = trained("dates", seed)
    assert sum(array.nbytes for array in record.values()) < 600_000


def test_without_attention_dates_take_longer() -> None:
    record = trained("dates", 0, attention="none")
    assert record["curve.exact"][-1] < 0.1
    assert 0.6 < record["curve.signs"][-1] < 0.75
    assert "frames.weights" not in record
