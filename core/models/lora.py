"""LoRA: each matrix of a frozen model gets a pair of thin matrices, and only these are trained.

    adapters = add_lora(model, rank=4, generator=torch.Generator().manual_seed(0))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-2)

Source: Hu et al. 2021 (2106.09685).
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from core.nn.tap import tap

ALPHA = 1.0  # the update is divided by the rank and times this, so that all ranks learn at about the same rate
# The matrices of each block that get an update.
TARGET_MATRICES = ("attn.w_q", "attn.w_k", "attn.w_v", "attn.w_o", "mlp.w_in", "mlp.w_out")


class LoRA(nn.Module):
    """A frozen linear map with a trainable low-rank update.

    y = W x + alpha / rank · up (down x); up starts at 0, so the update changes nothing at first. Taps: `base` (B, T,
    O), `update` (B, T, O).

    Args:
        base: the frozen map from I inputs to O outputs.
        rank: the inner dimension, shared by down (rank, I) and up (O, rank).
        generator: draws down, normal with variance 1 / I.

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
        """Return the output of the frozen map plus the update."""
        return tap(self, "base", self.base(x)) + tap(self, "update", self.scale * (x @ self.down.T) @ self.up.T)


def target_matrices(model: Any) -> Iterator[tuple[str, nn.Linear]]:
    """Yield the linear maps of a GPT that get an update, with their names such as "blocks.0.attn.w_q"."""
    for layer in range(model.config.n_layer):
        for name in TARGET_MATRICES:
            place = f"blocks.{layer}.{name}"
            yield place, model.get_submodule(place)


def add_lora(model: nn.Module, rank: int, generator: torch.Generator) -> dict[str, LoRA]:
    """Freeze a model, replace each of its matrices by a LoRA of this rank, and return the adapters by name."""
    model.requires_grad_(False)
    found = {name: LoRA(base, rank, generator) for name, base in target_matrices(model)}
    for name, adapter in found.items():
        parent, _, own = name.rpartition(".")
        setattr(model.get_submodule(parent), own, adapter)
    return found


def lora_update(up: Float[Tensor, "O r"], down: Float[Tensor, "r I"]) -> Float[Tensor, "O I"]:
    """Return the matrix that an adapter adds to its frozen matrix."""
    return ALPHA / down.shape[0] * up @ down


def merge_updates(model: nn.Module, adapters: Mapping[str, tuple[Tensor, Tensor]], strength: float = 1.0) -> None:
    """Add the updates to the matrices themselves, so that the model runs as fast as before.

    Args:
        adapters: `up` (O, r) and `down` (r, I) by the name of the matrix.
        strength: a factor for the updates; 0 leaves the model as it was.
    """
    with torch.no_grad():
        for name, (up, down) in adapters.items():
            model.get_parameter(f"{name}.weight").add_(strength * lora_update(up, down))
