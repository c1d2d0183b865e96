"""Weights in one byte each, for a record that holds many models.

A matrix becomes whole numbers from -127 to 127 and one scale; vectors stay in half precision. A model is first brought
onto this grid (`on_grid`) and measured after, so that what a record says was measured on what it holds.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from core.train.experiment import Record

Parameters = Mapping[str, Tensor]


@torch.no_grad()
def on_grid(model: nn.Module) -> None:
    """Round every parameter to what a record keeps of it."""
    for w in model.parameters():
        if w.ndim < 2:
            w.copy_(w.half().float())
        else:
            scale = _scale(w)
            w.copy_((w / scale).round() * scale)


@torch.no_grad()
def pack(parameters: Parameters, variant: str) -> dict[str, NDArray[Any]]:
    """Three flat arrays, "model.<variant>.matrices", ".vectors" and ".scales"; few names keep a record small."""
    matrices = [w.detach() for _, w in sorted(parameters.items()) if w.ndim > 1]
    vectors = [w.detach().half().flatten() for _, w in sorted(parameters.items()) if w.ndim < 2]
    levels = [(w / _scale(w)).round().to(torch.int8).flatten() for w in matrices]
    return {
        f"model.{variant}.matrices": torch.cat(levels).numpy(),
        f"model.{variant}.vectors": torch.cat(vectors).numpy(),
        f"model.{variant}.scales": torch.stack([_scale(w) for w in matrices]).numpy(),
    }


def unpack(record: Record, variant: str, like: Parameters) -> dict[str, Float[Tensor, "..."]]:
    """The parameters that `pack` put under this variant.

    Args:
        like: parameters of the same names and shapes; their values do not matter.
    """
    matrices, vectors, scales = (record[f"model.{variant}.{part}"] for part in ("matrices", "vectors", "scales"))
    found: dict[str, Tensor] = {}
    for name, place in sorted(like.items()):
        if place.ndim > 1:
            now, matrices = np.split(matrices, [place.numel()])
            values, scales = now.astype(np.float32) * scales[0], scales[1:]
        else:
            now, vectors = np.split(vectors, [place.numel()])
            values = now.astype(np.float32)
        found[name] = torch.from_numpy(values).view(place.shape)
    return found


def _scale(w: Float[Tensor, "..."]) -> Float[Tensor, ""]:
    return w.abs().max().clamp(min=1e-8) / 127
