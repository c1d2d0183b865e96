"""Attention only against recurrent nets with attention: two translators learn from the same grammar in the same time.

A record must not depend on how fast a machine is, so nobody stops at a clock. Instead the transformer makes three steps
while the recurrent net makes two: on one core that takes about the same processor time, which is measured as well.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.exhibit import Inputs, steps
from core.models.seq2seq import Seq2SeqConfig
from core.models.transformer import TransformerConfig
from core.rooms.encoder_decoder.compute import languages
from core.rooms.encoder_decoder.experiments import translation
from core.rooms.encoder_decoder.experiments.translation import batch, shares, translate
from core.train.experiment import rebuild
from core.train.experiments.live import Live
from core.train.experiments.seq2seq import Seq2SeqExperiment

VARIANTS = {"transformer": 3, "recurrent": 2}  # name -> its steps in each round
NAMES = {"transformer": "attention only", "recurrent": "recurrent"}
LEARNING_RATES = {"transformer": 4e-3, "recurrent": 8e-3}  # each its own, as suits it
N_HELD = 100  # sentences with each number of adjectives
ADJECTIVES = (*languages.USUAL, *languages.LONGER)  # in all; the last two are more than in training
N_LOOK = 12  # times that all is measured, evenly


class Options(Inputs):
    """The rounds, in each of which the transformer makes three steps and the recurrent net two."""

    n_step: int = steps(150, most=500)  # about forty seconds on one core


def config(variant: str) -> TransformerConfig | Seq2SeqConfig:
    """One block on each side; or a GRU in each direction, a GRU that writes, and additive attention between them."""
    if variant == "transformer":
        return translation.config(n_layer=1, n_head=2)
    n = languages.VOCAB_SIZE
    return Seq2SeqConfig(source_vocab=n, vocab_size=n, d_model=64)


class TranslationRivals(Seq2SeqExperiment):
    """Both translators, one round at a time; the recurrent net learns from two of the transformer's three batches.

    Its record: adjectives; curve.<variant>.exact (n, adjectives), .loss at every step.
    """

    title = "Attention only against recurrent"
    n_look = N_LOOK
    keeps_seconds, start_id = True, languages.START

    def begin(self) -> None:
        self.trainers = {
            name: self.adamw(config(name), n * self.n_step, LEARNING_RATES[name]) for name, n in VARIANTS.items()
        }
        rng = np.random.default_rng([self.seed, 1])
        self._held = [languages.draw(N_HELD, rng, n_adjective=(n,)) for n in ADJECTIVES]
        self._asked = frozenset(english for pairs in self._held for english, _ in pairs)  # are never trained on

    def learn(self) -> None:
        most = max(VARIANTS.values())
        batches = [batch(languages.draw(translation.BATCH, self.rng, without=self._asked)) for _ in range(most)]
        for name, trainer in self.trainers.items():
            for one in batches[: VARIANTS[name]]:
                with self.timed(name):
                    loss = self.loss(trainer.model, *one)
                    trainer.learn(loss)
                self.keep(f"curve.{name}.loss", np.float32(loss.item()))

    def measure(self) -> Mapping[str, Any]:
        """Both translate the held-out sentences by themselves."""
        texts = [([english for english, _ in pairs], [tamari for _, tamari in pairs]) for pairs in self._held]
        return {
            f"curve.{name}.exact": [shares(translate(one.model, english), tamari)["exact"] for english, tamari in texts]
            for name, one in self.trainers.items()
        }

    def latest(self) -> Mapping[str, Any]:
        return {"adjectives": ADJECTIVES}


def model_of(run: Live, variant: str) -> Any:
    """The trained model of a variant."""
    return rebuild(run.record, variant, config(variant)).float()
