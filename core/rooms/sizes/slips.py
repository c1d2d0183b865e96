"""Errors in the lecture notes about sizes: a published model's count, and the parameters that one token uses."""

from core import ui
from core.exhibit import Inputs as Base
from core.inspect.lecture_errata import LectureErrataRun, attention_errata, demonstrate_lecture_erratum

CODE = tuple(slip.run for slip in attention_errata.SIZE_ERRATA)


class Inputs(Base):
    """No inputs."""


def compute(inputs: Inputs) -> LectureErrataRun:
    """Count all parameters of the experts, and those that one token uses."""
    return demonstrate_lecture_erratum(attention_errata.SIZE_ERRATA, 0)


def draw(result: LectureErrataRun, inputs: Inputs) -> None:
    ui.show_erratum(result, "sizes")
