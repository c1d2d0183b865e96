"""Two bits: rounded afterwards a model falls apart, trained with rounding it does not: three seeds, both scales."""

import numpy as np
import pytest

from core.rooms.fewer_bits.experiments.fewer_bits import SCALE_METHODS
from tests.counts import SEEDS
from tests.library.learning.once import remade, trained


def test_the_example_is_what_the_code_makes_now() -> None:
    remade("fewer-bits", n_step=20, atol=0.05)  # a weight between two values may be rounded to the other


@pytest.mark.measured("today/4-fewer-bits", "A model is rounded to three values per weight")
@pytest.mark.full
@pytest.mark.parametrize("scale", SCALE_METHODS)
@pytest.mark.parametrize("seed", SEEDS)
def test_rounding_must_be_learned(seed: int, scale: str) -> None:
    options = {} if scale == "largest" else {"scale": scale}
    found = trained("fewer-bits", seed, **options)
    ends = {name: float(found[f"curve.{name}.loss"][-1]) for name in ("float", "after", "during")}
    assert ends["float"] < 0.43
    assert ends["float"] + 0.05 < ends["during"] < ends["float"] + 0.25, "better than afterwards, worse than without"
    assert ends["after"] > ends["float"] + (3.5 if scale == "largest" else 1.2)
    if scale == "largest":  # it relies more and more on what rounding takes away
        after = found["curve.after.loss"]
        assert after[-1] > np.min(after) + 1.5
