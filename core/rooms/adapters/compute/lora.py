"""LoRA: beside each matrix of a frozen model stands a thin pair of matrices, and only these learn."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.nn.tap import tap

ALPHA = 1.0  # the update is divided by the rank and times this, so that all ranks learn at about one rate
# Of each block, the matrices that get an update.
MATRICES = ("attn.w_q", "attn.w_k", "attn.w_v", "attn.w_o", "mlp.w_in", "mlp.w_out")


class LoRA(nn.Module):
    """A linear map that stands still, and an update of low rank beside it.

    y = W x + alpha / rank · up (down x); up begins at 0, so that at first nothing is changed. Taps: `base` (B, T, O),
    `update` (B, T, O).

    Args:
        base: the frozen map, of I numbers to O.
        rank: numbers that stand between down (rank, I) and up (O, rank).
        generator: down is drawn from it, normal with variance 1 / I.

    Source: Hu et al. 2021 (2106.09685), section 4.1.
    """

    def __init__(self, base: nn.Linear, rank: int, generator: torch.Generator):
        super().__init__()
        n_out, n_in = base.weight.shape
        self.base = base.requires_grad_(False)
        self.scale = ALPHA / rank
        self.down = nn.Parameter(torch.randn(rank, n_in, generator=generator) / math.sqrt(n_in))
        self.up = nn.Parameter(torch.zeros(n_out, rank))

    def forward(self, x: Float[Tensor, "*B I"]) -> Float[Tensor, "*B O"]:
        """What the frozen map makes of x, and the update."""
        return tap(self, "base", self.base(x)) + tap(self, "update", self.scale * (x @ self.down.T) @ self.up.T)


def matrices(model: Any) -> Iterator[tuple[str, nn.Linear]]:
    """The linear maps of a GPT that get an update, by name: "blocks.0.attn.w_q"."""
    for layer in range(model.config.n_layer):
        for name in MATRICES:
            place = f"blocks.{layer}.{name}"
            yield place, model.get_submodule(place)


def adapt(model: nn.Module, rank: int, generator: torch.Generator) -> dict[str, LoRA]:
    """Freeze a model, and put an update of this rank beside each of its matrices; they are given by name."""
    model.requires_grad_(False)
    found = {name: LoRA(base, rank, generator) for name, base in matrices(model)}
    for name, adapter in found.items():
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, adapter)
    return found


def update(up: Float[Tensor, "O r"], down: Float[Tensor, "r I"]) -> Float[Tensor, "O I"]:
    """What an adapter adds to its matrix."""
    return ALPHA / down.shape[0] * up @ down


def merge(model: nn.Module, adapters: Mapping[str, tuple[Tensor, Tensor]], strength: float = 1.0) -> None:
    """Add the updates to the matrices themselves: from then on the model is as fast as before.

    Args:
        adapters: by name of the matrix, `up` (O, r) and `down` (r, I).
        strength: of the updates; 0 leaves the model as it was.
    """
    with torch.no_grad():
        for name, (up, down) in adapters.items():
            model.get_parameter(f"{name}.weight").add_(strength * update(up, down))
