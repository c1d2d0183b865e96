"""An error in the lecture notes about encoders: that they are generative."""

from core import ui
from core.exhibit import Inputs as Base
from core.inspect.slips import SlipRun, language, run_slip
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.inputs import text_ids, trained_pair
from core.rooms.encoder.together import FIRST, SECOND
from core.train.experiments.live import Live

TRAINED = "masked"
CODE = tuple(slip.run for slip in language.ENCODER)


class Inputs(Base):
    """No inputs."""


def compute(inputs: Inputs, run: Live) -> SlipRun:
    """Fill two gaps in both orders."""
    models, words = trained_pair(run), trained_pair(run).words
    vocabulary = words.labels(range(words.n_plain))
    return run_slip(language.ENCODER, models.bert, text_ids(task.PROBE), (FIRST, SECOND), words.mask_id, vocabulary)


def draw(result: SlipRun, inputs: Inputs, run: Live) -> None:
    """Draw both versions."""
    ui.slip(result, "encoder")
