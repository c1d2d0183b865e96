"""Errors in the lecture notes about decoders, run as written and as corrected, on the chosen model and text."""

from core import ui
from core.exhibit import select
from core.inspect.lecture_errata import LectureErrataRun, demonstrate_lecture_erratum, language_model_lecture_errata
from core.inspect.model_inputs.model_and_text import model_vocabulary
from core.rooms.decoder.inputs import DecoderInputs

CODE = tuple(slip.run for slip in language_model_lecture_errata.DECODER_ERRATA)


class Inputs(DecoderInputs, prefix="decoder_"):
    slip: int = select({place: slip.name for place, slip in enumerate(language_model_lecture_errata.DECODER_ERRATA)}, 0)


def compute(inputs: Inputs) -> LectureErrataRun:
    """Run one error, as written and as corrected."""
    given = inputs.given
    return demonstrate_lecture_erratum(
        language_model_lecture_errata.DECODER_ERRATA,
        given.model,
        given.ids,
        model_vocabulary(given.key),
        place=inputs.slip,
    )


def draw(result: LectureErrataRun, inputs: Inputs) -> None:
    ui.show_erratum(result, "decoder")
