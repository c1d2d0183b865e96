"""Attention only against recurrent nets with attention: two translators learn from the same grammar in the same time.

A record must not depend on how fast a machine is, so nobody stops at a clock. Instead the transformer makes three steps
while the recurrent net makes two: on one core that takes about the same processor time, which is measured as well.
"""

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.models.seq2seq import Seq2SeqConfig
from core.models.transformer import TransformerConfig
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.experiments.translation import batch, shares, translate
from core.train.experiment import rebuild
from core.train.experiments.bounded import Bounded
from core.train.experiments.live import Live
from core.train.experiments.seq2seq_trainer import Seq2SeqTrainer

VARIANTS = {"transformer": 3, "recurrent": 2}  # name -> its steps in each round
NAMES = {"transformer": "attention only", "recurrent": "recurrent"}
LEARNING_RATES = {"transformer": 4e-3, "recurrent": 8e-3}  # each its own, as suits it
N_HELD = 100  # sentences with each number of adjectives
ADJECTIVES = (*languages.USUAL, *languages.LONGER)  # in all; the last two are more than in training
N_LOOK = 12  # times that all is measured, evenly


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """n_step: rounds, in each of which the transformer makes three steps and the recurrent net two."""

    most_in_browser: ClassVar = {"n_step": 500}  # about forty seconds on one core
    n_step: int = 150


def config(variant: str) -> TransformerConfig | Seq2SeqConfig:
    """One block on each side; or a GRU in each direction, a GRU that writes, and additive attention between them."""
    if variant == "transformer":
        return translation.config(n_layer=1, n_head=2)
    n = languages.VOCAB_SIZE
    return Seq2SeqConfig(source_vocab=n, vocab_size=n, d_model=64)


class TranslationRivals:
    """Both translators, one round at a time; the recurrent net learns from two of the transformer's three batches."""

    title: ClassVar[str] = "Attention only against recurrent"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._trainers = {
            name: Seq2SeqTrainer(config(name), seed, languages.START, n * self.n_step, LEARNING_RATES[name])
            for name, n in VARIANTS.items()
        }
        rng = np.random.default_rng([seed, 1])
        self._held = [languages.draw(N_HELD, rng, n_adjective=(n,)) for n in ADJECTIVES]
        self._asked = frozenset(english for pairs in self._held for english, _ in pairs)  # are never trained on
        self._rng = np.random.default_rng([seed, 0])
        self._every = max(1, round(self.n_step / N_LOOK))
        self._spent = dict.fromkeys(VARIANTS, 0.0)
        self._kept: dict[str, list[Any]] = {f"curve.{name}.loss": [] for name in VARIANTS}
        self._look()

    def advance(self) -> None:
        most = max(VARIANTS.values())
        batches = [batch(languages.draw(translation.BATCH, self._rng, without=self._asked)) for _ in range(most)]
        for name, trainer in self._trainers.items():
            started = time.process_time()
            self._kept[f"curve.{name}.loss"] += [trainer.learn_forced(*one) for one in batches[: VARIANTS[name]]]
            self._spent[name] += time.process_time() - started
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """step; adjectives; curve.<variant>.exact (looks, adjectives), .loss; seconds.<variant> of processor time."""
        found: dict[str, NDArray[Any]] = {"adjectives": np.array(ADJECTIVES)}
        for name, values in self._kept.items():
            found[name] = np.array(values, np.float32 if name.endswith("loss") else None)
        return (
            found
            | self._trainers["transformer"].weights("transformer")
            | self._trainers["recurrent"].weights("recurrent")
        )

    def _look(self) -> None:
        """Let both translate the held-out sentences by themselves."""
        self._keep("step", self.step)
        for name, trainer in self._trainers.items():
            texts = [([english for english, _ in pairs], [tamari for _, tamari in pairs]) for pairs in self._held]
            exact = [shares(translate(trainer.model, english), tamari)["exact"] for english, tamari in texts]
            self._keep(f"seconds.{name}", self._spent[name])
            self._keep(f"curve.{name}.exact", exact)

    def _keep(self, name: str, value: Any) -> None:
        self._kept.setdefault(name, []).append(value)


def model_of(run: Live, variant: str) -> Any:
    """The trained model of a variant."""
    return rebuild(run.record, variant, config(variant)).float()
