"""The bottleneck race: at 20 letters attention has it right and one vector does not, whatever the seed."""

import numpy as np
import pytest

from core.data.synthetic import reversal
from core.rooms.seq2seq.compute.alignment import stripe
from core.rooms.seq2seq.experiments import bottleneck
from core.rooms.seq2seq.experiments.bottleneck import LENGTHS
from core.train.experiments.live import Live
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained

AT_20, AT_30, AT_4 = LENGTHS.index(20), LENGTHS.index(30), LENGTHS.index(4)


@pytest.mark.full
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
    found = stripe(film[-1])
    assert found[0] + found[1] > 0.6 and found[1] > 0.25  # on the letter and on the one written before it


def test_the_models_of_the_widest_record_are_there_in_half_precision() -> None:
    record = ran("bottleneck", 7, n_step=2, d_model=64)
    assert sum(array.nbytes for array in record.values()) < 600_000
    assert record["curve.with.forced"].shape == (3, len(LENGTHS))
    run = Live(record, {"d_model": 64, "n_step": 2}, 7, 2, 2)
    for variant in bottleneck.VARIANTS:
        assert not bottleneck.model_of(run, variant).decoder.unembed.weight.requires_grad


def test_the_held_out_strings_are_those_of_each_length() -> None:
    source, mask, target = bottleneck.held_out(0)
    assert mask.sum(1).view(len(LENGTHS), -1).float().mean(1).tolist() == list(LENGTHS)
    for row, kept, due in zip(source.tolist(), mask.sum(1).tolist(), target.tolist(), strict=True):
        assert due[: kept + 1] == [*row[:kept][::-1], reversal.END]
    assert len(bottleneck.PROBE) == reversal.LONGEST and reversal.encode(bottleneck.PROBE)
    assert not np.array_equal(source, bottleneck.held_out(1)[0])
