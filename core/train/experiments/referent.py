"""The task of naming the referent of "it", and a small model that learns it, shared by several experiments."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from core.data.synthetic import referents
from core.models.gpt import GPTConfig
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import adamw_trainer
from core.train.trainer import Trainer

BATCH = 64
LEARNING_RATE = 4e-3


def config(n_layer: int = 2, n_head: int = 2, positions: str = "learned", causal: bool = False) -> GPTConfig:
    """Return the model's config: width 32, about 27,000 parameters with two layers."""
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


def referent_logits(model: nn.Module, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B V"]:
    """Return the model's logits for the referent, over all words, at the position of "it"."""
    logits: Tensor = model(ids)
    return logits[:, referents.IT_POSITION]


class ReferentExperiment(Experiment):
    """Models that learn to name the referent of "it" from the same batches.

    curve.<variant>.accuracy is measured on held-out pairs of nouns.
    """

    eval_every = 5

    def make_trainer(self, config: GPTConfig) -> Trainer:
        return adamw_trainer(config, self.seed, LEARNING_RATE, self.n_step)

    def begin(self) -> None:
        train, held_out = (
            referents.encode_referent_sentences(part) for part in referents.bottle_and_cup_split(self.seed)
        )
        self._ids, self._answers = map(torch.from_numpy, train)
        self.held_out_ids, self._held_out_answers = map(torch.from_numpy, held_out)

    def batch(self, generator: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        rows = torch.randint(len(self._ids), (BATCH,), generator=generator or self.generator)
        return self._ids[rows], self._answers[rows]

    def loss(self, model: nn.Module, ids: Int[Tensor, "B T"], answers: Int[Tensor, " B"]) -> Float[Tensor, ""]:
        return nn.functional.cross_entropy(referent_logits(model, ids), answers)

    def measure_one(self, model: nn.Module) -> dict[str, float]:
        said = referent_logits(model, self.held_out_ids).argmax(-1)
        return {"accuracy": float((said == self._held_out_answers).float().mean())}
