"""Slips of the lecture notes about sizes: a count of a published model, beside what one token meets of it."""

from core import ui
from core.exhibit import Inputs as Base
from core.inspect.slips import SlipRun, attention, run_slip

CODE = tuple(slip.run for slip in attention.SIZES)


class Inputs(Base):
    """It asks for nothing."""


def compute(inputs: Inputs) -> SlipRun:
    """All parameters of the experts, and those that one token meets."""
    return run_slip(attention.SIZES, 0)


def draw(result: SlipRun, inputs: Inputs) -> None:
    ui.slip(result, "sizes")
