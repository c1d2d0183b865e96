"""What a norm does to the numbers of a vector: mean and spread change, the shape of their distribution does not."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.nn.norms import LayerNorm, RMSNorm

Array = NDArray[np.float64]


def _two_lumps(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    left = torch.rand(shape, generator=generator, dtype=torch.float64) < 0.5
    noise = torch.randn(shape, generator=generator, dtype=torch.float64)
    return torch.where(left, -3.0, 3.0) + 0.5 * noise


def _exponential(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.empty(shape, dtype=torch.float64).exponential_(generator=generator)


def _normal(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def _uniform(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.rand(shape, generator=generator, dtype=torch.float64)


def _constant(shape: tuple[int, ...], generator: torch.Generator) -> Tensor:
    return torch.full(shape, 5.0, dtype=torch.float64)


_SOURCES: dict[str, Callable[[tuple[int, ...], torch.Generator], Tensor]] = {
    "exponential": _exponential,
    "normal": _normal,
    "uniform": _uniform,
    "two lumps": _two_lumps,
    "constant": _constant,
}
SOURCES = tuple(_SOURCES)
MOMENT_NAMES = (
    "mean",
    "variance, divided by n",
    "variance, divided by n − 1",
    "skew",
    "excess kurtosis",
    "root mean square",
)


@dataclass(frozen=True)
class Moments:
    """How the numbers of a vector are distributed.

    Args:
        mean, variance: the variance divides by n, as the norms do.
        variance_unbiased: divided by n - 1.
        skew: 0 if the distribution is symmetric, positive with a long tail to the right; nan for a constant vector.
        kurtosis: excess: 0 for a normal distribution, positive with heavy tails; nan for a constant vector.
        root_mean_square: what RMSNorm brings to 1.
    """

    mean: float
    variance: float
    variance_unbiased: float
    skew: float
    kurtosis: float
    root_mean_square: float


@dataclass(frozen=True)
class NormRecord:
    """A vector before and after a norm.

    Args:
        before, after: (D,) the numbers.
        moments: of both.
        torch_difference: largest difference from torch's own norm of the same settings.
    """

    before: Array
    after: Array
    moments: tuple[Moments, Moments]
    torch_difference: float

    def table(self) -> dict[str, list[Any]]:
        """The moments before and after, as a table."""
        columns = [
            [m.mean, m.variance, m.variance_unbiased, m.skew, m.kurtosis, m.root_mean_square] for m in self.moments
        ]
        return {"": list(MOMENT_NAMES), "before": columns[0], "after": columns[1]}


def draw(source: str, width: int, seed: int) -> Array:
    """A vector of independent numbers of one distribution.

    Raises:
        ValueError: if there is no distribution of that name.
    """
    if source not in _SOURCES:
        raise ValueError(f"source={source!r} is none of {', '.join(SOURCES)}")
    return _SOURCES[source]((width,), torch.Generator().manual_seed(seed)).numpy()


@torch.no_grad()
def normalise(
    vector: Array, kind: str = "layer", gain: float = 1.0, bias: float = 0.0, eps: float = 1e-5
) -> NormRecord:
    """Send a vector through LayerNorm or RMSNorm, all gains and biases alike.

    Args:
        vector: (D,).
        kind: "layer" or "rms" (which has no bias).

    Raises:
        ValueError: if there is no norm of that name.

    Source: Ba et al. 2016 (1607.06450), equation 3; Zhang and Sennrich 2019 (1910.07467), equation 4.
    """
    x = torch.from_numpy(np.array(vector, np.float64))
    size = len(vector)
    norm: LayerNorm | RMSNorm
    reference: torch.nn.Module
    if kind == "layer":
        norm, reference = LayerNorm(size, eps=eps).double(), torch.nn.LayerNorm(size, eps=eps).double()
        assert norm.bias is not None
        norm.bias.fill_(bias)
        reference.bias.fill_(bias)
    elif kind == "rms":
        norm, reference = RMSNorm(size, eps=eps).double(), torch.nn.RMSNorm(size, eps=eps).double()
    else:
        raise ValueError(f"kind={kind!r} is none of 'layer', 'rms'")
    assert norm.weight is not None
    norm.weight.fill_(gain)
    reference.weight.fill_(gain)
    after = norm(x)
    difference = float((after - reference(x)).abs().max())
    return NormRecord(x.numpy(), after.numpy(), (moments(x.numpy()), moments(after.numpy())), difference)


def moments(values: Array) -> Moments:
    """Mean, variance, skew and excess kurtosis of the numbers of a vector, all with 1/n."""
    values = np.asarray(values, np.float64)
    centered = values - values.mean()
    variance = float((centered**2).mean())
    # A vector of equal numbers has no shape; rounding alone must not give it one.
    flat = variance <= (1e-12 * max(1.0, float(np.abs(values).max()))) ** 2
    return Moments(
        mean=float(values.mean()),
        variance=variance,
        variance_unbiased=float(values.var(ddof=1)) if len(values) > 1 else float("nan"),
        skew=float("nan") if flat else float((centered**3).mean() / variance**1.5),
        kurtosis=float("nan") if flat else float((centered**4).mean() / variance**2 - 3),
        root_mean_square=float(np.sqrt((values**2).mean())),
    )


@dataclass(frozen=True)
class Histogram:
    """How many numbers fall into each of some equal bins.

    Args:
        edges: (n_bin + 1,) rising.
        counts: (n_bin,).
        normal: (n_bin,) how many a normal distribution of the same mean and variance would put there; nan for a
            constant vector.
    """

    edges: Array
    counts: NDArray[np.int64]
    normal: Array


def histogram(values: Array, n_bin: int = 32) -> Histogram:
    """Cut the range of the numbers into equal bins and count. A constant vector fills the bin in the middle.

    The bins follow the numbers' own range, so two vectors with the same shape of distribution give the same counts.
    """
    values = np.asarray(values, np.float64)
    found = moments(values)
    if np.isnan(found.skew):
        edges = np.linspace(found.mean - 0.5, found.mean + 0.5, n_bin + 1)
        counts = np.zeros(n_bin, np.int64)
        counts[n_bin // 2] = len(values)
        return Histogram(edges, counts, np.full(n_bin, np.nan))
    low, high = float(values.min()), float(values.max())
    place = np.clip(((values - low) / (high - low) * n_bin).astype(np.int64), 0, n_bin - 1)
    edges = np.linspace(low, high, n_bin + 1)
    below = torch.special.ndtr(torch.from_numpy((edges - found.mean) / found.variance**0.5)).numpy()
    return Histogram(edges, np.bincount(place, minlength=n_bin), len(values) * np.diff(below))
