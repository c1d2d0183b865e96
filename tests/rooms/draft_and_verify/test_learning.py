"""A draft learns to guess, whatever the seed; distillation helps on the way, and hardly at the end."""

import numpy as np
import pytest

from tests.counts import SEEDS
from tests.library.learning.once import ran, trained


@pytest.mark.full
@pytest.mark.measured("today/7-draft-and-verify", "After 300 steps, which take a few seconds")
@pytest.mark.parametrize("seed", SEEDS)
def test_most_guesses_stay_after_seconds(seed: int) -> None:
    record = trained("draft", seed)
    text, distilled = (record[f"curve.{name}.chance"] for name in ("text", "distilled"))
    assert text[0] < 0.05 and 0.8 < text[-1] < 0.9
    assert abs(distilled[-1] - text[-1]) < 0.02
    half = int((record["step"] >= 60).argmax())
    assert distilled[half] > text[half]
    n_guess = 48 * 24
    for name in ("text", "distilled"):
        apart = record[f"curve.{name}.kept"] - record[f"curve.{name}.chance"]
        assert np.abs(apart).max() < 4 * 0.5 / n_guess**0.5  # standard errors


@pytest.mark.full
@pytest.mark.parametrize("seed", SEEDS)
def test_a_narrow_draft_is_kept_much_less(seed: int) -> None:
    assert ran("draft", seed, d_model=8)["curve.text.chance"][-1] < 0.65
