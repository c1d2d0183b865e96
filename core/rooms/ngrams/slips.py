"""Mistakes in the lecture notes about probabilities, run as written next to the right version."""

from core import ui
from core.exhibit import Inputs as Base, seed, select
from core.inspect.slips import SlipRun, language, run_slip

CODE = tuple(slip.run for slip in language.NGRAMS)


class Inputs(Base, prefix="ngrams_slip_"):
    """The seed of the numbers, and one mistake."""

    seed: int = seed()
    slip: int = select("Slip", dict(enumerate(slip.name for slip in language.NGRAMS)), 0, name="ngrams_slip")


def compute(inputs: Inputs) -> SlipRun:
    """Run one mistake and its correction, on numbers drawn from the seed."""
    return run_slip(language.NGRAMS, inputs.seed, place=inputs.slip)


def draw(result: SlipRun, inputs: Inputs) -> None:
    """Draw both versions."""
    ui.slip(result, "ngrams")
