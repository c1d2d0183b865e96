"""A model that has seconds to learn: a start and an optimizer that make the most of few steps, for any architecture."""

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.models import registry
from core.train.initialization import MuonAdamW
from core.train.optimizers import AdamW, Muon

MUON, ADAMW = 0.02, 0.008  # learning rates at their highest; found by measuring


class Sprinter:
    """A model on its way through a training of `n_step` steps: Muon for the matrices of blocks, AdamW for the rest.

    Blocks begin silent (their projections into the residual stream are 0) and so does the output layer: the first
    answer is uniform, the first loss ln V. Other matrices begin with outputs about as large as their inputs,
    embeddings with deviation `spread`.

    Args:
        config: of the model; any that is registered.
        seed: of its weights; the generator is its own.
        n_step: of the whole training. The learning rate is kept for half of it, then brought down to 0 on a line.
        rate: factor of both learning rates.
        spread: deviation of the embeddings at the start.
        weight_decay: of the AdamW part.
    """

    def __init__(
        self, config: Any, seed: int, n_step: int, *, rate: float = 1.0, spread: float = 0.3, weight_decay: float = 0.0
    ):
        self.model = registry.build(config, seed)
        self.n_step, self.step = n_step, 0
        generator = torch.Generator().manual_seed(seed)
        named = dict(self.model.named_parameters())
        with torch.no_grad():
            for name, w in named.items():
                if w.ndim < 2:
                    continue  # gains stay 1 and biases 0
                if name.endswith(("w_o.weight", "w_out.weight", "unembed.weight")):
                    w.zero_()
                elif "emb." in name and not name.endswith("patch_emb.weight"):
                    w.normal_(0, spread, generator=generator)
                else:
                    w.normal_(0, 1 / math.sqrt(w.shape[1]), generator=generator)
        inner = {name: w for name, w in named.items() if w.ndim == 2 and "blocks." in name}
        outer = {name: w for name, w in named.items() if name not in inner}
        self._optimizer = MuonAdamW(
            Muon(inner, learning_rate=MUON * rate),
            AdamW(outer, learning_rate=ADAMW * rate, betas=(0.8, 0.95), weight_decay=weight_decay),
        )

    def learn(self, loss: Tensor) -> float:
        """Move the weights by the gradient of this loss; returns it."""
        self.model.zero_grad()
        loss.backward()
        self._optimizer.step(min(1.0, 2 * (1 - self.step / self.n_step)))
        self.step += 1
        return loss.item()

    def weights(self, variant: str) -> dict[str, NDArray[np.float16]]:
        """The weights, as "model.<variant>.<parameter>", in half precision: a record has to stay small."""
        return {
            f"model.{variant}.{name}": w.detach().numpy().astype(np.float16)
            for name, w in self.model.named_parameters()
        }
