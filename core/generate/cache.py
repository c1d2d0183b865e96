"""What a model has computed once and needs again: next-token logits for sequences that grow.

`CachedModel.next_logits` gives the logits after the last token of each sequence, and computes only what is new since the
call before. (Being made fast; the interface stands.)
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn


class CachedModel:
    """A causal model together with what it has already read.

    Args:
        model: ids (B, T) -> logits (B, T, V).
        cached: False computes everything anew at each call, for comparison.
    """

    def __init__(self, model: nn.Module, cached: bool = True):
        self.model, self.cached = model, cached
        self.device = next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
        self.context_length = getattr(getattr(model, "config", None), "context_length", None)

    @torch.no_grad()
    def next_logits(
        self, sequences: Sequence[Sequence[int]], parents: Sequence[int] | None = None
    ) -> Float[Tensor, "N V"]:
        """Logits after the last token of each sequence, on the CPU.

        Args:
            sequences: N of them, of any lengths.
            parents: row n of this call continues row parents[n] of the call before (beam search reorders, repeats and
                drops rows); None means the same rows in the same order, or a first call.
        """
        windows = [list(one[-self.context_length :] if self.context_length else one) for one in sequences]
        longest = max(len(window) for window in windows)
        padded = torch.tensor([window + [0] * (longest - len(window)) for window in windows], device=self.device)
        last = torch.tensor([len(window) - 1 for window in windows], device=self.device)
        logits = self.model(padded)[torch.arange(len(windows), device=self.device), last]  # (N, V)
        return logits.to("cpu", torch.promote_types(logits.dtype, torch.float32))
