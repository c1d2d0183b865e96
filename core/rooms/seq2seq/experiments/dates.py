"""Dates as people write them become year-month-day: a small translation, learned in seconds with attention."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from core.data.batches import padded
from core.exhibit import Inputs, segmented, steps
from core.generate.seq2seq import greedy
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.rooms.seq2seq.compute import dates
from core.train.experiment import rebuild
from core.train.experiments.base import Experiment
from core.train.experiments.live import Live
from core.train.experiments.seq2seq_trainer import Seq2SeqTrainer

BATCH = 64
N_HELD = 256
N_LOOK = 14  # times that all is measured, evenly
ATTENTION = {"additive": "with attention", "none": "without attention"}
PROBE = ("wednesday, 12 april 1961", "1961-04-12")


class Options(Inputs, prefix="dates_"):
    """The model."""

    attention: str = segmented("Model", ATTENTION, "additive")
    n_step: int = steps(180, most=600)  # about twenty seconds on one core


def config(attention: str = "additive") -> Seq2SeqConfig:
    """A GRU in each direction and a GRU that writes."""
    return Seq2SeqConfig(
        source_vocab=dates.SOURCE_VOCAB, vocab_size=dates.TARGET_VOCAB, d_model=64, attention=attention
    )


class Dates(Experiment):
    """One model, which learns from pairs that it sees once each.

    Its record: curve.exact, .signs (n,): shares that are right; curve.loss at every step; frames.weights (n, T, S) in
    1/255.
    """

    title = "Dates"
    learned = ("curve.exact > 0.95",)
    n_look = N_LOOK

    def begin(self) -> None:
        self._trainer = Seq2SeqTrainer(config(self.options.attention), self.seed, dates.START, self.n_step)
        self.trainers = {"dates": self._trainer}
        self._held = dates.draw(N_HELD, np.random.default_rng([self.seed, 1]))
        self._asked = frozenset(day for _, day in self._held)  # days that must not be trained on
        self._rng = np.random.default_rng([self.seed, 0])
        self.keep("curve.loss")

    def learn(self) -> None:
        pairs = dates.draw(BATCH, self._rng, without=self._asked)
        source, mask = padded([dates.encode(written) for written, _ in pairs])
        target = torch.tensor([dates.encode_target(day) for _, day in pairs])
        self.keep("curve.loss", np.float32(self._trainer.learn_forced(source, target, mask)))

    def measure(self) -> Mapping[str, Any]:
        """The model writes the held-out dates by itself; the alignment of one is kept."""
        source, mask = padded([dates.encode(written) for written, _ in self._held])
        ids = greedy(
            self._trainer.model, source, mask, start_id=dates.START, end_id=dates.END, max_new_tokens=dates.LENGTH
        ).tolist()
        pairs = [(dates.decode(row), day) for row, (_, day) in zip(ids, self._held, strict=True)]
        signs = [sign == true for day, truth in pairs for sign, true in zip(day.ljust(len(truth)), truth, strict=False)]
        found = {"curve.exact": np.mean([day == true for day, true in pairs]), "curve.signs": np.mean(signs)}
        if self.options.attention == "none":
            return found
        frame = self._trainer.alignment(dates.encode(PROBE[0]), dates.encode_target(PROBE[1]))
        return found | {"frames.weights": frame}


def model_of(run: Live) -> Seq2Seq:
    """The trained model."""
    model: Seq2Seq = rebuild(run.record, "dates", config(Options(**run.options).attention)).float()
    return model
