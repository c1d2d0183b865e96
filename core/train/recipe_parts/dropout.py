"""Dropout: only in training, some numbers are left out at random, so that the model doesn't rely on any single one.

The model's code has no dropout. Instead, the tensors that it names (`core.nn.tap`) are changed in the forward pass.
"""

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn

from core.nn.tap import Trace

# Endings of the tensors' names. In 2017 the outputs into the residual stream were dropped; GPT-2 drops weights, too.
_STREAM = ("embed", "attn.out", "mlp.out")
DROPOUT_PLACES: dict[str, tuple[str, ...]] = {
    "stream": _STREAM,
    "weights": ("attn.weights",),
    "both": (*_STREAM, "attn.weights"),
}
_RECURRENT = ("embed", "final")  # the input of a recurrent network, and the output of its last layer


def make_dropout_forward(
    model: nn.Module, forward: Callable[..., Tensor], where: str, rate: float, seed: list[int]
) -> Callable[..., Tensor]:
    """Return a forward pass with dropout: each number is 0 with probability `rate`; the others are scaled up.

    So the mean stays the same.

    Args:
        where: one of `DROPOUT_PLACES`.
        seed: of the random choices.

    Source: Srivastava et al. 2014, section 10; Vaswani et al. 2017, section 5.4.
    """
    has_attention = any(path.endswith("attn") for path, _ in model.named_modules())
    endings = DROPOUT_PLACES[where] if has_attention else _RECURRENT
    generator = torch.Generator().manual_seed(_one(seed))

    def drop(x: Tensor) -> Tensor:
        kept = torch.rand(x.shape, generator=generator) >= rate  # drawn on the CPU: the same on every device
        return torch.where(kept.to(x.device), x / (1 - rate), 0)

    def run(*inputs: Tensor) -> Tensor:
        with _Dropping(model, endings, drop):
            return forward(*inputs)

    return run


def _one(seed: list[int]) -> int:
    """Combine several numbers into one seed."""
    return int(np.random.default_rng(seed).integers(2**32))


class _Dropping(Trace):
    """A trace that stores nothing, and applies dropout to every tensor whose name has one of these endings."""

    def __init__(self, model: nn.Module, endings: tuple[str, ...], drop: Callable[[Tensor], Tensor]):
        super().__init__(model, keep=())
        self._endings, self._drop = endings, drop

    def visit(self, module: nn.Module, name: str, x: Tensor) -> Tensor:
        path = self._paths.get(id(module))
        is_dropped = path is not None and f"{path}.{name}".endswith(self._endings)
        return super().visit(module, name, self._drop(x) if is_dropped else x)
