"""A language small enough to list every text: eight tokens, at most five to a sentence, made so that greed is misled.

Most sentences begin with "the", but then everything is open; few begin with "a", and then nearly everything is sure.
Whoever takes the likeliest word each time cannot know that.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from torch import Tensor, nn

from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.train.experiments.bounded import Bounded
from core.train.experiments.trainers import adamw_trainer

TOKENS = (".", "the", "old", "a", "cat", "dog", "sleeps", "sings")
END = 0  # the full stop ends a sentence, and stands before each one
LENGTH = 5  # tokens of the longest sentence, its full stop included
BATCH = 64
LEARNING_RATE = 5e-3
N_LOOK = 60
VARIANT = "tiny"
# What follows the words so far; where a key is longer than the text's end, the longest that fits counts.
GRAMMAR: MappingProxyType[tuple[str, ...], MappingProxyType[str, float]] = MappingProxyType(
    {
        key: MappingProxyType(row)
        for key, row in {
            (): {"the": 0.40, "old": 0.30, "a": 0.24, ".": 0.06},
            ("the",): {"old": 0.40, "cat": 0.30, "dog": 0.30},
            ("old",): {"cat": 0.50, "dog": 0.50},
            ("a",): {"cat": 0.90, "dog": 0.10},
            ("cat",): {"sleeps": 0.60, "sings": 0.40},
            ("dog",): {"sleeps": 0.50, "sings": 0.50},
            ("a", "cat"): {"sleeps": 0.95, "sings": 0.05},
            ("sleeps",): {".": 1.0},
            ("sings",): {".": 1.0},
        }.items()
    }
)


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_step: training steps.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 1_000}  # about ten seconds on one core
    n_step: int = 400


def config() -> GPTConfig:
    """The model: 32 wide, two layers of two heads."""
    return GPTConfig(
        vocab_size=len(TOKENS), context_length=LENGTH + 1, n_layer=2, n_head=2, d_model=32, block=BlockStyle(bias=False)
    )


def follows(words: Sequence[str]) -> MappingProxyType[str, float]:
    """What may come next in the language, with its probability."""
    for k in range(len(words), 0, -1):
        if tuple(words[-k:]) in GRAMMAR:
            return GRAMMAR[tuple(words[-k:])]
    return GRAMMAR[()]


def sentences() -> dict[tuple[int, ...], float]:
    """Every sentence of the language, as ids with its full stop, and its probability."""
    done: dict[tuple[int, ...], float] = {}
    open_ones: dict[tuple[str, ...], float] = {(): 1.0}
    while open_ones:
        longer: dict[tuple[str, ...], float] = {}
        for words, share in open_ones.items():
            for word, p in follows(words).items():
                if word == TOKENS[END]:
                    done[tuple(TOKENS.index(w) for w in (*words, word))] = share * p
                else:
                    longer[(*words, word)] = share * p
        open_ones = longer
    return done


def beginnings() -> list[tuple[int, ...]]:
    """What a sentence of the language may begin with, full stops left out: shorter ones first."""
    found = {sentence[:k] for sentence in sentences() for k in range(len(sentence))}
    return sorted(found, key=lambda one: (len(one), one))


def rows() -> tuple[Int[Tensor, "M T"], Float[Tensor, " M"]]:
    """All sentences as rows for the model (a full stop before them, -1 behind them), and their probabilities."""
    known = sentences()
    ids = torch.full((len(known), LENGTH + 1), -1)
    for i, sentence in enumerate(known):
        ids[i, : len(sentence) + 1] = torch.tensor([END, *sentence])
    return ids, torch.tensor(list(known.values()))


def losses(model: nn.Module, ids: Int[Tensor, "M T"]) -> Float[Tensor, " M"]:
    """Minus the log-probability of each sentence, nats."""
    logits = model(ids[:, :-1].clamp(min=0))
    return nn.functional.cross_entropy(logits.mT, ids[:, 1:], reduction="none", ignore_index=-1).sum(-1)


def floor() -> float:
    """The loss of a perfect model, nats per sentence: the entropy of the language."""
    return -sum(p * float(np.log(p)) for p in sentences().values())


class BeamTruth:
    """One tiny transformer learns the language from sentences drawn from it.

    Args:
        options: see there.
        seed: of the weights and of all sentences.
    """

    title: ClassVar[str] = "Beam against the truth"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._trainer = adamw_trainer(config(), seed, LEARNING_RATE, self.n_step)
        self._generator = torch.Generator().manual_seed(seed)
        self._ids, self._shares = rows()
        self._every = max(1, round(self.n_step / N_LOOK))
        self._steps: list[int] = []
        self._losses: list[float] = []
        self._look()

    def advance(self) -> None:
        drawn = torch.multinomial(self._shares, BATCH, replacement=True, generator=self._generator)
        self._trainer.learn(losses(self._trainer.model, self._ids[drawn]).mean())
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        return {
            "step": np.array(self._steps),
            f"curve.{VARIANT}.loss": np.array(self._losses),  # nats per sentence, over the whole language
            **self._trainer.weights(VARIANT),
        }

    @torch.no_grad()
    def _look(self) -> None:
        self._steps.append(self.step)
        self._losses.append(float((losses(self._trainer.model, self._ids) * self._shares).sum()))
