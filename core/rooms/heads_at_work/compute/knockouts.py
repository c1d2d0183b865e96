"""Heads switched off for many texts at once, for any loss: what a batch loses without them."""

from collections.abc import Callable, Iterable

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.nn.tap import Edit, Trace

Loss = Callable[[Tensor], Tensor]


def logits_without(
    model: nn.Module, ids: Int[Tensor, "B T"], heads: Iterable[tuple[int, int]] = ()
) -> Float[Tensor, "B T V"]:
    """What the model says of a batch when some heads write nothing into the residual stream.

    Args:
        model: one with `blocks`; it is not changed.
        ids: the texts.
        heads: (layer, head) of each head that is off; none: the model as it is.

    Raises:
        ValueError: if there is no such head.

    Source: Michel et al. 2019 (1905.10650).
    """
    n_layer, n_head = int(model.config.n_layer), int(model.config.n_head)  # type: ignore[union-attr, arg-type]
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        if not (0 <= layer < n_layer and 0 <= head < n_head):
            raise ValueError(f"there is no head {head} in layer {layer}: there are {n_layer} layers of {n_head} heads")
        by_layer.setdefault(layer, []).append(head)
    edits = {f"blocks.{layer}.attn.heads": _silence(chosen) for layer, chosen in by_layer.items()}
    with torch.no_grad(), Trace(model, edits):
        logits: Tensor = model(ids)
    return logits


def rise_without_each(model: nn.Module, ids: Int[Tensor, "B T"], loss: Loss) -> NDArray[np.float64]:
    """By how much the loss of a batch rises when one head alone is off: (L, H).

    Args:
        loss: of the logits (B, T, V), one number.
    """
    n_layer, n_head = int(model.config.n_layer), int(model.config.n_head)  # type: ignore[union-attr, arg-type]
    before = float(loss(logits_without(model, ids)))
    return np.array(
        [
            [float(loss(logits_without(model, ids, [(layer, head)]))) - before for head in range(n_head)]
            for layer in range(n_layer)
        ]
    )


def _silence(heads: list[int]) -> Edit:
    def edit(x: Tensor) -> Tensor:  # (B, H, T, K)
        x = x.clone()
        x[:, heads] = 0.0
        return x

    return edit
