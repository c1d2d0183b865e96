"""The lens over a training: it learns, and what the tied embedding says at the first step and at the last holds."""

import numpy as np
import pytest

from core.train.experiment import Record
from tests.counts import SEEDS
from tests.library.learning.once import ran, trained

pytestmark = pytest.mark.full


def echo(record: Record, frame: int) -> float:
    """How many places' embedding rows say the very token that was read."""
    return float((record["frames.top"][frame, 0, :, 0] == record["probe"]).mean())


@pytest.mark.parametrize("seed", SEEDS)
def test_the_output_learns_and_the_tied_embedding_echoes(seed: int) -> None:
    record = trained("lens", seed)
    ranks = record["frames.rank"][:, -1, :-1]
    assert (ranks[0] == 1).sum() <= 2 and (ranks[-1] == 1).sum() >= 6
    assert echo(record, 0) > 0.6 and echo(record, -1) > 0.6
    truth = record["frames.truth"][-1, :, :-1].astype(np.float64).mean(-1)
    assert truth[-1] > 5 * truth[0] and truth[-1] >= truth[1] - 0.02


def test_without_tying_there_is_no_echo_and_post_norm_learns_too() -> None:
    untied = ran("lens", 1, tied=False, n_step=150)
    assert echo(untied, 0) < 0.1 and echo(untied, -1) < 0.2
    post = ran("lens", 1, norm="post", n_step=150)
    assert post["curve.loss"][-1] < 2.5 and echo(post, 0) > 0.6
