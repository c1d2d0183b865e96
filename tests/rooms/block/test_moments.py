"""What a norm does: against torch's norms and scipy-like closed forms; the shape of a distribution stays."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from core.nn import feed_forward as nonlinearities
from core.nn.feed_forward import FeedForward
from core.rooms.block import activations, feed_forward
from core.rooms.block.compute import moments


@pytest.mark.parametrize("source", moments.SOURCES)
@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("width", [16, 4096])
def test_the_norms_are_torchs(source: str, kind: str, width: int) -> None:
    found = moments.normalise(moments.draw(source, width, 0), kind, gain=1.5, bias=0.5, eps=1e-5)
    norm = (nn.LayerNorm if kind == "layer" else nn.RMSNorm)(width, eps=1e-5, dtype=torch.float64)
    for name, parameter in norm.named_parameters():
        nn.init.constant_(parameter, 1.5 if name == "weight" else 0.5)
    np.testing.assert_allclose(found.after, norm(torch.from_numpy(found.before)).detach(), atol=1e-12)


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("source", ["exponential", "normal", "uniform", "two lumps"])
def test_skew_kurtosis_and_histogram_stay(source: str, kind: str) -> None:
    found = moments.normalise(moments.draw(source, 768, 1), kind)
    before, after = found.moments
    assert after.skew == pytest.approx(before.skew, abs=1e-9)
    assert after.kurtosis == pytest.approx(before.kurtosis, abs=1e-9)
    counts = [moments.histogram(values).counts for values in (found.before, found.after)]
    # A number that lies on an edge may fall to either side after rounding.
    assert np.abs(counts[0] - counts[1]).sum() <= 2


def test_layer_norm_makes_mean_0_and_the_variance_divided_by_n_1() -> None:
    after = moments.normalise(moments.draw("exponential", 16, 0), eps=1e-12).moments[1]
    assert after.mean == pytest.approx(0, abs=1e-12)
    assert after.variance == pytest.approx(1, abs=1e-9)
    assert after.variance_unbiased == pytest.approx(16 / 15, abs=1e-9)


def test_rms_norm_keeps_a_mean_and_makes_the_root_mean_square_1() -> None:
    after = moments.normalise(moments.draw("exponential", 768, 0), "rms", eps=1e-12).moments[1]
    assert after.root_mean_square == pytest.approx(1, abs=1e-9)
    assert after.mean > 0.5


@pytest.mark.parametrize("bias", [0.0, 2.0])
def test_a_constant_vector_gives_the_bias(bias: float) -> None:
    found = moments.normalise(moments.draw("constant", 96, 0), bias=bias)
    np.testing.assert_array_equal(found.after, np.full(96, bias))
    assert np.isnan(found.moments[1].skew)


def test_moments_of_a_known_vector() -> None:
    found = moments.moments(np.array([0.0, 0, 0, 4]))
    assert (found.mean, found.variance, found.variance_unbiased) == (1, 3, 4)
    assert found.skew == pytest.approx((3 * -1 + 27) / 4 / 3**1.5)
    assert found.kurtosis == pytest.approx((3 + 81) / 4 / 9 - 3)
    assert found.root_mean_square == 2


@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=50))
def test_a_histogram_counts_every_number_once(numbers: list[float]) -> None:
    found = moments.histogram(np.array(numbers), n_bin=7)
    assert found.counts.sum() == len(numbers)
    assert (np.diff(found.edges) > 0).all()


def test_every_nonlinearity_of_the_models_has_its_curve() -> None:
    shown, used = activations.FUNCTIONS.values(), nonlinearities._NONLINEARITY.values()
    assert {one.__name__ for one in shown} == {one.__name__ for one in used}
    found = activations.compute(activations.Inputs())
    x, curves = found.places, found.curves
    np.testing.assert_allclose(curves["ReLU"], np.maximum(x, 0))
    np.testing.assert_allclose(curves["squared ReLU"], np.maximum(x, 0) ** 2)
    np.testing.assert_allclose(curves["SiLU"], x / (1 + np.exp(-x)))
    difference = np.abs(curves["GELU, exact"] - curves["GELU by tanh"])
    assert found.gap == pytest.approx(4.7324e-4, abs=1e-7) and difference.max() <= found.gap
    assert found.gap_at == pytest.approx(2.699, abs=1e-3)
    lowest = x[curves["GELU, exact"].argmin()]
    assert -0.8 <= round(lowest, 1) < -0.6 and curves["GELU, exact"].min() < 0  # it bends back up


def test_units_that_are_on_are_counted() -> None:
    found = feed_forward.Units(np.array([[1.0, -1, 0, 2], [3.0, -2, 0, -1]]), np.zeros((2, 4)))
    assert found.share.tolist() == [0.5, 0.25]
    assert (found.n_on, found.n_never) == (2, 2)


@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_layer_has_no_bend_and_a_feed_forward_layer_has(bias: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    line, bent = nn.Linear(6, 6, bias=bias).double(), FeedForward(6, 24, "relu2", bias).double()
    with torch.no_grad():
        for parameter in (*line.parameters(), *bent.parameters()):
            parameter.copy_(torch.randn(parameter.shape, generator=generator, dtype=torch.float64))
    a, b = torch.randn((2, 6), generator=generator, dtype=torch.float64).numpy()
    assert feed_forward.nonlinearity(line, a, b) < 1e-12
    assert feed_forward.nonlinearity(bent, a, b) > 0.1
