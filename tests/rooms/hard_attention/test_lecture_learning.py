"""What each version of the lecture's class learns: the order of the versions is the same whatever the seed."""

import pytest

from core.rooms.hard_attention.experiments import lecture as task
from tests.library.learning.once import trained

pytestmark = pytest.mark.full
SEEDS = (0, 1)  # the example that ships, and one more: fifteen seconds


@pytest.mark.parametrize("seed", SEEDS)
def test_the_order_of_the_versions(seed: int) -> None:
    right = {variant: float(trained("lecture", seed)[f"curve.{variant}.accuracy"][-1]) for variant in task.VARIANTS}
    whole = {variant: float(trained("lecture", seed)[f"whole.{variant}"]) for variant in task.VARIANTS}
    # A plain sum that is the same at every step is worse than nothing; a plain mean is a little better than nothing.
    assert 4 * task.BLIND < right["written"] < right["none"] < min(right["axis"], right["axis-mask"])
    assert max(right["axis"], right["axis-mask"]) < 0.82
    assert min(right["encoder-axis"], right["all"]) > 0.9
    assert max(whole["written"], whole["none"], whole["axis"], whole["axis-mask"]) < 0.4
    assert min(whole["encoder-axis"], whole["all"]) > 0.5
