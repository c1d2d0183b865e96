"""A law through measured losses, what it predicts for the next size, and how sure that is.

Two laws are tried on logarithmic axes: a straight line, loss = a · size^-b, which holds where only the size limits a
model; and a parabola, which has a lowest point: with the same time for all, small models lack room and large ones
lack steps.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Prediction:
    """A loss that was predicted, with its 95 % prediction interval."""

    value: float
    low: float
    high: float

    def holds(self, measured: float) -> bool:
        return self.low <= measured <= self.high


@dataclass(frozen=True)
class Law:
    """ln loss as a polynomial of ln size."""

    coefficients: tuple[float, ...]  # lowest power first: (c0, c1) of a straight line, (c0, c1, c2) of a parabola
    spread: float  # standard deviation of the residuals of ln loss: 0.01 is one percent of the loss
    inverse: NDArray[np.float64]  # (K, K) of the normal equations, for the interval
    n_free: int  # points less coefficients

    def loss(self, size: float) -> float:
        return math.exp(float(_powers(size, len(self.coefficients)) @ np.array(self.coefficients)))

    def predict(self, size: float) -> Prediction:
        """What to expect of one new model of this size, if the law goes on as it is and scatters as it did.

        The interval widens with the distance from the points: a line that is a little wrong goes more and more astray.
        """
        from scipy import stats  # type: ignore[import-untyped]  # here, because it takes half a second to import

        x = _powers(size, len(self.coefficients))
        t = float(stats.t.ppf(0.975, self.n_free))  # so many standard errors on either side hold 95 %
        width = t * self.spread * math.sqrt(1 + float(x @ self.inverse @ x))
        middle = self.loss(size)
        return Prediction(middle, middle * math.exp(-width), middle * math.exp(width))

    @property
    def lowest(self) -> float | None:
        """The size at which a parabola is lowest; None where there is no such size."""
        if len(self.coefficients) < 3 or self.coefficients[2] <= 0:
            return None
        return math.exp(-self.coefficients[1] / (2 * self.coefficients[2]))


def fit(sizes: Sequence[float] | NDArray, losses: Sequence[float] | NDArray, degree: int) -> Law:
    """Least squares on logarithmic axes: loss = a · size^-b (degree 1), or a parabola (degree 2).

    Raises ValueError: if there are not two points more than the degree, so that a spread can be told.

    Source: the straight line: Kaplan et al. 2020 (2001.08361); the parabola at equal work: Hoffmann et al. 2022
    (2203.15556), section 3.2.
    """
    if len(sizes) < degree + 2:
        raise ValueError(f"{len(sizes)} points are too few for a curve of {degree + 1} numbers and its spread")
    x = np.stack([_powers(size, degree + 1) for size in sizes])
    y = np.log(np.asarray(losses, dtype=np.float64))
    coefficients = np.linalg.lstsq(x, y, rcond=None)[0]
    n_free = len(sizes) - degree - 1
    spread = math.sqrt(float(np.square(y - x @ coefficients).sum()) / n_free)
    inverse: NDArray[np.float64] = np.linalg.inv(x.T @ x).astype(np.float64)
    return Law(tuple(float(c) for c in coefficients), spread, inverse, n_free)


def _powers(size: float, n: int) -> NDArray[np.float64]:
    """1, ln size, (ln size)^2, ..."""
    return np.array([math.log(size) ** k for k in range(n)])
