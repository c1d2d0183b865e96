"""Dates as people write them become year-month-day: a small translation, learned in seconds with attention."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from core.data.batches import padded
from core.exhibit import Inputs, segmented, steps
from core.generate.seq2seq import greedy
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.rooms.seq2seq.compute import dates
from core.train.experiment import rebuild
from core.train.experiments.live import Live
from core.train.experiments.seq2seq import Seq2SeqExperiment

BATCH = 64
N_HELD = 256
N_LOOK = 14  # number of evaluations, evenly spaced
ATTENTION = {"additive": "with attention", "none": "without attention"}
PROBE = ("wednesday, 12 april 1961", "1961-04-12")


class Options(Inputs, prefix="dates_"):
    """The model."""

    attention: str = segmented("Model", ATTENTION, "additive")
    n_step: int = steps(180, most=600)  # about twenty seconds on one core


def config(attention: str = "additive") -> Seq2SeqConfig:
    """Return the config of a bidirectional GRU encoder and a GRU decoder."""
    return Seq2SeqConfig(
        source_vocab=dates.SOURCE_VOCAB, vocab_size=dates.TARGET_VOCAB, d_model=64, attention=attention
    )


class Dates(Seq2SeqExperiment):
    """One model, which sees each training pair once.

    Its record: curve.exact, .signs (n,): accuracies; curve.loss at every step; frames.weights (n, T, S) in 1/255.
    """

    title = "Dates"
    learned = ("curve.exact > 0.95",)
    n_look, loss_curve, start_id = N_LOOK, "curve.loss", dates.START

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, Seq2SeqConfig]:
        return {"dates": config(options.attention)}

    def begin(self) -> None:
        self._held = dates.draw(N_HELD, np.random.default_rng([self.seed, 1]))
        self._asked = frozenset(day for _, day in self._held)  # days excluded from training

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        pairs = dates.draw(BATCH, self.rng, without=self._asked)
        source, mask = padded([dates.encode(written) for written, _ in pairs])
        target = torch.tensor([dates.encode_target_date(day) for _, day in pairs])
        return source, target, mask

    def measure(self) -> Mapping[str, ArrayLike]:
        """Translate the held-out dates with the model alone, and record the alignment of one."""
        source, mask = padded([dates.encode(written) for written, _ in self._held])
        ends = {"start_id": dates.START, "end_id": dates.END}
        ids = greedy(self.trainers["dates"].model, source, mask, max_new_tokens=dates.TARGET_LENGTH, **ends).tolist()
        pairs = [(dates.decode(row), day) for row, (_, day) in zip(ids, self._held, strict=True)]
        signs = [sign == true for day, truth in pairs for sign, true in zip(day.ljust(len(truth)), truth, strict=False)]
        found = {"curve.exact": np.mean([day == true for day, true in pairs]), "curve.signs": np.mean(signs)}
        if self.options.attention == "none":
            return found
        frame = self.alignment("dates", dates.encode(PROBE[0]), dates.encode_target_date(PROBE[1]))
        return found | {"frames.weights": frame}


def trained_date_model(run: Live) -> Seq2Seq:
    """Return the trained model."""
    model: Seq2Seq = rebuild(run.record, "dates", config(Options(**run.options).attention)).float()
    return model
