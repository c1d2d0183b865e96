"""ImageGPT on digits: it pays fewer bits per pixel than every n-gram, and its completions are recognised."""

import numpy as np
import pytest

from core.data import images, pixel_text
from core.inspect import completions, pixel_bits
from core.train import experiment
from core.train.experiments import digits
from core.train.experiments import pixels as task
from tests.learning.once import trained

pytestmark = pytest.mark.slow
HALF = pixel_text.N_PIXEL // 2


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_it_beats_counting_and_its_completions_are_recognised(seed: int) -> None:
    record, seconds = trained("pixels", seed)
    n_level = task.Options().n_level
    counting = min(float(pixel_bits.ngrams(n_level, order).min()) for order in task.VARIANTS)
    for order in task.VARIANTS:
        bits = record[f"curve.{order}.bits"]
        assert bits[0] == pytest.approx(np.log2(n_level), abs=1e-6)
        assert bits[-1] < 0.75 * min(counting, float(pixel_bits.of_table(n_level).mean()))
    judge = experiment.rebuild(trained("digits", 0)[0], "vit", digits.config()).float()
    writer = experiment.rebuild(record, "raster", task.config(n_level)).float()
    how = {"temperature": 0.5, "top_k": 0}
    found = [completions.share(writer, judge, n_level, "raster", HALF, seed=draw, **how) for draw in range(5)]
    assert found[0].whole.mean() > 0.95
    assert len(found[0].right) == len(images.held_out())
    assert np.mean([one.right for one in found]) > 0.8
    assert seconds < 75
