"""The run of `long_texts` from three seeds, to show how much its curves differ by chance."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.rooms.long_texts.experiments import long_texts
from core.rooms.long_texts.experiments.long_texts import N_STEP, LongTexts
from core.train.experiments.several_seeds import SeveralSeedsExperiment

LABELS = module_labels(__name__)


class Options(Inputs):
    """The options of one run. It takes two minutes of one core, which is too long for a browser to wait."""

    n_step: int = hidden_training_steps(N_STEP, most=20)


class LongTextsSeeds(SeveralSeedsExperiment):
    """`LongTexts` from three seeds; arrays (...) of a single run's newest record are (3, ...) here."""

    title = LABELS["title"]

    def make_run(self, seed: int) -> LongTexts:
        return LongTexts(long_texts.Options(n_step=self.n_step), seed)

    def latest(self) -> Mapping[str, ArrayLike]:
        every = [run.latest() for run in self.runs]
        return {name: np.stack([one[name] for one in every]) for name in every[0]}
