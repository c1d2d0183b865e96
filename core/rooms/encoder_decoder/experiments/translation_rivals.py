"""Attention only against recurrent nets with attention: two translators learn from the same grammar in the same time.

A record must not depend on how fast a machine is, so nobody stops at a clock. Instead the transformer makes three steps
while the recurrent net makes two: on one core that takes about the same processor time, which is measured as well.
"""

import time
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.models.seq2seq import Seq2SeqConfig
from core.models.transformer import TransformerConfig
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.experiments.translation import batch, shares, translate
from core.train.experiment import Record
from core.train.experiments.bounded import Bounded
from core.train.experiments.seq2seq_trainer import Seq2SeqTrainer

VARIANTS = MappingProxyType({"transformer": 3, "recurrent": 2})  # name -> its steps in each round
NAMES = MappingProxyType({"transformer": "attention only", "recurrent": "recurrent"})
LEARNING_RATES = MappingProxyType({"transformer": 4e-3, "recurrent": 8e-3})  # each its own, as suits it
N_HELD = 100  # sentences with each number of adjectives
ADJECTIVES = (*languages.USUAL, *languages.LONGER)  # in all; the last two are more than in training
N_LOOK = 12  # times that all is measured, evenly


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        n_step: rounds, in each of which the transformer makes three steps and the recurrent net two.

    Raises:
        ValueError: if it is not possible.
    """

    most_in_browser: ClassVar = {"n_step": 500}  # about forty seconds on one core
    n_step: int = 150


def config(variant: str) -> TransformerConfig | Seq2SeqConfig:
    """One block on each side; or a GRU in each direction, a GRU that writes, and additive attention between them."""
    if variant == "transformer":
        return translation.config(n_layer=1, n_head=2)
    n = languages.VOCAB_SIZE
    return Seq2SeqConfig(source_vocab=n, vocab_size=n, d_model=64)


class TranslationRivals:
    """Both translators, one round at a time; the recurrent net learns from two of the transformer's three batches.

    Args:
        options: see there.
        seed: of the weights and of all sentences.
    """

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
        self._steps: list[int] = []
        self._spent = dict.fromkeys(VARIANTS, 0.0)
        self._seconds: dict[str, list[float]] = {name: [] for name in VARIANTS}
        self._exact: dict[str, list[list[float]]] = {name: [] for name in VARIANTS}
        self._losses: dict[str, list[float]] = {name: [] for name in VARIANTS}
        self._look()

    def advance(self) -> None:
        most = max(VARIANTS.values())
        batches = [batch(languages.draw(translation.BATCH, self._rng, without=self._asked)) for _ in range(most)]
        for name, trainer in self._trainers.items():
            started = time.process_time()
            self._losses[name] += [trainer.learn_forced(*one) for one in batches[: VARIANTS[name]]]
            self._spent[name] += time.process_time() - started
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {"step": np.array(self._steps), "adjectives": np.array(ADJECTIVES)}
        for name, trainer in self._trainers.items():
            found[f"curve.{name}.exact"] = np.array(self._exact[name])  # (looks, numbers of adjectives)
            found[f"curve.{name}.loss"] = np.array(self._losses[name], np.float32)
            found[f"seconds.{name}"] = np.array(self._seconds[name])  # of processor time, at each look
            found |= trainer.weights(name)
        return found

    def _look(self) -> None:
        """Let both translate the held-out sentences by themselves."""
        self._steps.append(self.step)
        for name, trainer in self._trainers.items():
            self._seconds[name].append(self._spent[name])
            by_length = []
            for pairs in self._held:
                written = translate(trainer.model, [english for english, _ in pairs])
                by_length.append(shares(written, [tamari for _, tamari in pairs])["exact"])
            self._exact[name].append(by_length)


def table(record: Record, *, with_recurrent: bool = True) -> dict[str, list[Any]]:
    """Seconds of processor time, and shares of whole sentences right by their number of adjectives, at each look.

    Args:
        record: of this experiment.
        with_recurrent: whether the recurrent net's are told; before a guess they are not.
    """
    found: dict[str, list[Any]] = {"round": record["step"].tolist()}
    for name, label in NAMES.items():
        if name == "recurrent" and not with_recurrent:
            continue
        found[f"{label}: seconds"] = record[f"seconds.{name}"].tolist()
        for i, n in enumerate(ADJECTIVES):
            found[f"{label}: {n} adjectives"] = record[f"curve.{name}.exact"][:, i].tolist()
    return found
