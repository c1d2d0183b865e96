"""The training of `long_texts` from three seeds: how far its curves differ by luck."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from core.exhibit import Inputs, steps
from core.rooms.long_texts.experiments import long_texts
from core.rooms.long_texts.experiments.long_texts import N_STEP, LongTexts
from core.train.experiments.several_seeds import SeveralSeeds


class Options(Inputs):
    """As of one of them. Two minutes of one core: too long for a browser to wait."""

    n_step: int = steps(N_STEP, most=20)


class LongTextsSeeds(SeveralSeeds):
    """`LongTexts` from three seeds; where the newest record of one has (...), this one has (3, ...)."""

    title = "Reading beyond the trained length, from three seeds"

    def make_run(self, seed: int) -> LongTexts:
        return LongTexts(long_texts.Options(n_step=self.n_step), seed)

    def latest(self) -> Mapping[str, ArrayLike]:
        every = [run.latest() for run in self.runs]
        return {name: np.stack([one[name] for one in every]) for name in every[0]}
