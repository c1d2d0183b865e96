"""Dates as people write them become year-month-day: a small translation, learned in seconds with attention."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.ragged import padded
from core.generate.seq2seq import greedy
from core.models.seq2seq import Seq2Seq, Seq2SeqConfig
from core.rooms.seq2seq.compute import dates
from core.train.experiment import rebuild
from core.train.experiments.bounded import Bounded
from core.train.experiments.live import Live
from core.train.experiments.seq2seq_trainer import Seq2SeqTrainer

BATCH = 64
N_HELD = 256
N_LOOK = 14  # times that all is measured, evenly
PROBE = ("wednesday, 12 april 1961", "1961-04-12")


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """attention: "additive", or "none"; n_step: training steps."""

    most_in_browser: ClassVar = {"n_step": 600}  # about twenty seconds on one core
    attention: str = "additive"
    n_step: int = 180

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.attention not in ("additive", "none"):
            raise ValueError(f"attention {self.attention!r:.40}: additive or none are possible")


def config(attention: str = "additive") -> Seq2SeqConfig:
    """A GRU in each direction and a GRU that writes."""
    return Seq2SeqConfig(
        source_vocab=dates.SOURCE_VOCAB, vocab_size=dates.TARGET_VOCAB, d_model=64, attention=attention
    )


class Dates:
    """One model, which learns from pairs that it sees once each."""

    title: ClassVar[str] = "Dates"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._has_attention = options.attention != "none"
        self._trainer = Seq2SeqTrainer(config(options.attention), seed, dates.START, self.n_step)
        self._held = dates.draw(N_HELD, np.random.default_rng([seed, 1]))
        self._asked = frozenset(day for _, day in self._held)  # days that must not be trained on
        self._rng = np.random.default_rng([seed, 0])
        self._every = max(1, round(self.n_step / N_LOOK))
        self._kept: dict[str, list[Any]] = defaultdict(list)
        self._look()

    def advance(self) -> None:
        pairs = dates.draw(BATCH, self._rng, without=self._asked)
        source, mask = padded([dates.encode(written) for written, _ in pairs])
        target = torch.tensor([dates.encode_target(day) for _, day in pairs])
        self._kept["curve.loss"].append(np.float32(self._trainer.learn_forced(source, target, mask)))
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        """step; curve.exact, .signs: shares that are right; curve.loss; frames.weights (looks, T, S) in 1/255."""
        found: dict[str, NDArray[Any]] = {"curve.loss": np.zeros(0, np.float32)}
        return found | {name: np.stack(x) for name, x in self._kept.items()} | self._trainer.weights("dates")

    @torch.no_grad()
    def _look(self) -> None:
        """Let the model write the held-out dates by itself, and keep the alignment of one."""
        source, mask = padded([dates.encode(written) for written, _ in self._held])
        ids = greedy(
            self._trainer.model, source, mask, start_id=dates.START, end_id=dates.END, max_new_tokens=dates.LENGTH
        ).tolist()
        pairs = [(dates.decode(row), day) for row, (_, day) in zip(ids, self._held, strict=True)]
        self._kept["step"].append(self.step)
        self._kept["curve.exact"].append(np.mean([day == true for day, true in pairs]))
        signs = [sign == true for day, truth in pairs for sign, true in zip(day.ljust(len(truth)), truth, strict=False)]
        self._kept["curve.signs"].append(np.mean(signs))
        if self._has_attention:
            frame = self._trainer.alignment(dates.encode(PROBE[0]), dates.encode_target(PROBE[1]))
            self._kept["frames.weights"].append(frame)


def model_of(run: Live) -> Seq2Seq:
    """The trained model."""
    model: Seq2Seq = rebuild(run.record, "dates", config(Options(**run.options).attention)).float()
    return model
