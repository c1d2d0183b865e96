"""Errors in the lecture notes about decoders, run as written and as corrected, on the chosen model and text."""

from core import ui
from core.exhibit import select
from core.inspect.reading.model_and_text import vocabulary
from core.inspect.slips import SlipRun, language, run_slip
from core.rooms.decoder.inputs import DecoderInputs

CODE = tuple(slip.run for slip in language.DECODER)


class Inputs(DecoderInputs, prefix="decoder_"):
    slip: int = select("Slip", {place: slip.name for place, slip in enumerate(language.DECODER)}, 0)


def compute(inputs: Inputs) -> SlipRun:
    """Run one error, as written and as corrected."""
    given = inputs.given
    return run_slip(language.DECODER, given.model, given.ids, vocabulary(given.key), place=inputs.slip)


def draw(result: SlipRun, inputs: Inputs) -> None:
    ui.slip(result, "decoder")
