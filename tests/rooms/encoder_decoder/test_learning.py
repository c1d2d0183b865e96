"""The small transformer learns the two languages, with three seeds."""

import numpy as np
import pytest

from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments.translation import PROBE
from tests.counts import SEEDS
from tests.library.learning.once import trained

pytestmark = pytest.mark.full


@pytest.mark.parametrize("seed", SEEDS)
def test_a_head_of_the_last_layer_has_found_the_alignment_by_itself(seed: int) -> None:
    record = trained("translation", seed)
    weights = record["frames.weights"][-1] / 255  # (L, H, T, S)
    probe = languages.parse_english(PROBE)
    assert probe is not None
    places = probe.alignment()
    on = weights[-1][:, np.arange(len(places)), places].mean(-1)  # (H,)
    assert on.max() > 0.7
