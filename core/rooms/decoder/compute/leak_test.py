"""The leak test: change one token, and see whose logits notice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray

from core.cache import MAX_TRACES, memoize
from core.inspect.loss import token_loss
from core.inspect.reading.model_and_text import ModelAndText
from core.inspect.trace import as_batch
from core.models import registry
from core.models.gpt import GPT


def with_mask(model: GPT, causal: bool) -> GPT:
    """The same weights in a stack that hides the future, or (causal=False) nothing."""
    if model.config.causal == causal:
        return model
    other: GPT = registry.empty(replace(model.config, causal=causal))
    # One tensor for both: nothing is copied, and nothing may be trained.
    registry.fill(other, {name: parameter.detach() for name, parameter in model.named_parameters()})
    return other.eval().requires_grad_(False)


@torch.no_grad()
def changes(model: GPT, ids: Sequence[int], replacement: int) -> Float[NDArray[np.float64], "T T"]:
    """Row t: by how much each position's logits change, at most, when token t becomes another one.

    In a causal model all that stands left of the diagonal is exactly 0: not small, but the same bits.

    Args:
        replacement: the token put in; where it stands already, the next one of the vocabulary.

    Raises:
        ValueError: if the text does not fit the model.
    """
    text = as_batch(model, ids)  # (1, T)
    plain = model(text)[0]  # (T, V)
    config: Any = model.config
    found = []
    # One text at a time and not as a batch: a sum is rounded by its place in a batch, and 0 shall mean that no bit is
    # another one.
    for t in range(text.shape[1]):
        changed = text.clone()
        changed[0, t] = replacement if replacement != int(text[0, t]) else (replacement + 1) % config.vocab_size
        found.append((model(changed)[0] - plain).abs().amax(-1))  # (T,)
    return torch.stack(found).double().cpu().numpy()


@dataclass(frozen=True)
class Leak:
    changes: Float[NDArray[np.float64], "T T"]  # (T, T) see `changes`
    loss: float  # mean of the text, nats per token

    @property
    def before(self) -> float:
        """The largest change at a position before the token that was changed: what has leaked from the future."""
        return float(np.tril(self.changes, -1).max(initial=0.0))


@memoize(MAX_TRACES)
def leak(given: ModelAndText, replacement: int, causal: bool) -> Leak:
    model = with_mask(given.model, causal)  # type: ignore[arg-type]
    return Leak(changes(model, given.ids, replacement), token_loss(model, given.ids).mean)
