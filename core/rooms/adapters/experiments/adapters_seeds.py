"""The curves of `adapters` from three seeds: how far a comparison of two variants differs by luck."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from core.inputs import Inputs, steps
from core.rooms.adapters.experiments import adapters
from core.rooms.adapters.experiments.adapters import Adapters
from core.train.experiments.base import Arrays, Experiment

N_SEED = 3


class Options(Inputs):
    """The steps of each run. All take more than a minute of one core, which is too long for a browser."""

    n_step: int = steps(80, most=20)


class AdaptersSeeds(Experiment):
    """`Adapters` from three seeds. Where the record of one has a curve of (n,), this one has (n, 3)."""

    title = "Adapters and full fine-tuning, from three seeds"
    precision = np.float32

    def begin(self) -> None:
        one = adapters.Options(n_step=self.n_step)
        self._runs = [Adapters(one, seed) for seed in range(self.seed, self.seed + N_SEED)]

    def looks(self) -> Iterable[int]:
        return self._runs[0].looks()

    def learn(self) -> None:
        for run in self._runs:
            run.advance()

    def measure(self) -> Mapping[str, Any]:
        every = [run.record() for run in self._runs]
        return {name: [float(one[name][-1]) for one in every] for name in every[0] if name.startswith("curve.")}

    def weights(self) -> Arrays:
        return {}
