"""Heads switched off: what the model then says of a batch of texts, and by how much any loss rises."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.nn.tap import Edit, Trace

MOST_LOGITS = 16_000_000  # of one pass: 64 MB


def silenced(model: nn.Module, heads: Iterable[tuple[int, int]], mode: str = "zero") -> dict[str, Edit]:
    """The edits under which some heads say nothing, for `Trace`.

    Args:
        heads: (layer, head) of each.
        mode: "zero": the head writes nothing; "mean": it writes its mean over the positions of a text, so that the
            rest of the model meets what it is used to, without the head's knowledge of where (the mean of a position
            includes later ones).

    Raises ValueError if there is no such head or mode.

    Source: Michel et al. 2019 (1905.10650), Voita et al. 2019 (1905.09418); mean: Wang et al. 2022 (2211.00593).
    """
    if mode not in ("zero", "mean"):
        raise ValueError(f"mode={mode!r} is none of 'zero', 'mean'")
    by_layer: dict[int, list[int]] = {}
    for layer, head in heads:
        check_head(model, layer, head)
        by_layer.setdefault(layer, []).append(head)

    def silence(chosen: list[int]) -> Edit:
        def edit(x: Tensor) -> Tensor:  # (B, H, T, K)
            x = x.clone()
            x[:, chosen] = 0.0 if mode == "zero" else x[:, chosen].mean(-2, keepdim=True)
            return x

        return edit

    return {f"blocks.{layer}.attn.heads": silence(chosen) for layer, chosen in by_layer.items()}


def logits_without(
    model: nn.Module, ids: Int[Tensor, "B T"], heads: Iterable[tuple[int, int]] = (), mode: str = "zero"
) -> Float[Tensor, "B T V"]:
    """What the model says of a batch with some heads off. Arguments, errors and source as of `silenced`."""
    with torch.no_grad(), Trace(model, silenced(model, heads, mode)):
        logits: Tensor = model(ids)
    return logits


def rise_without_each(
    model: nn.Module, ids: Int[Tensor, "B T"], loss: Callable[[Tensor], Tensor], mode: str = "zero"
) -> Float[NDArray[np.float64], "L H"]:
    """By how much the loss of a batch, a function of the logits, rises when one head alone is off.

    Source: Michel et al. 2019 (1905.10650), section 3.2.
    """
    logits, (n_layer, n_head) = logits_without(model, ids, (), mode), sizes(model)
    together = max(1, MOST_LOGITS // logits.numel())
    after = [
        float(loss(one))
        for layer in range(n_layer)
        for first in range(0, n_head, together)
        for one in _without_each(model, ids, layer, range(first, min(first + together, n_head)), mode)
    ]
    return np.reshape(after, (n_layer, n_head)) - float(loss(logits))


def _without_each(
    model: nn.Module, ids: Int[Tensor, "B T"], layer: int, heads: Sequence[int], mode: str
) -> Iterable[Float[Tensor, "B T V"]]:
    """The logits without each of some heads of a layer: one pass over as many copies of the batch."""
    n = len(ids)
    edits = [silenced(model, [(layer, head)], mode)[f"blocks.{layer}.attn.heads"] for head in heads]

    def edit(x: Tensor) -> Tensor:
        return torch.cat([silence(part) for silence, part in zip(edits, x.split(n), strict=True)])

    with torch.no_grad(), Trace(model, {f"blocks.{layer}.attn.heads": edit}):
        logits: Tensor = model(ids.repeat(len(heads), 1))
    return logits.split(n)


def sizes(model: nn.Module) -> tuple[int, int]:
    """Layers, and heads in each."""
    return int(model.config.n_layer), int(model.config.n_head)  # type: ignore[union-attr, arg-type]


def check_head(model: nn.Module, layer: int, head: int) -> None:
    """Raise ValueError if there is no such head."""
    n_layer, n_head = sizes(model)
    if not (0 <= layer < n_layer and 0 <= head < n_head):
        raise ValueError(f"there is no head {head} in layer {layer}: the model has {n_layer} layers of {n_head} heads")
