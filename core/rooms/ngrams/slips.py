"""Slips of the lecture notes about probabilities, run as written beside the right version."""

from core import ui
from core.exhibit import Inputs as Base, seed, select
from core.inspect.slips import SlipRun, language, run_slip

CODE = tuple(slip.run for slip in language.NGRAMS)


class Inputs(Base, prefix="ngrams_slip_"):
    """Where the numbers are drawn from, and one slip."""

    seed: int = seed()
    slip: int = select("Slip", dict(enumerate(slip.name for slip in language.NGRAMS)), 0, name="ngrams_slip")


def compute(inputs: Inputs) -> SlipRun:
    """One slip, on numbers drawn from the seed."""
    return run_slip(language.NGRAMS, inputs.seed, place=inputs.slip)


def draw(result: SlipRun, inputs: Inputs) -> None:
    """Both versions."""
    ui.slip(result, "ngrams")
