"""An error in the lecture notes about encoders: that they are generative."""

from core import ui
from core.exhibit import Inputs as Base
from core.inspect.lecture_errata import LectureErrataRun, demonstrate_lecture_erratum, language_model_lecture_errata
from core.rooms.encoder.experiments import masked as task
from core.rooms.encoder.inputs import text_ids, trained_pair
from core.rooms.encoder.together import FIRST, SECOND
from core.train.experiments.experiment_run_state import ExperimentRun

TRAINED = "masked"
CODE = tuple(slip.run for slip in language_model_lecture_errata.ENCODER_ERRATA)


class Inputs(Base):
    """No inputs."""


def compute(inputs: Inputs, run: ExperimentRun) -> LectureErrataRun:
    """Fill two gaps in both orders."""
    models, words = trained_pair(run), trained_pair(run).words
    vocabulary = words.labels(range(words.n_plain))
    return demonstrate_lecture_erratum(
        language_model_lecture_errata.ENCODER_ERRATA,
        models.bert,
        text_ids(task.PROBE),
        (FIRST, SECOND),
        words.mask_id,
        vocabulary,
    )


def draw(result: LectureErrataRun, inputs: Inputs, run: ExperimentRun) -> None:
    """Draw both versions."""
    ui.show_erratum(result, "encoder")
