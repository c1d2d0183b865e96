"""How far back a net's last state still listens: its derivative by earlier inputs, by distance."""

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.nn.tap import Trace


def by_distance(model: nn.Module, ids: Int[Tensor, "B T"]) -> NDArray[np.float64]:
    """Size of the derivative of the last state by the input at each distance before it.

    That is ||d h_n / d x_(n-k)|| / sqrt(D): how far the last state moves, on average over all directions, when the
    input k tokens before is nudged by one. All D x D derivatives are computed, and none is estimated.

    Args:
        model: one that taps `embed` (B, T, D), its input, and `final` (B, T, D), the states that it passes on.
        ids: texts of one length; the root of the mean square is taken over them.

    Returns:
        (T,) entry k is for distance k; entry 0 is the last token itself.

    Source: Bengio et al. 1994; Pascanu et al. 2012 (1211.5063), section 2.1.
    """
    width = int(model.tok_emb.weight.shape[1])  # type: ignore[union-attr, index]
    rows = ids.repeat_interleave(width, 0)  # (B D, T): one copy for each number of the last state
    asked = torch.eye(width).repeat(len(ids), 1)  # (B D, D)

    def follow(x: Tensor) -> Tensor:
        return x.detach().requires_grad_()

    with torch.enable_grad(), Trace(model, edits={"embed": follow}) as trace:
        model(rows)
        last = (trace["final"][:, -1] * asked).sum()
        (gradient,) = torch.autograd.grad(last, trace["embed"])  # (B D, T, D): each row is one row of the Jacobian
    squares = gradient.double().square().sum(-1).reshape(len(ids), width, -1)  # (B, D, T)
    return np.sqrt(squares.mean(1).mean(0).flip(0).numpy())


def kept_per_step(sizes: NDArray[np.float64], first: int = 1) -> float:
    """The factor by which the size changes with each step back, as the mean from distance `first` to the furthest.

    A size that is exactly 0 at the furthest distance gives 0.
    """
    n_step = len(sizes) - 1 - first
    if n_step < 1 or sizes[first] == 0:
        return float("nan")
    return float((sizes[-1] / sizes[first]) ** (1 / n_step))


def table(curves: Mapping[str, NDArray[np.float64]]) -> dict[str, list[float]]:
    """The sizes of several nets by name, one line for each distance."""
    length = len(next(iter(curves.values())))
    return {"distance": list(range(length)), **{name: sizes.tolist() for name, sizes in curves.items()}}
