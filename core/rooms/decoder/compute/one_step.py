"""One optimizer step for one weight, with its numbers: the gradient, checked, and what AdamW makes of it."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from core.train.optimizers import AdamW

STEPS = tuple(10.0**-k for k in range(13))  # of the finite difference


@dataclass(frozen=True)
class GradientCheck:
    """A gradient by backpropagation, and by moving the weight a little to both sides."""

    weight: float  # the weight's value
    loss: float  # of the window, nats per token
    gradient: float  # by autograd
    steps: NDArray[np.float64]  # (N,) h, how far the weight is moved
    differences: NDArray[np.float64]  # (N,) (loss(w + h) - loss(w - h)) / 2h
    errors: NDArray[np.float64]  # (N,) |difference - gradient|


@dataclass(frozen=True)
class Update:
    """AdamW's arithmetic for one weight at one step."""

    t: int  # number of the step, from 1
    loss: float  # before the step
    gradient: float  # of the weight
    m: float  # m, v: memories of the gradient and of its square, after the step
    v: float
    m_hat: float  # m_hat, v_hat: the same, corrected for having started at 0
    v_hat: float
    decay: float  # what the weight decay takes away
    move: float  # learning rate times m_hat / (sqrt(v_hat) + eps)
    before: float  # before, after: the weight
    after: float


def precise(model: nn.Module) -> nn.Module:
    """A copy of the model with 64-bit numbers, to be trained and thrown away."""
    return copy.deepcopy(model).double().requires_grad_(True)


def loss_of(model: nn.Module, window: Tensor) -> Tensor:
    """Mean cross-entropy of a window (N,): each token but the first, predicted from those before it."""
    loss: Tensor = F.cross_entropy(model(window[None, :-1])[0], window[1:])
    return loss


def check_gradient(
    model: nn.Module, window: Sequence[int], name: str, place: Sequence[int], steps: Sequence[float] = STEPS
) -> GradientCheck:
    """The gradient of one weight by autograd and by central finite differences.

    Args:
        window: (N,) the text whose loss it is.
        name, place: which parameter and which of its numbers, as (row, column) or (index,).

    Source: the error of the difference is of order h^2 (truncation) plus of order 1e-16 / h (rounding).
    """
    copied, ids = precise(model), torch.tensor(window)
    weights = dict(copied.named_parameters())[name]
    at = tuple(place)
    with torch.enable_grad():
        loss = loss_of(copied, ids)
        gradient = float(torch.autograd.grad(loss, weights)[0][at])
    value, differences = float(weights[at].detach()), []
    with torch.no_grad():
        for h in steps:
            weights[at] = value + h
            above = loss_of(copied, ids)
            weights[at] = value - h
            below = loss_of(copied, ids)
            weights[at] = value
            differences.append(float(above - below) / (2 * h))
    found = np.array(differences)
    return GradientCheck(value, float(loss.detach()), gradient, np.array(steps), found, np.abs(found - gradient))


def follow(
    model: nn.Module,
    window: Sequence[int],
    name: str,
    place: Sequence[int],
    *,
    n_step: int,
    learning_rate: float,
    betas: tuple[float, float] = (0.9, 0.99),
    weight_decay: float = 0.0,
) -> tuple[Update, ...]:
    """Train a copy of the whole model on one window, and keep what AdamW does to one weight.

    All weights move; the numbers are read from the optimizer's own state, before and after each step.

    Args:
        window, name, place: as in `check_gradient`.
        learning_rate, betas, weight_decay: of `core.train.optimizers.AdamW`.
    """
    copied, ids, at = precise(model), torch.tensor(window), tuple(place)
    parameters = dict(copied.named_parameters())
    weights = parameters[name]
    optimizer = AdamW(parameters, learning_rate=learning_rate, betas=betas, weight_decay=weight_decay)
    found = []
    for t in range(1, n_step + 1):
        with torch.enable_grad():
            copied.zero_grad()
            loss = loss_of(copied, ids)
            loss.backward()
        assert weights.grad is not None
        before, gradient = float(weights[at].detach()), float(weights.grad[at])
        optimizer.step()
        m, v = (float(optimizer.state[f"{name}.{part}"][at]) for part in "mv")
        m_hat, v_hat = m / (1 - betas[0] ** t), v / (1 - betas[1] ** t)
        decay = learning_rate * weight_decay * before if weights.ndim >= 2 else 0.0
        move, after = learning_rate * m_hat / (v_hat**0.5 + optimizer.eps), float(weights[at].detach())
        found.append(Update(t, float(loss.detach()), gradient, m, v, m_hat, v_hat, decay, move, before, after))
    return tuple(found)
