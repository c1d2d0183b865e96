"""At equal cost a multi-scale ViT learns digits faster than plain ones, whatever the seed."""

import pytest

from core.rooms.multiscale.experiments.scales import CONFIGS
from tests.library.learning.once import trained


@pytest.mark.full
@pytest.mark.parametrize(("seed", "n_step"), [(0, 250), (1, 125), (2, 125)])
def test_the_multi_scale_model_is_ahead(seed: int, n_step: int) -> None:
    record = trained("scales", seed, **({} if seed == 0 else {"n_step": n_step}))
    accuracy = {name: record[f"curve.{name}.accuracy"] for name in CONFIGS}
    assert accuracy["scales"][-1] > 0.96 and min(accuracy["fine"][-1], accuracy["coarse"][-1]) > 0.85
    early = slice(3, 13)  # in the first half
    for name in ("fine", "coarse"):
        assert accuracy["scales"][early].mean() > accuracy[name][early].mean() + 0.03
        assert accuracy["scales"][-1] >= accuracy[name][-1]  # one picture of 360 can make it a tie
    assert record["step"][-1] == n_step
