"""The task of naming "it": one small model that learns it, shared by two experiments."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.data.synthetic import referents
from core.models.gpt import GPTConfig
from core.train.experiments.trainers import adamw_trainer

BATCH = 64
LEARNING_RATE = 4e-3
EVAL_EVERY = 5  # steps


def config(n_layer: int = 2, n_head: int = 2, positions: str = "learned", causal: bool = False) -> GPTConfig:
    """The model: 32 wide, about 27,000 numbers with two layers."""
    return GPTConfig(
        vocab_size=len(referents.WORDS),
        context_length=referents.N_TOKEN,
        n_layer=n_layer,
        n_head=n_head,
        d_model=32,
        positions=positions,
        causal=causal,
        tied=False,
    )


def answer_logits(model: nn.Module, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B V"]:
    """What the model says "it" is: its scores of all words, read at the position of "it"."""
    logits: Tensor = model(ids)
    return logits[:, referents.IT]


class Namer:
    """One model that learns to name "it".

    Args:
        config: of the model.
        seed: of the weights and of the batches.
        split_seed: of the pairs of nouns that are held out, see `core.data.synthetic.referents.split`.
        n_step: of the training.
    """

    def __init__(self, config: GPTConfig, seed: int, split_seed: int, n_step: int):
        self.trainer = adamw_trainer(config, seed, LEARNING_RATE, n_step)
        train, held = (referents.encode(part) for part in referents.split(split_seed))
        self._ids, self._answers = (torch.from_numpy(array) for array in train)
        self._held_ids, self._held_answers = (torch.from_numpy(array) for array in held)
        self._generator = torch.Generator().manual_seed(seed)
        self.steps: list[int] = []
        self.accuracies: list[float] = []
        self._measure()

    def advance(self) -> None:
        """One step on a batch of training sentences; every few steps the held-out ones are measured."""
        rows = torch.randint(len(self._ids), (BATCH,), generator=self._generator)
        logits = answer_logits(self.trainer.model, self._ids[rows])
        self.trainer.learn(nn.functional.cross_entropy(logits, self._answers[rows]))
        if self.trainer.step % EVAL_EVERY == 0 or self.trainer.step == self.trainer.n_step:
            self._measure()

    @torch.no_grad()
    def _measure(self) -> None:
        said = answer_logits(self.trainer.model, self._held_ids).argmax(-1)
        self.steps.append(self.trainer.step)
        self.accuracies.append(float((said == self._held_answers).float().mean()))


class Namers:
    """Several of them, one step of each at a time.

    Args:
        namers: by their names in the record.
        n_step: of the training.
    """

    def __init__(self, namers: Mapping[str, Namer], n_step: int):
        self.n_step, self.step, self._namers = n_step, 0, namers

    def advance(self) -> None:
        for namer in self._namers.values():
            namer.advance()
        self.step += 1

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        for name, namer in self._namers.items():
            found[f"curve.{name}.step"] = np.array(namer.steps)
            found[f"curve.{name}.accuracy"] = np.array(namer.accuracies)
            found |= namer.trainer.weights(name)
        return found
