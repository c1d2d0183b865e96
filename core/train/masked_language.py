"""The masked language model as an objective of a run: windows of the text, `<class>` before each, gaps to fill."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn import functional as F

from core.train.experiments.masking import Corrupted, corrupt
from core.train.objectives import Forward

_VALIDATION = 2**32  # no run's seed: all runs are validated on the same gaps


@dataclass(frozen=True)
class FillGaps:
    """Which tokens stood at the chosen places? See `core.train.experiments.masking`.

    Args:
        context_length: tokens in a window, `<class>` among them.
        class_id, mask_id: the two special tokens; all ids below class_id are plain.
        seed: of the run; with the step it draws the gaps.
    """

    context_length: int
    class_id: int
    mask_id: int
    seed: int

    def loss(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], step: int) -> Tensor:
        batch = self._batch(ids, starts, [self.seed, step])
        logits = forward(batch.inputs.to(ids.device))  # (B, T, V)
        chosen = batch.chosen.to(ids.device)
        asked = batch.targets.to(ids.device)[chosen]
        total = F.cross_entropy(logits[chosen].float(), asked, reduction="sum")
        return total / max(1, len(asked))  # of a very small batch none may be chosen

    @torch.no_grad()
    def evaluate(self, forward: Forward, ids: Int[Tensor, " N"], starts: Int[Tensor, " W"], batch_size: int) -> float:
        batch = self._batch(ids, starts, [_VALIDATION])
        total = 0.0
        for inputs, targets, chosen in zip(
            *(part.split(batch_size) for part in (batch.inputs, batch.targets, batch.chosen)), strict=True
        ):
            logits = forward(inputs.to(ids.device))[chosen.to(ids.device)].float()
            total += float(F.cross_entropy(logits, targets[chosen].to(ids.device), reduction="sum"))
        return total / max(1, int(batch.chosen.sum()))

    def n_asked(self, starts: Int[Tensor, " W"]) -> int:
        # Which places are chosen does not depend on what stands there.
        blank = torch.zeros(int(starts.max()) + self.context_length, dtype=torch.long)
        return int(self._batch(blank, starts.cpu(), [_VALIDATION]).chosen.sum())

    def _batch(self, ids: Int[Tensor, " N"], starts: Int[Tensor, " B"], seed: list[int]) -> Corrupted:
        """Windows with `<class>` before them and gaps in them, drawn on the CPU: the same on every device."""
        text = ids.unfold(0, self.context_length - 1, 1)[starts].cpu()  # (B, T - 1)
        text = F.pad(text, (1, 0), value=self.class_id)  # (B, T)
        eligible = torch.ones_like(text, dtype=torch.bool)
        eligible[:, 0] = False
        generator = torch.Generator().manual_seed(int(np.random.default_rng(seed).integers(2**32)))
        return corrupt(text, eligible, self.mask_id, self.class_id, generator)
