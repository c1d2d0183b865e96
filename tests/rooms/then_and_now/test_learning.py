"""RoPE, and hardly anything else, on three seeds that were not the example's."""

import pytest

from core.rooms.then_and_now import one_switch
from core.rooms.then_and_now.compute import effects
from tests.counts import SEEDS
from tests.library.learning.once import ran


@pytest.mark.full
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", [10 * (seed + 1) for seed in SEEDS])
def test_rope_helps_from_any_seed_and_pre_norm_does_not(seed: int) -> None:
    came = {}
    for state in ("rope", "pre-norm"):
        record = ran("one-switch", seed, start="2017", state=state)
        came[state] = effects.effect(record, "2017", state, (one_switch.WITHOUT, one_switch.WITH)).loss.mean
    assert came["rope"] < -0.25
    assert abs(came["pre-norm"]) < 0.12
