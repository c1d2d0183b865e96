"""Laws through points: exact ones are found, intervals hold what they promise; charts and squares say what is so."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from core.charts.axis import Axis
from core.charts.plot import plot
from core.data.localization import numbers, quantities
from core.rooms.sizes import law
from core.rooms.sizes.experiments import scaling
from core.rooms.sizes.law import ScalingLaw, fit_law
from tests.library.learning.once import ran

SIZES = [3_200, 5_952, 9_472, 13_760, 18_816, 31_232]


@given(a=st.floats(0.1, 50), b=st.floats(0.01, 1))
def test_an_exact_power_law_is_found(a: float, b: float) -> None:
    found = fit_law(SIZES, [a * n**-b for n in SIZES], 1)
    assert found.spread < 1e-9
    next_one = found.predict(65_280)
    assert next_one.value == pytest.approx(a * 65_280**-b, rel=1e-6)
    assert next_one.low == pytest.approx(next_one.high, rel=1e-4)
    assert found.lowest is None


def test_a_parabolas_lowest_point() -> None:
    found = fit_law(SIZES, [math.exp(0.03 * (math.log(n) - math.log(20_000)) ** 2 + 0.5) for n in SIZES], 2)
    assert found.lowest == pytest.approx(20_000, rel=1e-6)
    assert found.loss(20_000) == pytest.approx(math.exp(0.5), rel=1e-9)
    assert fit_law(SIZES, [math.exp(-0.03 * math.log(n) ** 2 + 3) for n in SIZES], 2).lowest is None


@pytest.mark.parametrize("degree", [1, 2])
def test_intervals_hold_95_percent_of_what_comes(degree: int) -> None:
    draw = np.random.default_rng(0)
    n_held, n_try = 0, 2_000
    for _ in range(n_try):
        noise = np.exp(draw.normal(0, 0.02, len(SIZES) + 1))
        truth = [5 * n**-0.1 for n in (*SIZES, 65_280)] * noise
        n_held += fit_law(SIZES, truth[:-1], degree).predict(65_280).holds(float(truth[-1]))
    assert n_held / n_try == pytest.approx(0.95, abs=0.015)


def test_intervals_are_students_for_every_number_of_points() -> None:
    """A table that ends somewhere, or the normal distribution put in its place, would be wrong from there on."""
    angle = np.linspace(-math.pi / 2, math.pi / 2, 20_001)  # t = sqrt(n) tan(angle): Student's density over the angle
    for n_free in range(1, 80):
        law = ScalingLaw((0.0, 0.0), spread=1.0, inverse=np.zeros((2, 2)), n_free=n_free)
        t = math.log(law.predict(1.0).high)
        density = np.cos(angle) ** (n_free - 1)
        inside = density[np.abs(np.tan(angle)) <= t / math.sqrt(n_free)].sum() / density.sum()
        assert inside == pytest.approx(0.95, abs=2e-4), n_free


def test_too_few_points_are_refused() -> None:
    with pytest.raises(ValueError, match="3 points are too few for a curve of 3 numbers"):
        fit_law([1, 2, 3], [1, 2, 3], 2)
    assert isinstance(fit_law([1, 2, 3], [3, 2, 1], 1), ScalingLaw)


def test_the_chart_hides_what_may_not_be_seen() -> None:
    laws = {"parabola": fit_law(SIZES, [5 * n**-0.1 for n in SIZES], 2)}
    hidden, seen = (
        plot(law._layers([(3_000, 1.9, "8")], laws, 50_000, one), x=Axis("size"), y=Axis("loss"), names=["parabola"])
        for one in (None, (50_000, 1.618034, "48"))
    )
    assert "1.618034" not in str(hidden) and len(hidden["layer"]) == len(seen["layer"]) - 1
    assert seen["datasets"]["point 2"] == [{"size": 50_000, "loss": 1.618034, "name": "48"}]


def test_numbers_in_words() -> None:
    counts = (9_472, 999_499, 999_999, 124_439_808, 174_604_259_328, 1.1018e15, 3.14e23)
    said = ["9,472", "999,499", "1.00 million", "124 million", "175 billion", "1.10·10¹⁵", "3.14·10²³"]
    assert [quantities.format_count(count) for count in counts] == said
    assert [quantities.format_bytes(n) for n in (12, 75_497_472, 698_417_037_312)] == ["12 bytes", "75.5 MB", "698 GB"]
    assert [quantities.format_ratio(r) for r in (1.234, 31.91, 673_628, 1_612_345)] == [
        "1.23",
        "31.9",
        "673,628",
        "1.61 million",
    ]
    assert [numbers.format_with_minus_sign(v) for v in (-0.256, 0.256, -0.001, float("nan"))] == [
        "−0.26",
        "0.26",
        "0.00",
        "–",
    ]
    assert [numbers.format_with_minus_sign(v, 1, plus=True) for v in (0.25, -0.25, 0.01)] == ["+0.2", "−0.2", "0.0"]


@pytest.mark.slow
def test_the_next_width_learns_when_the_others_are_done() -> None:
    record = ran("scaling", 3, n_step=7)
    np.testing.assert_array_equal(record["steps"], record["goals"])
    np.testing.assert_array_equal(record["step"], [0, 6, 7])
    late = record["curve.48"]
    assert late[0] == late[1] > late[2]
    early = record["curve.8"]
    assert early[0] > early[1] == early[2]


def test_equal_time_means_fewer_steps_for_wide_models() -> None:
    steps = [scaling.training_steps_of_width(width) for width in (*scaling.WIDTHS, scaling.NEXT_WIDTH)]
    assert steps == sorted(steps, reverse=True) and steps[0] > 2 * steps[-1]
