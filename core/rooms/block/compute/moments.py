"""The effect of a norm on the numbers of a vector: mean and spread change, the shape of their distribution does not."""

import math
from collections.abc import Callable, Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.data.localization.labels import module_labels
from core.exhibit import Result, Table
from core.nn.norms import LayerNorm, RMSNorm

LABELS = module_labels(__name__)

Array = NDArray[np.float64]


def _two_lumps(n: int, generator: torch.Generator) -> Tensor:
    left = torch.rand(n, generator=generator, dtype=torch.float64) < 0.5
    return torch.where(left, -3.0, 3.0) + 0.5 * torch.randn(n, generator=generator, dtype=torch.float64)


SOURCES: Mapping[str, Callable[[int, torch.Generator], Tensor]] = {
    "exponential": lambda n, generator: torch.empty(n, dtype=torch.float64).exponential_(generator=generator),
    "normal": lambda n, generator: torch.randn(n, generator=generator, dtype=torch.float64),
    "uniform": lambda n, generator: torch.rand(n, generator=generator, dtype=torch.float64),
    "two_lumps": _two_lumps,
    "constant": lambda n, _: torch.full((n,), 5.0, dtype=torch.float64),
}
MOMENT_NAMES = LABELS.options("moment")  # field of `Moments` -> name


class Moments(Result):
    """The moments of a vector's numbers; for several vectors, arrays with one value per vector."""

    mean: Array  # mean, variance: the variance divides by n, as the norms do
    variance: Array
    variance_unbiased: object  # divided by n - 1
    skew: Array  # 0 if the distribution is symmetric, positive with a long tail to the right; nan for a constant vector
    kurtosis: object  # excess: 0 for a normal distribution, positive with heavy tails; nan for a constant vector
    root_mean_square: Array  # RMSNorm makes this 1


class NormRecord(Result):
    """A vector before and after a norm."""

    before: Array  # before, after: (D,) the numbers
    after: Array
    moments: tuple[Moments, Moments]  # before and after
    formula: str  # the computation of the first number of the output

    def table(self) -> Table:
        """Return the moments before and after."""
        sides = LABELS["before"], LABELS["after"]
        columns = {side: list(vars(found).values()) for side, found in zip(sides, self.moments, strict=True)}
        return {"": [MOMENT_NAMES[field] for field in vars(self.moments[0])]} | columns


def sample_vector(source: str, width: int, seed: int) -> Array:
    """Sample a vector of independent numbers from one of `SOURCES`."""
    return SOURCES[source](width, torch.Generator().manual_seed(seed)).numpy()


@torch.no_grad()
def apply_norm(
    vector: Array, kind: str = "layer", gain: float = 1.0, bias: float = 0.0, eps: float = 1e-5
) -> NormRecord:
    """Apply LayerNorm or RMSNorm to a vector, with the same gain and bias for all numbers.

    Args:
        vector: (D,).
        kind: "layer" or "rms" (which has no bias).

    Source: Ba et al. 2016 (1607.06450), equation 3; Zhang and Sennrich 2019 (1910.07467), equation 4.
    """
    norm = (RMSNorm if kind == "rms" else LayerNorm)(len(vector), eps=eps).double()
    for name, parameter in norm.named_parameters():
        parameter.fill_(gain if name == "weight" else bias)
    before = np.array(vector, np.float64)
    after = norm(torch.from_numpy(before)).numpy()
    found = compute_moments(before)
    formula = _formula(norm, before[0], after[0], found, f"{gain:g}", f"{bias:g}")
    return NormRecord(before=before, after=after, moments=(found, compute_moments(after)), formula=formula)


def _formula(norm: LayerNorm | RMSNorm, first: float, then: float, m: Moments, gain: str, bias: str) -> str:
    power = rf"10^{{{round(math.log10(norm.eps))}}}"
    if isinstance(norm, RMSNorm):
        return (
            r"y_i = g\,\frac{x_i}{\sqrt{\frac1n \sum_j x_j^2 + \epsilon}}: \qquad y_0 = "
            rf"{gain} \cdot \frac{{{first:.3f}}}{{\sqrt{{{m.root_mean_square**2:.3f} + {power}}}}} = {then:.3f}"
        )
    return (
        r"y_i = g\,\frac{x_i - \mu}{\sqrt{\sigma^2 + \epsilon}} + b: \qquad y_0 = "
        rf"{gain} \cdot \frac{{{first:.3f} - ({m.mean:.3f})}}{{\sqrt{{{m.variance:.3f} + {power}}}}} "
        rf"+ ({bias}) = {then:.3f}"
    )


def compute_moments(values: Array) -> Moments:
    """Return mean, variance, skew and excess kurtosis of the numbers of vectors (..., D), all with 1/n."""
    values = np.asarray(values, np.float64)
    centered = values - values.mean(-1, keepdims=True)
    variance = (centered**2).mean(-1)
    # A vector of equal numbers has no shape; rounding alone must not give it one.
    is_flat = variance <= (1e-12 * np.maximum(1.0, np.abs(values).max(-1))) ** 2
    shaped = np.where(is_flat, np.nan, variance)
    return Moments(
        mean=values.mean(-1),
        variance=variance,
        variance_unbiased=values.var(-1, ddof=1) if values.shape[-1] > 1 else np.full_like(variance, np.nan),
        skew=(centered**3).mean(-1) / shaped**1.5,
        kurtosis=(centered**4).mean(-1) / shaped**2 - 3,
        root_mean_square=np.sqrt((values**2).mean(-1)),
    )


class Histogram(Result):
    """The counts of numbers in equal bins."""

    edges: Array  # (n_bin + 1,) ascending
    counts: NDArray[np.int64]  # (n_bin,)
    # (n_bin,) expected counts for a normal distribution of the same mean and variance; None for a constant vector
    normal: Array | None


def histogram(values: Array, n_bin: int = 32) -> Histogram:
    """Count the numbers in equal bins over their range. A constant vector fills the middle bin.

    The bins follow the numbers' own range, so two vectors with the same shape of distribution give the same counts.
    """
    values = np.asarray(values, np.float64)
    found = compute_moments(values)
    if np.isnan(found.skew):
        edges = np.linspace(found.mean - 0.5, found.mean + 0.5, n_bin + 1)
        counts = np.zeros(n_bin, np.int64)
        counts[n_bin // 2] = len(values)
        return Histogram(edges=edges, counts=counts, normal=None)
    low, high = float(values.min()), float(values.max())
    place = np.clip(((values - low) / (high - low) * n_bin).astype(np.int64), 0, n_bin - 1)
    edges = np.linspace(low, high, n_bin + 1)
    below = torch.special.ndtr(torch.from_numpy((edges - found.mean) / found.variance**0.5)).numpy()
    return Histogram(edges=edges, counts=np.bincount(place, minlength=n_bin), normal=len(values) * np.diff(below))
