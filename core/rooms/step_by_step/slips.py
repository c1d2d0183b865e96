"""Errors in the lecture notes about attention, run as written next to the correct version."""

from core import ui
from core.exhibit import Inputs as Base, seed, select
from core.inspect.lecture_errata import LectureErrataRun, attention_errata, demonstrate_lecture_erratum

CODE = tuple(slip.run for slip in attention_errata.ATTENTION_ERRATA)


class Inputs(Base, prefix="steps_"):
    """The seed of the numbers, and the selected error."""

    seed: int = seed(name="steps_slip_seed")
    slip: int = select({i: slip.name for i, slip in enumerate(attention_errata.ATTENTION_ERRATA)}, 0)


def compute(inputs: Inputs) -> LectureErrataRun:
    """Run both versions of each on numbers drawn from the seed."""
    return demonstrate_lecture_erratum(attention_errata.ATTENTION_ERRATA, inputs.seed, place=inputs.slip)


def draw(result: LectureErrataRun, inputs: Inputs) -> None:
    """Draw both versions of the selected one."""
    ui.show_erratum(result, "steps")
