"""A language small enough to list every text: eight tokens, at most five to a sentence, built to mislead greedy search.

Most sentences begin with "the", and what follows is wide open. Few begin with "a", and what follows is nearly certain.
Greedy search, which takes the most probable word each time, cannot know that.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from torch import Tensor, nn

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.models.gpt import GPTConfig
from core.nn.block import BlockStyle
from core.train.experiments.base import Experiment
from core.train.experiments.fast_trainers import adamw_trainer

LABELS = module_labels(__name__)

TOKENS = (".", "the", "old", "a", "cat", "dog", "sleeps", "sings")
END = 0  # the full stop ends a sentence, and precedes each sentence
LENGTH = 5  # tokens of the longest sentence, including its full stop
BATCH = 64
LEARNING_RATE = 5e-3
N_EVAL = 60
VARIANT = "tiny"
# Next-word probabilities after the words so far; the longest key that the words end with applies.
GRAMMAR: Mapping[tuple[str, ...], MappingProxyType[str, float]] = {
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


class Options(Inputs):
    """The number of training steps."""

    n_step: int = hidden_training_steps(400, most=1_000)  # about ten seconds on one core


def config() -> GPTConfig:
    """Return the config of the model: 32 wide, two layers of two heads."""
    return GPTConfig(
        vocab_size=len(TOKENS), context_length=LENGTH + 1, n_layer=2, n_head=2, d_model=32, block=BlockStyle(bias=False)
    )


def next_words(words: Sequence[str]) -> MappingProxyType[str, float]:
    """Return the next words that the language allows, with their probabilities."""
    for k in range(len(words), 0, -1):
        if tuple(words[-k:]) in GRAMMAR:
            return GRAMMAR[tuple(words[-k:])]
    return GRAMMAR[()]


def grammar_sentences() -> dict[tuple[int, ...], float]:
    """Return every sentence of the language, as ids including its full stop, with its probability."""
    done: dict[tuple[int, ...], float] = {}
    open_ones: dict[tuple[str, ...], float] = {(): 1.0}
    while open_ones:
        longer: dict[tuple[str, ...], float] = {}
        for words, share in open_ones.items():
            for word, p in next_words(words).items():
                if word == TOKENS[END]:
                    done[tuple(TOKENS.index(w) for w in (*words, word))] = share * p
                else:
                    longer[(*words, word)] = share * p
        open_ones = longer
    return done


def sentence_prefixes() -> list[tuple[int, ...]]:
    """Return every beginning of a sentence, without full stops, shorter ones first."""
    found = {sentence[:k] for sentence in grammar_sentences() for k in range(len(sentence))}
    return sorted(found, key=lambda one: (len(one), one))


def sentence_rows() -> tuple[Int[Tensor, "M T"], Float[Tensor, " M"]]:
    """Return all sentences as rows for the model (a full stop before them, -1 after them), and their probabilities."""
    known = grammar_sentences()
    ids = torch.full((len(known), LENGTH + 1), -1)
    for i, sentence in enumerate(known):
        ids[i, : len(sentence) + 1] = torch.tensor([END, *sentence])
    return ids, torch.tensor(list(known.values()))


def sentence_losses(model: nn.Module, ids: Int[Tensor, "M T"]) -> Float[Tensor, " M"]:
    """Return minus the log-probability of each sentence, in nats."""
    logits = model(ids[:, :-1].clamp(min=0))
    return nn.functional.cross_entropy(logits.mT, ids[:, 1:], reduction="none", ignore_index=-1).sum(-1)


def language_entropy() -> float:
    """Return the loss of a perfect model, which is the entropy of the language in nats per sentence."""
    return -sum(p * float(np.log(p)) for p in grammar_sentences().values())


class BeamTruth(Experiment):
    """One tiny transformer learns the language from sampled sentences.

    Its record: curve.tiny.loss (n,): the expected loss over the whole language, in nats per sentence.
    """

    title = LABELS["title"]
    n_eval = N_EVAL

    def begin(self) -> None:
        self.trainers = {VARIANT: adamw_trainer(config(), self.seed, LEARNING_RATE, self.n_step)}
        self._ids, self._shares = sentence_rows()

    def batch(self) -> tuple[Tensor]:
        return (self._ids[torch.multinomial(self._shares, BATCH, replacement=True, generator=self.generator)],)

    def loss(self, model: nn.Module, ids: Int[Tensor, "M T"]) -> Float[Tensor, ""]:
        return sentence_losses(model, ids).mean()

    def measure(self) -> Mapping[str, ArrayLike]:
        loss = (sentence_losses(self.trainers[VARIANT].model, self._ids) * self._shares).sum()
        return {f"curve.{VARIANT}.loss": float(loss)}
