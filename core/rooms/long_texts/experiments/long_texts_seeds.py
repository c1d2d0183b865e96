"""The training of `long_texts` from three seeds: how far its curves differ by luck."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from core.inputs import Inputs, steps
from core.rooms.long_texts.experiments import long_texts
from core.rooms.long_texts.experiments.long_texts import N_STEP, LongTexts
from core.train.experiments.base import Arrays, Experiment

N_SEED = 3


class Options(Inputs):
    """As of one of them. Two minutes of one core: too long for a browser to wait."""

    n_step: int = steps(N_STEP, most=20)


class LongTextsSeeds(Experiment):
    """`LongTexts` of three seeds: where the record of one has (...), this one has (3, ...), and curves of (n, 3)."""

    title = "Reading beyond the trained length, from three seeds"
    precision = np.float32

    def begin(self) -> None:
        one = long_texts.Options(n_step=self.n_step)
        self._runs = [LongTexts(one, seed) for seed in range(self.seed, self.seed + N_SEED)]

    def looks(self) -> Iterable[int]:
        return self._runs[0].looks()

    def learn(self) -> None:
        for run in self._runs:
            run.advance()

    def measure(self) -> Mapping[str, Any]:
        every = [run.record() for run in self._runs]
        return {name: [float(one[name][-1]) for one in every] for name in every[0] if name.startswith("curve.")}

    def latest(self) -> Mapping[str, Any]:
        every = [run.latest() for run in self._runs]
        return {name: np.stack([one[name] for one in every]) for name in every[0]}

    def weights(self) -> Arrays:
        return {}
