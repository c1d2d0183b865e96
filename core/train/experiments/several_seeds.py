"""An experiment with three seeds, which shows how far its curves differ by chance."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from core.train.experiments.base import Experiment

N_SEED = 3


class SeveralSeedsExperiment(Experiment):
    """An experiment that runs another one with several seeds: each curve (n,) of one run becomes (n, 3)."""

    precision = np.float32
    keeps_weights = False

    @abstractmethod
    def make_run(self, seed: int) -> Experiment:
        """Return the experiment with one seed, before its first step."""

    def begin(self) -> None:
        self.runs = [self.make_run(seed) for seed in range(self.seed, self.seed + N_SEED)]

    def eval_steps(self) -> Iterable[int]:
        return self.runs[0].eval_steps()

    def learn(self) -> None:
        for run in self.runs:
            run.advance()

    def measure(self) -> Mapping[str, ArrayLike]:
        every = [run.record() for run in self.runs]
        return {name: [float(one[name][-1]) for one in every] for name in every[0] if name.startswith("curve.")}
