"""The curves of `adapters` from three seeds: how far a comparison of two variants differs by luck."""

from core.exhibit import Inputs, hidden_training_steps
from core.rooms.adapters.experiments import adapters
from core.rooms.adapters.experiments.adapters import Adapters
from core.train.experiments.several_seeds import SeveralSeedsExperiment


class Options(Inputs):
    """The steps of each run. All take more than a minute of one core, which is too long for a browser."""

    n_step: int = hidden_training_steps(80, most=20)


class AdaptersSeeds(SeveralSeedsExperiment):
    """`Adapters` from three seeds."""

    title = "Adapters and full fine-tuning, from three seeds"

    def make_run(self, seed: int) -> Adapters:
        return Adapters(adapters.Options(n_step=self.n_step), seed)
