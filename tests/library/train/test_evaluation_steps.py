"""The steps at which a run is evaluated."""

import pytest

from core.train.experiments.base import _evaluation_steps


@pytest.mark.parametrize("n_step", [1, 7, 45, 1_000])
@pytest.mark.parametrize("bend", [1.0, 1.5, 1.6])
def test_they_rise_and_end_with_the_last_step(n_step: int, bend: float) -> None:
    found = _evaluation_steps(n_step, 24, bend)
    assert found[-1] == n_step and found[0] >= 1 and len(found) <= 24
    assert found == sorted(set(found))


def test_they_are_even_or_closer_together_at_first() -> None:
    assert _evaluation_steps(100, 4, 1.0) == [25, 50, 75, 100] and _evaluation_steps(100, 4) == [12, 35, 65, 100]
    assert len(_evaluation_steps(1_000, 24)) == 24
