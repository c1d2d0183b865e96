"""Mistakes in the lecture notes about probabilities, run as written next to the right version."""

from core import ui
from core.exhibit import Inputs as Base, seed, select
from core.inspect.lecture_errata import LectureErrataRun, demonstrate_lecture_erratum, language_model_lecture_errata

CODE = tuple(slip.run for slip in language_model_lecture_errata.NGRAM_ERRATA)


class Inputs(Base, prefix="ngrams_slip_"):
    """The seed of the numbers, and one mistake."""

    seed: int = seed()
    slip: int = select(
        dict(enumerate(slip.name for slip in language_model_lecture_errata.NGRAM_ERRATA)), 0, name="ngrams_slip"
    )


def compute(inputs: Inputs) -> LectureErrataRun:
    """Run one mistake and its correction, on numbers drawn from the seed."""
    return demonstrate_lecture_erratum(language_model_lecture_errata.NGRAM_ERRATA, inputs.seed, place=inputs.slip)


def draw(result: LectureErrataRun, inputs: Inputs) -> None:
    """Draw both versions."""
    ui.show_erratum(result, "ngrams")
