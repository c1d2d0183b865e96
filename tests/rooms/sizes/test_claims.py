"""What the room of sizes says of its recorded runs is so. More of it is in test_page.py and test_learning.py."""

import pytest

from core.rooms.sizes import scale


def test_the_first_model_fits_almost_a_million_times_into_gpt_3() -> None:
    times = scale.compute(scale.Inputs()).ratios["GPT-3 175B"]
    assert 10**5.5 < times < 10**6
    assert times * 0.75 / 1000 == pytest.approx(410, abs=5)  # steps of 75 cm, in km
