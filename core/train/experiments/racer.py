"""One variant of an experiment: a small model, how it learns, and how its weights get into a record."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from core.models import registry
from core.models.gpt import GPTConfig
from core.train.optimizers import AdamW

# GPT-2's start, 0.02, is meant for long runs: these models train for a second, and begin with embeddings that can be
# told apart at once.
EMBEDDING_STD = 0.3


class Racer:
    """A model on its way through a training of `n_step` steps, with AdamW.

    Args:
        config: of the model.
        seed: of its weights; the generator is its own.
        learning_rate: kept for half of the steps, then brought down to 0 on a straight line.
        n_step: of the whole training.
    """

    def __init__(self, config: GPTConfig, seed: int, learning_rate: float, n_step: int):
        self.model = registry.build(config, seed)
        self.n_step, self.step = n_step, 0
        with torch.no_grad():
            for name, weights in self.model.named_parameters():
                if "_emb." in name:
                    weights.mul_(EMBEDDING_STD / 0.02)
        self._optimizer = AdamW(dict(self.model.named_parameters()), learning_rate=learning_rate)

    def learn(self, loss: Tensor) -> None:
        """Move the weights by the gradient of this loss."""
        self.model.zero_grad()
        loss.backward()
        self._optimizer.step(min(1.0, 2 * (1 - self.step / self.n_step)))
        self.step += 1

    def weights(self, variant: str) -> dict[str, NDArray[np.float32]]:
        """A copy of the weights, as "model.<variant>.<parameter>"."""
        return {f"model.{variant}.{name}": w.detach().numpy().copy() for name, w in self.model.named_parameters()}
