"""The curves of `adapters` from three seeds: how far a comparison of two variants differs by luck."""

from core.data.localization.labels import module_labels
from core.exhibit import Inputs, hidden_training_steps
from core.rooms.adapters.experiments import adapters
from core.rooms.adapters.experiments.adapters import Adapters
from core.train.experiments.several_seeds import SeveralSeedsExperiment

LABELS = module_labels(__name__)


class Options(Inputs):
    """The steps of each run. All take more than a minute of one core, which is too long for a browser."""

    n_step: int = hidden_training_steps(80, most=20)


class AdaptersSeeds(SeveralSeedsExperiment):
    """`Adapters` from three seeds."""

    title = LABELS["title"]

    def make_run(self, seed: int) -> Adapters:
        return Adapters(adapters.Options(n_step=self.n_step), seed)
