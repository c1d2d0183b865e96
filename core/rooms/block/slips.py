"""Errors in the lecture notes about the block, each run as written and as corrected."""

from core import ui
from core.exhibit import Inputs as Base, seed
from core.inspect.lecture_errata import LectureErrataRun, attention_errata, demonstrate_lecture_erratum

CODE = tuple(slip.run for slip in attention_errata.BLOCK_ERRATA)


class Inputs(Base):
    seed: int = seed(name="block_slip_seed")


def compute(inputs: Inputs) -> LectureErrataRun:
    """Run one error, as written and as corrected."""
    return demonstrate_lecture_erratum(attention_errata.BLOCK_ERRATA, inputs.seed)


def draw(result: LectureErrataRun, inputs: Inputs) -> None:
    """Draw both versions."""
    ui.show_erratum(result, "block")
