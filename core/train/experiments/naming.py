"""The task of naming "it": one small model that learns it, shared by two experiments."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.data.synthetic import referents
from core.models.gpt import GPTConfig
from core.train.experiments.base import Experiment
from core.train.experiments.evaluation_steps import every
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

    `seed` is that of the weights and of the batches, `split_seed` of the pairs of nouns that are held out.
    """

    def __init__(self, config: GPTConfig, seed: int, split_seed: int, n_step: int):
        self.trainer = adamw_trainer(config, seed, LEARNING_RATE, n_step)
        train, held = (referents.encode(part) for part in referents.split(split_seed))
        self._ids, self._answers = map(torch.from_numpy, train)
        self._held_ids, self._held_answers = map(torch.from_numpy, held)
        self._generator = torch.Generator().manual_seed(seed)

    def learn(self) -> None:
        """One step on a batch of training sentences."""
        rows = torch.randint(len(self._ids), (BATCH,), generator=self._generator)
        logits = answer_logits(self.trainer.model, self._ids[rows])
        self.trainer.learn(nn.functional.cross_entropy(logits, self._answers[rows]))

    def accuracy(self) -> float:
        """Share of right answers on the held-out sentences."""
        said = answer_logits(self.trainer.model, self._held_ids).argmax(-1)
        return float((said == self._held_answers).float().mean())


class Namers(Experiment):
    """Several of them, one step of each at a time; curve.<variant>.accuracy is on held-out pairs of nouns."""

    namers: Mapping[str, Namer]

    @abstractmethod
    def variants(self) -> Mapping[str, Namer]:
        """The models by their names in the record."""

    def begin(self) -> None:
        self.namers = self.variants()
        self.trainers = {name: namer.trainer for name, namer in self.namers.items()}

    def looks(self) -> Iterable[int]:
        return every(EVAL_EVERY, self.n_step)

    def learn(self) -> None:
        for namer in self.namers.values():
            namer.learn()

    def measure(self) -> dict[str, Any]:
        return {f"curve.{name}.accuracy": namer.accuracy() for name, namer in self.namers.items()}
