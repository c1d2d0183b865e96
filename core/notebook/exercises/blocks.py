"""`block`: two parts beside the residual path."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Generator, Tensor, nn

from core.notebook.exercises.exercise import Exercise, Outcome


def block(x: Tensor, attn: nn.Module, mlp: nn.Module, norm_1: nn.Module, norm_2: nn.Module) -> Tensor:
    """Pre-norm: both parts add to the stream."""
    x = x + attn(norm_1(x))
    return x + mlp(norm_2(x))


def _block_trial(function: Callable[..., Any], generator: Generator) -> Outcome:
    x = 3 * torch.randn((2, 4, 8), generator=generator)
    w_1, w_2 = (torch.randn((8, 8), generator=generator) for _ in range(2))
    parts: list[Any] = [lambda y: (y @ w_1).tanh(), lambda y: (y @ w_2).relu(), *[_Norm(2.0), _Norm(0.5)]]
    return {"the stream": function(x, *parts)}


class _Norm:
    """A norm that can be told from another."""

    def __init__(self, gain: float):
        self.gain = gain

    def __call__(self, x: Tensor) -> Tensor:
        return self.gain * nn.functional.layer_norm(x, x.shape[-1:])


def _post_norm(x: Tensor, attn: Any, mlp: Any, norm_1: Any, norm_2: Any) -> Tensor:
    x = norm_1(x + attn(x))
    return norm_2(x + mlp(x))


def _no_residual(x: Tensor, attn: Any, mlp: Any, norm_1: Any, norm_2: Any) -> Tensor:
    return mlp(norm_2(attn(norm_1(x))))


def _side_by_side(x: Tensor, attn: Any, mlp: Any, norm_1: Any, norm_2: Any) -> Tensor:
    return x + attn(norm_1(x)) + mlp(norm_2(x))


def _adds_the_norm(x: Tensor, attn: Any, mlp: Any, norm_1: Any, norm_2: Any) -> Tensor:
    x = norm_1(x)
    x = x + attn(x)
    x = norm_2(x)
    return x + mlp(x)


BLOCK = Exercise(
    _block_trial,
    block,
    (
        ("that is post-norm, the block of 2017: here the norm stands before each part.", _post_norm),
        ("nothing is added to x: the residual path is missing.", _no_residual),
        ("both parts read the same x; the MLP has to read what attention has added.", _side_by_side),
        ("the norm is on the residual path; only what a part reads is normalised.", _adds_the_norm),
    ),
)
