"""What most exhibits of the room look at: the ViT that reads digits, as far as it is trained."""

from core.exhibit import Inputs, custom
from core.train.experiment import run_of
from core.train.experiments.digit_reader import Reader
from core.train.experiments.live import Live

VIT = "the vision transformer of “A ViT learns to read”"
DIGITS = tuple("0123456789")


class Trained(Inputs):
    """The newest training of digits."""

    run: Live = custom("core.ui.training.experiments:latest_run", lambda _: run_of("digits"), name="digits")

    @property
    def reader(self) -> Reader:
        """Its ViT."""
        return Reader(self.run)
