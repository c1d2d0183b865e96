"""Dates as people write them become year-month-day: a small translation, learned in seconds with attention."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from core.data.ragged import padded
from core.generate.seq2seq import greedy
from core.models.seq2seq import Seq2SeqConfig
from core.rooms.seq2seq.compute import dates
from core.train.experiment import Record
from core.train.experiments.bounded import Bounded
from core.train.experiments.learner import Learner

BATCH = 64
N_HELD = 256
N_LOOK = 14  # times that all is measured, evenly
PROBE = ("wednesday, 12 april 1961", "1961-04-12")


@dataclass(frozen=True, kw_only=True)
class Options(Bounded):
    """What can be set.

    Args:
        attention: "additive", or "none".
        n_step: training steps.

    Raises:
        ValueError: if it is not possible.
    """

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
    """One model, which learns from pairs that it sees once each.

    Args:
        options: see there.
        seed: of the weights and of all dates.
    """

    title: ClassVar[str] = "Dates"

    def __init__(self, options: Options, seed: int):
        self.n_step, self.step = options.n_step, 0
        self._has_attention = options.attention != "none"
        self._learner = Learner(config(options.attention), seed, dates.START, self.n_step)
        self._held = dates.draw(N_HELD, np.random.default_rng([seed, 1]))
        self._asked = frozenset(day for _, day in self._held)  # days that must not be trained on
        self._rng = np.random.default_rng([seed, 0])
        self._every = max(1, round(self.n_step / N_LOOK))
        self._steps: list[int] = []
        self._losses: list[float] = []
        self._exact: list[float] = []
        self._signs: list[float] = []
        self._frames: list[NDArray[np.uint8]] = []
        self._look()

    def advance(self) -> None:
        pairs = dates.draw(BATCH, self._rng, without=self._asked)
        source, mask = padded([dates.encode(written) for written, _ in pairs])
        target = torch.tensor([dates.encode_target(day) for _, day in pairs])
        self._losses.append(self._learner.learn(source, target, mask))
        self.step += 1
        if self.step % self._every == 0 or self.step == self.n_step:
            self._look()

    def record(self) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {
            "step": np.array(self._steps),
            "curve.exact": np.array(self._exact),
            "curve.signs": np.array(self._signs),
            "curve.loss": np.array(self._losses, np.float32),
        }
        if self._has_attention:
            found["frames.weights"] = np.stack(self._frames)  # (looks, T, S), in steps of 1/255
        return found | self._learner.weights("dates")

    @torch.no_grad()
    def _look(self) -> None:
        """Let the model write the held-out dates by itself, and keep the alignment of one."""
        self._steps.append(self.step)
        source, mask = padded([dates.encode(written) for written, _ in self._held])
        written = greedy(
            self._learner.model, source, mask, start_id=dates.START, end_id=dates.END, max_new_tokens=dates.LENGTH
        ).tolist()
        days = [dates.decode(row) for row in written]
        truth = [day for _, day in self._held]
        self._exact.append(float(np.mean([a == b for a, b in zip(days, truth, strict=True)])))
        signs = [a.ljust(len(b))[i] == b[i] for a, b in zip(days, truth, strict=True) for i in range(len(b))]
        self._signs.append(float(np.mean(signs)))
        if self._has_attention:
            self._frames.append(self._learner.alignment(dates.encode(PROBE[0]), dates.encode_target(PROBE[1])))


def table(record: Record) -> dict[str, list[float]]:
    """Shares that are right on days that were not trained on, one line for each measured step."""
    return {
        "step": record["step"].tolist(),
        "whole dates": record["curve.exact"].tolist(),
        "single signs": record["curve.signs"].tolist(),
    }
