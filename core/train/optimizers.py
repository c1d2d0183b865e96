"""Optimizers: SGD and AdamW for every kind of parameter, Muon for the matrices between activations.

Each keeps its memory in `state`, a flat mapping from names to tensors, so that a run can be saved and resumed.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import torch
from jaxtyping import Float
from torch import Tensor, nn

Quintic = tuple[float, float, float]

# One odd polynomial a x + b x^3 + c x^5 for each round. Jordan's repeats one that maps all but the smallest values in
# 0..1 to 0.7..1.2. Polar Express has the best polynomial for the result of the rounds before. The first three of its
# five give values between about 0.15 and 1.9. That is enough, because weak directions are amplified 128-fold.
JORDAN: tuple[Quintic, ...] = ((3.4445, -4.7750, 2.0315),) * 5
POLAR_EXPRESS: tuple[Quintic, ...] = (
    (8.156554524902461, -22.48329292557795, 15.878769915207462),
    (4.042929935166739, -2.808917465908714, 0.5000178451051316),
    (3.8916678022926607, -2.772484153217685, 0.5060648178503393),
)


class Optimizer(Protocol):
    """The interface of an optimizer in a training run."""

    state: dict[str, Tensor]

    def step(self, share: float) -> None:
        """Move the parameters by their gradients, at `share` (0 to 1) of the full learning rate."""


class SGD:
    """Stochastic gradient descent: each parameter moves against its gradient, or against a decaying sum of gradients.

        m = momentum m + g        w = w - lr m - lr weight_decay w

    Args:
        parameters: name -> parameter; those without a gradient don't move.
        learning_rate: of all parameters.
        momentum: the share of the sum that each step keeps; 0: no momentum.
        weight_decay: pull of the matrices towards 0; vectors (biases, gains) are not pulled.

    Source: Robbins and Monro 1951; momentum: Polyak 1964, as in Sutskever et al. 2013, section 2.
    """

    def __init__(
        self,
        parameters: Mapping[str, nn.Parameter],
        *,
        learning_rate: float,
        momentum: float = 0.9,
        weight_decay: float = 0.0,
    ):
        self.parameters = dict(parameters)
        self.learning_rate, self.momentum, self.weight_decay = learning_rate, momentum, weight_decay
        self.state = {f"{name}.m": torch.zeros_like(w, requires_grad=False) for name, w in self.parameters.items()}

    @torch.no_grad()
    def step(self, share: float = 1.0) -> None:
        rate = share * self.learning_rate
        for name, w in self.parameters.items():
            if w.grad is None:
                continue
            m = self.state[f"{name}.m"].mul_(self.momentum).add_(w.grad)
            if w.ndim >= 2 and self.weight_decay:
                w.mul_(1 - rate * self.weight_decay)
            w.add_(m, alpha=-rate)


class AdamW:
    """AdamW: each parameter moves by its smoothed gradient, divided by the gradient's usual size.

        m = b1 m + (1 - b1) g        v = b2 v + (1 - b2) g^2        (both start at 0, hence the corrections below)
        w = w - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps) - lr weight_decay w

    Args:
        parameters: name -> parameter; those without a gradient don't move.
        learning_rate: one for all, or one for each name.
        betas: b1 and b2, the memories of the gradient and of its square.
        eps: keeps the division finite.
        weight_decay: pull of the matrices towards 0; vectors (biases, gains) are not pulled.

    Source: Loshchilov and Hutter 2017 (1711.05101), algorithm 2; Kingma and Ba 2014 for m and v.
    """

    def __init__(
        self,
        parameters: Mapping[str, nn.Parameter],
        *,
        learning_rate: float | Mapping[str, float],
        betas: tuple[float, float] = (0.9, 0.99),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ):
        self.parameters = dict(parameters)
        rates = learning_rate if isinstance(learning_rate, Mapping) else dict.fromkeys(parameters, learning_rate)
        self.rates = dict(rates)
        self.betas, self.eps, self.weight_decay = betas, eps, weight_decay
        self.state = {"n_update": torch.zeros((), dtype=torch.int64)}
        for name, parameter in self.parameters.items():
            self.state[f"{name}.m"] = torch.zeros_like(parameter, requires_grad=False)
            self.state[f"{name}.v"] = torch.zeros_like(parameter, requires_grad=False)

    @torch.no_grad()
    def step(self, share: float = 1.0) -> None:
        self.state["n_update"] += 1
        t = int(self.state["n_update"])
        b1, b2 = self.betas
        for name, w in self.parameters.items():
            if w.grad is None:
                continue
            rate = share * self.rates[name]
            m = self.state[f"{name}.m"].lerp_(w.grad, 1 - b1)
            v = self.state[f"{name}.v"].mul_(b2).addcmul_(w.grad, w.grad, value=1 - b2)
            if w.ndim >= 2 and self.weight_decay:
                w.mul_(1 - rate * self.weight_decay)
            usual = v.sqrt().div_(math.sqrt(1 - b2**t)).add_(self.eps)
            w.addcdiv_(m, usual, value=-rate / (1 - b1**t))


class Muon:
    """Muon: each matrix moves by its orthogonalized smoothed gradient, equally far in every direction.

    A gradient matrix is usually dominated by a few directions. If it is orthogonalized (all singular values near 1),
    the update moves the matrix equally far along all of them, however weak their signal. Matrices of equal shape are
    handled as one batch.

    Args:
        parameters: name -> matrix (rows, columns).
        learning_rate: length of a step in each direction, before the factor max(1, rows / columns)^0.5 for the shape.
        momentum: memory of the smoothed gradient; the update looks one step ahead (Nesterov).
        rounds: polynomials of the orthogonalization, see `orthogonalize`.
        dtype: of the orthogonalization; bfloat16 is enough.

    Source: Jordan et al. 2024, "Muon: an optimizer for hidden layers".
    """

    def __init__(
        self,
        parameters: Mapping[str, nn.Parameter],
        *,
        learning_rate: float,
        momentum: float = 0.85,
        rounds: Sequence[Quintic] = POLAR_EXPRESS,
        dtype: torch.dtype = torch.float32,
    ):
        self.learning_rate, self.momentum, self.rounds, self.dtype = learning_rate, momentum, rounds, dtype
        self.groups: dict[str, list[nn.Parameter]] = {}
        for parameter in parameters.values():
            self.groups.setdefault("{}x{}".format(*parameter.shape), []).append(parameter)
        self.state = {
            f"{shape}.m": torch.zeros(len(group), *group[0].shape, device=group[0].device)
            for shape, group in self.groups.items()
        }

    @torch.no_grad()
    def step(self, share: float = 1.0) -> None:
        for shape, group in self.groups.items():
            # An expert that was sent no token has no gradient, and doesn't move.
            moved = [n for n, w in enumerate(group) if w.grad is not None]
            gradients = torch.stack([w.grad for w in group if w.grad is not None])  # (N, rows, columns)
            memory = self.state[f"{shape}.m"]
            if len(moved) == len(group):
                m = memory.lerp_(gradients, 1 - self.momentum)
            else:
                m = memory[moved].lerp_(gradients, 1 - self.momentum)
                memory[moved] = m
            ahead = gradients.lerp_(m, self.momentum)
            update = orthogonalize(ahead, self.rounds, self.dtype).float()
            n_row, n_column = group[0].shape
            rate = share * self.learning_rate * math.sqrt(max(1.0, n_row / n_column))
            torch._foreach_add_([group[n] for n in moved], update.unbind(), alpha=-rate)


def orthogonalize(
    x: Float[Tensor, "N R C"], rounds: Sequence[Quintic] = POLAR_EXPRESS, dtype: torch.dtype = torch.float32
) -> Float[Tensor, "N R C"]:
    """Bring all singular values of each matrix near 1 and keep its directions: U S V^T becomes about U V^T.

    An odd polynomial of a matrix acts only on its singular values, and needs only matrix products, no SVD.

    Args:
        x: a batch of matrices of any scale.
        rounds: (a, b, c) of each round's a x + b x^3 + c x^5, for singular values from 0 to 1.
        dtype: of the computation.

    Source: Newton-Schulz iteration as in Jordan et al. 2024; `POLAR_EXPRESS`: Amsel et al. 2025 (2505.16932).
    """
    tall = x.shape[-2] > x.shape[-1]
    x = (x.mT if tall else x).to(dtype)
    # The Frobenius norm is at least the largest singular value; 2% to spare for rounding.
    x = x / (x.norm(dim=(-2, -1), keepdim=True) * 1.02 + 1e-7)
    for a, b, c in rounds:
        gram = x @ x.mT  # (N, R, R): x^2
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)  # a x + (b x^2 + c x^4) x
    return x.mT if tall else x
