"""The small transformer learns the two languages, with three seeds; and where the rivals end."""

import numpy as np
import pytest

from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments.translation import PROBE
from tests.counts import SEEDS
from tests.library.learning.once import trained

pytestmark = pytest.mark.full


@pytest.mark.parametrize("seed", SEEDS)
def test_almost_every_held_out_sentence_is_exactly_right(seed: int) -> None:
    record = trained("translation", seed)
    assert record["curve.exact"][-1] > 0.95 and record["curve.words"][-1] > 0.98
    assert record["curve.exact"][0] == 0 and record["curve.loss"][0] > 3
    # The last layer has found the alignment by itself, in at least one of its heads.
    weights = record["frames.weights"][-1] / 255  # (L, H, T, S)
    probe = languages.read_english(PROBE)
    assert probe is not None
    places = probe.alignment()
    on = weights[-1][:, np.arange(len(places)), places].mean(-1)  # (H,)
    assert on.max() > 0.7


def test_both_rivals_learn_the_task_and_take_about_as_long() -> None:
    record = trained("translation-rivals", 0)
    for name in ("transformer", "recurrent"):
        assert record[f"curve.{name}.exact"][-1][: len(languages.USUAL)].min() > 0.95
    assert 0.75 < record["seconds.transformer"][-1] / record["seconds.recurrent"][-1] < 1.33
