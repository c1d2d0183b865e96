"""The toy model of superposition: more features than numbers to keep them in, and the loss that this costs."""

from itertools import product

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.nn.tap import tap

DECAY = 0.9  # each feature is so much as important as the one before
N_VALUE, FACTOR = 127, 75  # values of each feature, of which the loss is the mean; a factor found by trying all


class Toys(nn.Module):
    """Toy models side by side, each with weights of its own: x' = ReLU(WᵀW x + b). Tap: `hidden` (M, B, H).

    Call it with features (M, B, N); column n of a weight (H, N) is the arrow of feature n.

    Args:
        n_model: M, how many.
        n_feature, n_hidden: N and H.
        relu: False leaves it out: the model is then linear.
        generator: the weights are drawn from it, arrows of about length sqrt(H / N).

    Source: Elhage et al. 2022 (2209.10652), section 2.
    """

    def __init__(self, n_model: int, n_feature: int, n_hidden: int, *, relu: bool, generator: torch.Generator):
        super().__init__()
        self.relu = relu
        start = torch.randn(n_model, n_hidden, n_feature, generator=generator) / n_feature**0.5
        self.weight = nn.Parameter(start)  # (M, H, N)
        self.bias = nn.Parameter(torch.zeros(n_model, 1, n_feature))  # (M, 1, N)

    def forward(self, x: Float[Tensor, "M B N"]) -> Float[Tensor, "M B N"]:
        """The features as they come back."""
        hidden = tap(self, "hidden", x @ self.weight.mT)  # (M, B, H)
        back = hidden @ self.weight + self.bias  # (M, B, N)
        return back.relu() if self.relu else back


def importance(n_feature: int) -> NDArray[np.float64]:
    """(N,) how much an error in each feature counts."""
    return np.array([DECAY**i for i in range(n_feature)])


def values(n_feature: int) -> NDArray[np.float64]:
    """(127, N) values of the features where they are there, for N up to 8: evenly spread over all that they can be.

    A lattice: each column has every value once, and no two columns go together (correlations below 0.05).
    """
    steps = [pow(FACTOR, j, N_VALUE) for j in range(n_feature)]
    return (np.outer(np.arange(N_VALUE), steps) % N_VALUE + 0.5) / N_VALUE


def patterns(n_feature: int) -> NDArray[np.float64]:
    """(2^N, N) every way in which features can be there (1) or not (0)."""
    return np.array(list(product((0.0, 1.0), repeat=n_feature)))


def errors(
    weight: NDArray[np.floating], bias: NDArray[np.floating], *, relu: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(2^N, N) the patterns, and (2^N,) of each the mean squared error, weighed by importance.

    Args:
        weight: (H, N); bias: (N,).
    """
    there = patterns(weight.shape[1])
    x = there[:, None] * values(weight.shape[1])  # (2^N, 127, N)
    back = x @ weight.T.astype(float) @ weight.astype(float) + bias.astype(float)
    wrong = x - (np.maximum(back, 0) if relu else back)
    return there, (wrong**2 * importance(weight.shape[1])).sum(-1).mean(-1)


def loss(weight: NDArray[np.floating], bias: NDArray[np.floating], often: float, *, relu: bool) -> float:
    """The expected loss where each feature is there with probability `often`, whatever the others are."""
    there, error = errors(weight, bias, relu=relu)
    n = there.sum(1)
    return float((often**n * (1 - often) ** (there.shape[1] - n) * error).sum())


def by_count(weight: NDArray[np.floating], bias: NDArray[np.floating], *, relu: bool) -> NDArray[np.float64]:
    """(N + 1,) the mean error where so many features are there at once."""
    there, error = errors(weight, bias, relu=relu)
    n = there.sum(1).astype(int)
    return np.bincount(n, error) / np.bincount(n)


def loss_of_the_first(n_kept: int, n_feature: int, often: float) -> float:
    """The loss of who keeps the most important features without error, and of all others says their mean."""
    spread = often / 3 - often**2 / 4  # variance of a feature that is uniform from 0 to 1, and 0 where it is not there
    return float(importance(n_feature)[n_kept:].sum() * spread)
