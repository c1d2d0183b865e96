"""Dates as people write them become year-month-day: a small translation, learned in seconds with attention."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from core.data.localization.labels import module_labels
from core.data.padding_and_splits import pad_rows
from core.exhibit import Inputs, hidden_training_steps, segmented_control
from core.generate.seq2seq import greedy_decode
from core.models.recurrent_seq2seq import RecurrentSeq2Seq, RecurrentSeq2SeqConfig
from core.rooms.seq2seq.compute import dates
from core.train.experiment import rebuild_model
from core.train.experiments.experiment_run_state import ExperimentRun
from core.train.experiments.seq2seq import Seq2SeqExperiment

LABELS = module_labels(__name__)

BATCH = 64
N_HELD = 256
N_EVAL = 14  # number of evaluations, evenly spaced
ATTENTION = {"additive": LABELS["attention.additive"], "none": LABELS["attention.none"]}
PROBE = ("tuesday, 23 june 1987", "1987-06-23")  # no digit comes twice


class Options(Inputs, prefix="dates_"):
    """The model."""

    attention: str = segmented_control(ATTENTION, "additive")
    n_step: int = hidden_training_steps(180, most=600)  # about twenty seconds on one core


def config(attention: str = "additive") -> RecurrentSeq2SeqConfig:
    """Return the config of a bidirectional GRU encoder and a GRU decoder."""
    return RecurrentSeq2SeqConfig(
        source_vocab=dates.SOURCE_VOCAB, vocab_size=dates.TARGET_VOCAB, d_model=64, attention=attention
    )


class Dates(Seq2SeqExperiment):
    """One model, which sees each training pair once.

    Its record: curve.exact, .signs (n,): accuracies; curve.loss at every step; frames.weights (n, T, S) in 1/255.
    """

    title = LABELS["title"]
    learned = ("curve.exact > 0.95",)
    n_eval, loss_curve, start_id = N_EVAL, "curve.loss", dates.START

    @classmethod
    def variants(cls, options: Options) -> Mapping[str, RecurrentSeq2SeqConfig]:
        return {"dates": config(options.attention)}

    def begin(self) -> None:
        self._held = dates.draw(N_HELD, np.random.default_rng([self.seed, 1]))
        self._asked = frozenset(day for _, day in self._held)  # days excluded from training

    def batch(self) -> tuple[Tensor, Tensor, Tensor]:
        pairs = dates.draw(BATCH, self.rng, without=self._asked)
        source, mask = pad_rows([dates.encode(written) for written, _ in pairs])
        target = torch.tensor([dates.encode_target_date(day) for _, day in pairs])
        return source, target, mask

    def measure(self) -> Mapping[str, ArrayLike]:
        """Translate the held-out dates with the model alone, and record the alignment of one."""
        source, mask = pad_rows([dates.encode(written) for written, _ in self._held])
        ends = {"start_id": dates.START, "end_id": dates.END}
        ids = greedy_decode(
            self.trainers["dates"].model, source, mask, max_new_tokens=dates.TARGET_LENGTH, **ends
        ).tolist()
        pairs = [(dates.decode(row), day) for row, (_, day) in zip(ids, self._held, strict=True)]
        signs = [sign == true for day, truth in pairs for sign, true in zip(day.ljust(len(truth)), truth, strict=False)]
        found = {"curve.exact": np.mean([day == true for day, true in pairs]), "curve.signs": np.mean(signs)}
        if self.options.attention == "none":
            return found
        frame = self.alignment("dates", dates.encode(PROBE[0]), dates.encode_target_date(PROBE[1]))
        return found | {"frames.weights": frame}


def trained_date_model(run: ExperimentRun) -> RecurrentSeq2Seq:
    """Return the trained model."""
    model: RecurrentSeq2Seq = rebuild_model(run.record, "dates", config(Options(**run.options).attention)).float()
    return model
